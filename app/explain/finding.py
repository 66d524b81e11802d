"""The records of findings, fixes and documents, and the decorator that registers a finder.

A finding contains no sentence. The messages of a finding are `finding-<kind>-title` and `finding-<kind>` of the catalogues in
`words/`, and `fix-<title>` for a fix; all three are formatted with the finding's `arguments`. The messages for the end of a run
are `end-<kind of end>`, formatted with the document's `end_arguments`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, ParamSpec, TypeVar

from app.explain.corrected_records import CorrectedGradients
from app.trace.chunks import Trace
from app.trace.index import Line, line_in
from app.trace.records import Count, FileId, Record, SavedTensorId, StepId, StorageId, TensorId, Tick

Severity = Literal["error", "warning", "hint"]
"""error: the run raised, or a result is wrong; warning: one of these will happen if the run continues this way; hint:
useful to know."""

MOST_FINDINGS = 100
"""Maximum number of findings of one kind. A loop can produce thousands of equal findings."""

MOST_FIXED = 5
"""Maximum number of findings of one kind that come with fixes; each costs a few passes over the snippet."""

Arguments = dict[str, str | int]

Fixes = list[tuple[str, Callable[[], str | None]]]
"""Possible fixes, the best first: a title, and a function that returns the new snippet, or None if the fix cannot be written."""

P = ParamSpec("P")


def offer(
    title: str, write: Callable[P, str | None], *args: P.args, **kwargs: P.kwargs
) -> tuple[str, Callable[[], str | None]]:
    """A possible fix that calls `write` with these arguments."""
    return title, partial(write, *args, **kwargs)


class Fix(Record, frozen=True, kw_only=True):
    """A whole new snippet, which replaces the code in the editor when the user clicks on the fix."""

    title: str
    """The id of the title's message without its prefix `fix-`."""
    source: str
    stand_in: bool = False
    """Whether the fixed snippet is run with the CPU in place of a GPU."""


class Clash(Record, frozen=True, kw_only=True):
    """The size or dtype of a Tensor that made an operator refuse the Tensor."""

    tensor: TensorId
    dimension: Count | None = None
    """The dimension with the refused size, from 0; None if the operator refused the dtype."""
    other: str
    """The size or the dtype that the operator would accept."""


class Finding(Record, frozen=True, kw_only=True):
    """A finding about a run, and the records that it is about."""

    kind: str
    severity: Severity
    tick: Tick
    """The tick from which the finding is true."""
    step: StepId | None = None
    """The step at which the page shows the finding; None for findings about the source text."""
    steps: list[StepId] = []
    """The steps that the finding's text mentions, in order.

    For a saved tensor: the steps that saved, wrote and needed the tensor.
    """
    line: int | None = None
    """The line that the finding is about, from 1."""
    file: FileId | None = None
    """The File that contains `line`; None for the trace's own source."""
    saved_tensors: list[SavedTensorId] = []
    tensors: list[TensorId] = []
    storages: list[StorageId] = []
    clashes: list[Clash] = []
    """The sizes or dtypes for which an operator refused its tensors, if it is one size or dtype for each tensor."""
    arguments: Arguments = {}
    """The arguments of the finding's messages."""
    fixes: list[Fix] = []


class Part(Record, frozen=True, kw_only=True):
    """The findings of one finder."""

    findings: list[Finding] = []
    is_finished: bool = True
    """Whether the finder finished. An unfinished finder has no findings, because unread records could contradict them."""


class Document(Record, frozen=True, kw_only=True):
    """The trace of a run together with its findings, as the page's player loads them."""

    trace: Trace
    findings: list[Finding] = []
    unfinished: Count = 0
    """The number of finders that did not finish. Findings may then be missing, but the listed findings are correct."""
    end_arguments: Arguments = {}
    corrected: CorrectedGradients | None = None
    """The corrected gradients, in exported files and pictures of a silently wrong run. The page requests them separately."""
    recording_token: str = ""
    """A token with which the page refers to this recording. Only the visitor of the run gets it; "" in the document of a link."""


def line_of(document: Document, finding: Finding) -> Line | None:
    """The line that a finding is about; for a line in another file, together with the name of the file."""
    if finding.line is None or finding.file is None:
        return finding.line
    return line_in(document.trace.files[finding.file].path, finding.line)


# --- finders ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finder:
    """A function that gets a Reading and returns findings, and the conditions under which it runs."""

    find: Callable[[Any], Iterable[Finding]]
    after: tuple[str, ...]
    of_the_sandbox: bool
    """Whether the finder is about things that the sandbox lacks: a keyboard, a command line, other processes, packages, a GPU.

    The finder does not run for programs recorded by `record()`, which run outside the sandbox.
    """
    needs_the_end: bool
    """Whether the finder reports an action that the program never took.

    The finder does not run if the program was stopped early (`Reading.is_cut`).
    """
    is_last: bool
    """Whether the finder's findings are listed below all other findings."""


registered: dict[str, Finder] = {}
"""Finders by the names of their functions, in the order in which their modules were imported."""

Find = TypeVar("Find", bound=Callable[[Any], Iterable[Finding]])


class FinderError(Exception):
    """Raised if the finders cannot be put into an order."""


def finder(
    *, after: Iterable[str] = (), of_the_sandbox: bool = False, needs_the_end: bool = False, is_last: bool = False
) -> Callable[[Find], Find]:
    """Registers a function as a finder.

    The finder runs after the finders named in `after`. It can read the findings of these finders (`Reading.found_by`), and
    its own findings are listed below theirs.
    """

    def register(find: Find) -> Find:
        if find.__name__ in registered:
            raise FinderError(f"Two finders are called {find.__name__}.")
        registered[find.__name__] = Finder(find, tuple(after), of_the_sandbox, needs_the_end, is_last)
        return find

    return register
