"""`record()` and the recording that it returns: trace, findings, text, and player."""

import contextlib
import tempfile
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from types import CodeType

import msgspec

from app.explain import Document, Finding, explain
from app.report import Checked, as_text
from app.report.transcript import transcript
from app.standalone import standalone
from app.trace.records import Limits
from app.tracer import library
from app.tracer.statements.following import Followed
from app.tracer.statements.kept_program import Redact, Values
from app.words import LANGUAGES

from . import cell_output
from .shell import shell_names


class Recorded(library.Recorded):
    """The recording that `record()` returns. Its trace is complete at the end of the block."""

    @property
    def findings(self) -> list[Finding]:
        """The findings in the trace so far. `kind` identifies the type of a finding, `line` is its line in the file."""
        return self._document.findings

    def explain(self, language: str = LANGUAGES[0]) -> str:
        """What each statement did, how the block ended, and the findings, as plain text in `language` ("en" or "zh-CN")."""
        return "\n".join(transcript(self._document, language)) + "\n"

    def html(self, title: str = "Recording", language: str = LANGUAGES[0]) -> bytes:
        """The recording as one HTML file, which replays it in a browser without a network."""
        return standalone(msgspec.json.encode(self._document), title, language)

    def show(self) -> None:
        """Open the recording in this machine's browser."""
        with tempfile.NamedTemporaryFile(prefix="stepgrad-", suffix=".html", delete=False) as file:
            file.write(self.html())
        webbrowser.open(Path(file.name).as_uri())

    def _repr_html_(self) -> str:
        """The output below a notebook cell: the player or, if scripts do not run, a picture of the last step."""
        return cell_output.cell(msgspec.json.encode(self._document), repr(self))

    def __repr__(self) -> str:
        """End and findings in one line, for a terminal, and for a notebook in which scripts do not run."""
        files = self.trace.files
        found = [
            f"line {each.line}{'' if each.file is None else f' of {files[each.file].path}'}: {each.kind}"
            for each in self.findings
        ]
        ended = self.trace.ended.__struct_config__.tag
        return f"<{type(self).__name__}: {len(self.trace.steps)} steps, {ended}; {', '.join(found) or 'no findings'}>"

    @property
    def _document(self) -> Document:
        return explain(self.trace)


def record(
    limits: Limits | None = None,
    follow: Iterable[Followed] | None = None,
    *,
    values: Values = "all",
    redact: Redact = (),
) -> contextlib._GeneratorContextManager[Recorded]:
    """Record what the block does with torch, statement by statement, on this thread and without a sandbox.

    Output and exceptions pass through unchanged, and all hooks are removed afterwards. The block's frame and the functions of
    followed files are recorded line by line; in other code only the use of torch is recorded. `follow` names modules and
    folders; by default it is the caller's top-level package, or the folder of a script or notebook. Installed packages are
    never followed. A nested `record()` returns the outer recording; while another thread records, it raises RuntimeError. The
    seeds of random generators do not change. Only limits on the size of a recording apply; at a limit the recording ends, not
    the program.

    The recording keeps the lines of the block and of the functions that ran in it, the variables that these lines name (80
    characters of strings), imports, the values of tensors, and what the block prints or raises; all other lines are blank.
    `values="tensors"` keeps only the values of tensors. `redact` (names, or a function from a name to a bool) drops the values of
    these variables and of dict entries with such a key. Raises ValueError for another `values`, and any exception of `redact`.
    """
    return library.record_as(Recorded, limits, shell_names(), follow, values=values, redact=redact)


def record_calls(
    code: CodeType, limits: Limits | None = None, folder: str | None = None
) -> contextlib._GeneratorContextManager[Recorded]:
    """Like `record`, for a plugin: record only functions that the block calls, in the file of `code` and in `folder`."""
    return library.record_calls_as(Recorded, code, limits, shell_names(), folder)


def assert_no_silent_gradients(recording: Recorded) -> None:
    """Raise AssertionError with line and reason if a backward of the recording gave silently wrong gradients."""
    document = recording._document
    wrong = [finding for finding in document.findings if finding.kind == "silently_wrong_gradient"]
    assert not wrong, as_text([Checked(recording._path, Document(trace=document.trace, findings=wrong))], LANGUAGES[0])
