"""A checked file with its document, and the texts of a report in one language."""

from collections.abc import Iterable
from typing import NamedTuple

from app.explain import Document, Finding
from app.narration import Teller, message
from app.trace.ends import Finished, Raised
from app.trace.records import Span


class Checked(NamedTuple):
    """One file. `path` is the file's path in the report. The trace of `document` contains the source."""

    path: str
    document: Document

    @property
    def is_finished(self) -> bool:
        """Whether the run finished."""
        return isinstance(self.document.trace.ended, Finished)

    @property
    def last_line(self) -> int | None:
        """The line (from 1) of the exception that ended the run; None if no exception did, or if the line is in another file."""
        ended = self.document.trace.ended
        return ended.line if isinstance(ended, Raised) and ended.file is None else None

    def spans_of(self, finding: Finding) -> list[Span]:
        """The distinct positions of a finding's statements in the file, the main position first."""
        steps = self.document.trace.steps
        spans = [span for step in finding.steps if (span := steps[step].span) is not None and span.file is None]
        found = sorted(spans, key=lambda span: span.line != finding.line)  # a stable sort: the other positions keep their order
        return list(dict.fromkeys(found))


class Words:
    """The texts of a finding, a fix and an end."""

    def __init__(self, language: str) -> None:
        self._teller = Teller(language)

    def title(self, finding: Finding) -> str:
        """The title, in one line."""
        return self._teller.say(message(f"finding-{finding.kind}-title", **finding.arguments))

    def body(self, finding: Finding) -> str:
        """The explanation, in one or more paragraphs."""
        return self._teller.say(message(f"finding-{finding.kind}", **finding.arguments))

    def fixes(self, finding: Finding) -> list[str]:
        """The titles of all fixes."""
        return [self._teller.say(message(f"fix-{fix.title}", **finding.arguments)) for fix in finding.fixes]

    def end(self, document: Document) -> str:
        """How the run ended."""
        return self._teller.say(message(f"end-{document.trace.ended.__struct_config__.tag}", **document.end_arguments))

    def partly(self, document: Document) -> str:
        """The sentence that reports an incomplete explanation."""
        return self._teller.say(message("explained-in-part", count=document.unfinished))

    def summary(self, files: int, findings: int, broken: int) -> str:
        """The counts of files, findings, and `broken` (unfinished) runs."""
        return self._teller.say(message("report-summary", files=files, findings=findings, broken=broken))


def has_failed(checked: Iterable[Checked]) -> bool:
    """Whether a run did not finish, or has a finding that is an error or a warning. Hints do not count."""
    return any(
        not each.is_finished or any(finding.severity != "hint" for finding in each.document.findings) for each in checked
    )
