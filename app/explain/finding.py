"""An explanation as data: findings, their fixes, and the document that contains them and the trace.

A finding never holds a sentence. Its messages are `finding-<kind>-title` and `finding-<kind>` of the catalogues in `words/`,
and `fix-<title>` for a fix; all three are formatted with the finding's `arguments`. The messages for the end of a run are
`end-<kind of end>`, formatted with the document's `end_arguments`.
"""

from typing import Literal

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


class Fix(Record, frozen=True, kw_only=True):
    """A whole new snippet that one click puts into the editor. Offered, never applied by itself."""

    title: str
    """Its words are the message `fix-<title>`."""
    source: str
    stand_in: bool = False
    """It is to run with the CPU standing in for a GPU."""


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
    recording_token: str = ""
    """Names this recording to the server, for its visitor alone. Empty in the document of a link."""


def line_of(document: Document, finding: Finding) -> Line | None:
    """The line that a finding is about, as a sentence takes it."""
    if finding.line is None or finding.file is None:
        return finding.line
    return line_in(document.trace.files[finding.file].path, finding.line)
