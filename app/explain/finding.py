"""An explanation as data: findings, their fixes, and the document that contains them and the trace. And what finds them.

A finding never holds a sentence. Its messages are `finding-<kind>-title` and `finding-<kind>` of the catalogues in `words/`,
and `fix-<title>` for a fix; all three are formatted with the finding's `arguments`. The messages for the end of a run are
`end-<kind of end>`, formatted with the document's `end_arguments`.
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
"""error: the run raised, or a result is wrong; warning: it will be, if the run continues this way; hint: useful to know."""

MOST_FINDINGS = 100
"""Findings of one kind; a loop can make thousands alike."""

MOST_FIXED = 5
"""Findings of one kind that come with fixes; each costs a few passes over the snippet."""

Arguments = dict[str, str | int]

Fixes = list[tuple[str, Callable[[], str | None]]]
"""What might be offered, the best first: a title, and what writes the snippet if it can be written."""

P = ParamSpec("P")


def offer(
    title: str, write: Callable[P, str | None], *args: P.args, **kwargs: P.kwargs
) -> tuple[str, Callable[[], str | None]]:
    """A fix that `write`, called with these arguments, may write."""
    return title, partial(write, *args, **kwargs)


class Fix(Record, frozen=True, kw_only=True):
    """A whole new snippet that one click puts into the editor. Offered, never applied by itself."""

    title: str
    """Its words are the message `fix-<title>`."""
    source: str
    stand_in: bool = False
    """It is to run with the CPU standing in for a GPU."""


class Clash(Record, frozen=True, kw_only=True):
    """A size or the dtype of a Tensor that does not fit what an operator needed."""

    tensor: TensorId
    dimension: Count | None = None
    """Whose size it is, from 0; None: it is the dtype."""
    other: str
    """The size or the dtype that it would have to be equal to."""


class Finding(Record, frozen=True, kw_only=True):
    """Something worth telling about a run, and the records it is about."""

    kind: str
    severity: Severity
    tick: Tick
    """From when on it is true."""
    step: StepId | None = None
    """The step at which it appears; None for findings about the text."""
    steps: list[StepId] = []
    """The steps in its text: saver, writer, needer in that order, if there are any."""
    line: int | None = None
    """The line it is about, from 1."""
    file: FileId | None = None
    """The File that `line` counts in; None for the trace's own source."""
    saved_tensors: list[SavedTensorId] = []
    tensors: list[TensorId] = []
    storages: list[StorageId] = []
    clashes: list[Clash] = []
    """Why an operator refused its tensors, where that is a single size or dtype of each."""
    arguments: Arguments = {}
    """What the words are formatted with."""
    fixes: list[Fix] = []


class Part(Record, frozen=True, kw_only=True):
    """What one finder found."""

    findings: list[Finding] = []
    is_finished: bool = True
    """Whether the finder finished. An unfinished one has no findings, because unread records could contradict them."""


class Document(Record, frozen=True, kw_only=True):
    """What the player plays: a run and what there is to say about it."""

    trace: Trace
    findings: list[Finding] = []
    unfinished: Count = 0
    """How many finders did not finish. The run is then explained in part, and the findings are still correct."""
    end_arguments: Arguments = {}
    corrected: CorrectedGradients | None = None
    """In a file or picture of a silently wrong run; a page asks for them after it has the document."""
    recording_token: str = ""
    """Names this recording to the server, for its visitor alone. Empty in the document of a link."""


def line_of(document: Document, finding: Finding) -> Line | None:
    """The line that a finding is about, as a sentence takes it."""
    if finding.line is None or finding.file is None:
        return finding.line
    return line_in(document.trace.files[finding.file].path, finding.line)


# --- finders ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finder:
    """A function from a Reading to findings."""

    find: Callable[[Any], Iterable[Finding]]
    after: tuple[str, ...]
    of_the_sandbox: bool
    """It finds what a sealed run does not have: a keyboard, a command line, other processes, a compiler, a network, files,
    packages, a GPU. A program that recorded itself by `record()` has what its machine has."""
    needs_the_end: bool
    """It finds what a program never did. Of a run that was cut (`Reading.is_cut`) that is not known."""
    is_last: bool
    """Its findings are listed below all others."""


registered: dict[str, Finder] = {}
"""By the names of their functions, in the order in which their modules were imported."""

Find = TypeVar("Find", bound=Callable[[Any], Iterable[Finding]])


class FinderError(Exception):
    """Finders that cannot be put into an order."""


def finder(
    *, after: Iterable[str] = (), of_the_sandbox: bool = False, needs_the_end: bool = False, is_last: bool = False
) -> Callable[[Find], Find]:
    """Registers a function as a finder. It runs after the finders in `after`, so it can read their findings
    (`Reading.found_by`), and its own are listed below."""

    def register(find: Find) -> Find:
        if find.__name__ in registered:
            raise FinderError(f"Two finders are called {find.__name__}.")
        registered[find.__name__] = Finder(find, tuple(after), of_the_sandbox, needs_the_end, is_last)
        return find

    return register
