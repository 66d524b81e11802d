"""A recording of this process: its trace, what is found in it, and its text."""

import contextlib

from app.explain import Document, Finding, explain
from app.report import Checked, as_text
from app.trace.records import Limits
from app.tracer import library
from app.transcript import transcript
from app.words import LANGUAGES


class Recorded(library.Recorded):
    """What `record()` gives: the trace, complete once the block is left, and what there is to say about it."""

    @property
    def findings(self) -> list[Finding]:
        """What is found in the trace so far. `kind` names a finding, `line` the line of the file that it is about."""
        return self._document.findings

    def explain(self, language: str = LANGUAGES[0]) -> str:
        """What each statement did, how the block ended, and what is found, as plain text: "en" or "zh-CN"."""
        return "\n".join(transcript(self._document, language)) + "\n"

    @property
    def _document(self) -> Document:
        return explain(self.trace)


def record(limits: Limits | None = None) -> contextlib._GeneratorContextManager[Recorded]:
    """Record what the block does with torch, statement by statement, on this thread and outside of any sandbox.

    Output still goes where it went, exceptions pass through unchanged, and afterwards nothing is left installed. The block's frame
    and the functions of its own file are followed line by line; of other code, what torch does. Inside another `record()` it
    gives that one's recording; while another thread records, it raises RuntimeError. No seed is set: whatever the process did
    before counts. Of the limits those on what is recorded count, and reaching one ends the recording, not the program.
    """
    return library.record_as(Recorded, limits)


def assert_no_silent_gradients(recording: Recorded) -> None:
    """Raise AssertionError, which says where and why, if a backward of the recording gave gradients that are silently wrong."""
    document = recording._document
    wrong = [finding for finding in document.findings if finding.kind == "silently_wrong_gradient"]
    assert not wrong, as_text([Checked("recording", Document(trace=document.trace, findings=wrong))], LANGUAGES[0])
