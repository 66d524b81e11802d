"""Corrected gradients as data: what the comparison of `corrected/` answers, and what a document may have with it."""

from typing import Literal

from app.trace.records import Contents, GradientId, NodeId, Record, Sizes, StepId, TensorId, Word

Reason = Literal["differs", "unsteady", "ended", "hooks", "function", "threads", "large", "unseen", "busy"]
"""Why the correct gradient is unknown; the messages are `right-unknown-<reason>`.

differs: another value differed before the first gradient; unsteady: the two runs with copies gave different gradients; ended:
the run with copies ended differently; hooks, function: a saved value cannot be replaced by a copy; threads: other threads ran;
large: too many elements to compare; unseen: no gradient of a leaf was recorded; busy: the server had no place.
"""


class CorrectedGradient(Record, frozen=True, kw_only=True):
    """One gradient, as the run had it and as it would have been."""

    tensor: TensorId
    """The leaf that it belongs to."""
    name: Word
    """What the snippet calls the leaf; "" when it has no name."""
    is_grad: bool
    """It is the leaf's `grad` after that backward, with all that it held before; else `torch.autograd.grad` gave it back."""
    shape: Sizes
    wrong: Contents
    right: Contents


class CorrectedSent(Record, frozen=True, kw_only=True):
    """A wrong gradient that a Node sent, as it would have been."""

    gradient: GradientId
    right: Contents


class KnownGradients(Record, frozen=True, kw_only=True, tag_field="kind", tag="right"):
    """What the first backward that went wrong would have given. What ran after it ran on other numbers, and is not compared."""

    step: StepId
    """The statement that ran the backward."""
    node: NodeId
    """The Node with the first wrong gradient."""
    gradients: list[CorrectedGradient]
    sent: list[CorrectedSent] = []
    """What the Nodes of this backward sent, where it differs."""


class SameGradients(Record, frozen=True, kw_only=True, tag_field="kind", tag="same"):
    """The gradients are the same, although a saved tensor was overwritten."""


class UnknownGradients(Record, frozen=True, kw_only=True, tag_field="kind", tag="unknown"):
    """The correct gradients are unknown."""

    reason: Reason


CorrectedGradients = KnownGradients | SameGradients | UnknownGradients
