"""The records of corrected gradients: the results of the comparison in `corrected/`, as a document contains them."""

from typing import Literal

from app.trace.records import Contents, GradientId, NodeId, Record, Sizes, StepId, TensorId, Word

Reason = Literal["differs", "unsteady", "ended", "hooks", "function", "threads", "large", "unseen", "busy"]
"""Why the correct gradient is unknown; the messages are `right-unknown-<reason>`.

differs: another value differed before the first gradient; unsteady: the two runs with copies gave different gradients; ended:
the run with copies ended differently; hooks, function: a saved value cannot be replaced by a copy; threads: other threads ran;
large: too many elements to compare; unseen: no gradient of a leaf was recorded; busy: the server had no free slot.
"""


class CorrectedGradient(Record, frozen=True, kw_only=True):
    """One gradient: its value in the run, and the correct value. Both may be equal."""

    tensor: TensorId
    """The leaf that the gradient belongs to."""
    name: Word
    """The name of the leaf in the snippet; "" if it has none."""
    is_grad: bool
    """Whether this is the leaf's `grad` after the backward, with earlier gradients accumulated; otherwise
    `torch.autograd.grad` returned it."""
    shape: Sizes
    wrong: Contents
    right: Contents


class CorrectedSent(Record, frozen=True, kw_only=True):
    """A wrong gradient that a Node sent: its id, and the correct value."""

    gradient: GradientId
    right: Contents


class KnownGradients(Record, frozen=True, kw_only=True, tag_field="kind", tag="right"):
    """The corrected gradients of the first backward that went wrong. Later backwards are not compared, because they used wrong
    numbers."""

    step: StepId
    """The statement that ran the backward."""
    node: NodeId
    """The Node with the first wrong gradient."""
    gradients: list[CorrectedGradient]
    sent: list[CorrectedSent] = []
    """The wrong gradients that the Nodes of this backward sent."""


class SameGradients(Record, frozen=True, kw_only=True, tag_field="kind", tag="same"):
    """The result if the gradients are correct although a saved tensor was overwritten."""


class UnknownGradients(Record, frozen=True, kw_only=True, tag_field="kind", tag="unknown"):
    """The result if the correct gradients are unknown."""

    reason: Reason


CorrectedGradients = KnownGradients | SameGradients | UnknownGradients
