"""Questions: their subject, legal answers and correct answers. The same types as `static/js/run/questions/asked.d.ts`.

A question is about the run from one tick to another, so it means the same at every granularity.
"""

from typing import Literal

import msgspec

from app.trace.records import NodeId, SavedTensorId, StorageId, TensorId, VersionCounterId

Scalar = bool | int | float | str
"""One element of a dtype that is not complex, as a trace writes it: NaN and infinity are "nan", "inf" and "-inf"."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base of the parts of a question, as they are sent."""


# --- questions --------------------------------------------------------------------------------------------------------


QuestionKind = Literal[
    "node",  # Which Node runs first?
    "sends",  # Which gradient does `node` send along `edge`: its first element?
    "grad",  # Which value is the first element of the `grad` of `tensor`?
    "counter",  # Which version counter goes up?
    "cell",  # Which cell changes?
    "value",  # What does `cell` of `storage` hold?
    "version",  # At which version is `counter`?
    "grad_fn",  # Which Node is the grad_fn of `tensor`: its name?
    "culprit",  # Which line overwrote what `saved` keeps?
    "stale_by",  # Did what ran make what `saved` keeps stale, or an earlier write?
    "raises",  # Does it raise?
    "raising_line",  # Which line does the exception come from that ends the run?
]
"""The kinds of questions."""


class Question(_Part, frozen=True, kw_only=True):
    """A question. `kind` determines its ids. `after` and `until` are ticks: the known state, and the state in question."""

    kind: QuestionKind
    after: int
    until: int
    node: NodeId | None = None
    edge: int | None = None
    tensor: TensorId | None = None
    storage: StorageId | None = None
    cell: int | None = None
    counter: VersionCounterId | None = None
    saved: SavedTensorId | None = None


class Legal(_Part, frozen=True, kw_only=True):
    """Which answers are legal."""

    form: Literal["number", "version", "cell", "counter", "node", "name", "line", "whether"]
    has_none: bool = False
    """Whether "none" is legal: no gradient, no Node, no line, no cell or counter."""
    dtype: str = ""
    """Of a number."""
    cells: list[tuple[StorageId, int]] | None = None
    """The storages with visible cells, and the number of cells of each."""
    counters: list[VersionCounterId] | None = None
    nodes: list[NodeId] | None = None
    lines: int = 0
    """The number of lines of the snippet."""


class Answer(_Part, frozen=True, kw_only=True):
    """An answer. `kind` is the form of the question, or "none"."""

    kind: Literal["number", "version", "cell", "counter", "node", "name", "line", "whether", "none"]
    number: Scalar | None = None
    version: int | None = None
    storage: StorageId | None = None
    cell: int | None = None
    counter: VersionCounterId | None = None
    node: NodeId | None = None
    name: str | None = None
    line: int | None = None
    whether: bool | None = None


NONE = Answer(kind="none")


class Asked(_Part, frozen=True, kw_only=True):
    """A question with its legal answers and its truth: each of `right` is right."""

    question: Question
    legal: Legal
    right: list[Answer]
