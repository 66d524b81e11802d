"""A file that was run: its document, and its texts in one language."""

from collections.abc import Iterable
from typing import NamedTuple

from app.explain import Document, Finding
from app.narration import Teller, message
from app.trace.ends import Finished, Raised
from app.trace.records import Span


class Checked(NamedTuple):
    """One file. `path` is shown as it was given; a document's trace holds the source."""

    path: str
    document: Document

    @property
    def is_finished(self) -> bool:
        """Whether the run finished."""
        return isinstance(self.document.trace.ended, Finished)

    @property
    def last_line(self) -> int | None:
        """The line of the file where the run ended, if something raised there, from 1."""
        ended = self.document.trace.ended
        return ended.line if isinstance(ended, Raised) and ended.file is None else None

    def spans_of(self, finding: Finding) -> list[Span]:
        """The positions of a finding's statements in the file, its main one first, each once."""
        steps = self.document.trace.steps
        spans = [span for step in finding.steps if (span := steps[step].span) is not None and span.file is None]
        found = sorted(spans, key=lambda span: span.line != finding.line)  # stable: the others keep their order
        return list(dict.fromkeys(found))


class Words:
    """The texts of a finding, a fix and an end."""

    def __init__(self, language: str) -> None:
        self._teller = Teller(language)

    def title(self, finding: Finding) -> str:
        """One line."""
        return self._teller.say(message(f"finding-{finding.kind}-title", **finding.arguments))

    def body(self, finding: Finding) -> str:
        """A paragraph, or several."""
        return self._teller.say(message(f"finding-{finding.kind}", **finding.arguments))

    def fixes(self, finding: Finding) -> list[str]:
        """A line for each fix."""
        return [self._teller.say(message(f"fix-{fix.title}", **finding.arguments)) for fix in finding.fixes]

    def end(self, document: Document) -> str:
        """How the run ended."""
        return self._teller.say(message(f"end-{document.trace.ended.__struct_config__.tag}", **document.end_arguments))

    def partly(self, document: Document) -> str:
        """That not all was looked at."""
        return self._teller.say(message("explained-in-part", count=document.unfinished))

    def summary(self, files: int, findings: int, broken: int) -> str:
        """How much there was of each; `broken`: runs that did not come to their ends."""
        return self._teller.say(message("report-summary", files=files, findings=findings, broken=broken))


def has_failed(checked: Iterable[Checked]) -> bool:
    """Whether a run did not come to its end, or has a finding that is an error or a warning. A hint is neither."""
    return any(
        not each.is_finished or any(finding.severity != "hint" for finding in each.document.findings) for each in checked
    )
