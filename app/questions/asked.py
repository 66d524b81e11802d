"""The records of questions, legal answers and correct answers.

The records match the types in `static/js/run/questions/asked.d.ts`. A question names two ticks of the run, not two steps of
the page, so its meaning does not depend on the size of the page's steps.
"""

from typing import Literal

import msgspec

from app.trace.records import NodeId, SavedTensorId, StorageId, TensorId, VersionCounterId

Scalar = bool | int | float | str
"""One element of a dtype that is not complex, as a trace writes it: NaN and infinity are "nan", "inf" and "-inf"."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of the records that the server sends to the page and receives from the page."""


# --- questions --------------------------------------------------------------------------------------------------------


QuestionKind = Literal[
    "node",  # Which Node runs first?
    "sends",  # What is the first element of the gradient that `node` sends along `edge`?
    "grad",  # What is the first element of the `grad` of `tensor`?
    "counter",  # Which version counter is increased?
    "cell",  # Which cell changes?
    "value",  # What is the value of `cell` of `storage`?
    "version",  # What is the version of `counter`?
    "grad_fn",  # What is the name of the grad_fn of `tensor`?
    "culprit",  # Which line overwrote the saved tensor `saved`?
    "stale_by",  # Did `saved` first become stale between the two ticks?
    "raises",  # Does the run raise an exception?
    "raising_line",  # Which line raises the exception that ends the run?
]
"""The kinds of questions."""


class Question(_Part, frozen=True, kw_only=True):
    """A question.

    The `kind` determines which ids the question has. `after` is the tick of the known state, and `until` is the tick of the
    state in question.
    """

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
    """The legal answers to a question."""

    form: Literal["number", "version", "cell", "counter", "node", "name", "line", "whether"]
    has_none: bool = False
    """Whether "none" is a legal answer: no gradient, no Node, no line, no cell or counter."""
    dtype: str = ""
    """The dtype of an answer that is a number."""
    cells: list[tuple[StorageId, int]] | None = None
    """The storages with visible cells, and the number of cells of each."""
    counters: list[VersionCounterId] | None = None
    nodes: list[NodeId] | None = None
    lines: int = 0
    """The number of lines of the snippet."""


class Answer(_Part, frozen=True, kw_only=True):
    """An answer. `kind` is the kind of value that the question asks for, or "none"."""

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
    """A question with its legal answers and its correct answers. Each answer in `right` is correct."""

    question: Question
    legal: Legal
    right: list[Answer]
