"""The explanation of a recording, in the form that the store and documents contain."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from app.explain import Arguments, Finding
from app.trace.ends import Ended
from app.trace.records import Count, Record

APP: Final = Path(__file__).resolve().parents[1]
SAYING: Final = ("explain", "trace", "explainers")
"""The folders of app/ whose code explains a recording or decides whether it is still readable."""


class Unreadable(ValueError):
    """Raised if the recording is not a valid trace of this version."""


class Account(Record, frozen=True, kw_only=True):
    """The end and the size of a recording that an explainer decoded."""

    ended: Ended
    steps: Count


class Explanation(Record, frozen=True, kw_only=True):
    """The explanation of a recording: a document without its trace."""

    trace_bytes: Count
    """The size of the explained trace, in bytes."""
    findings: list[Finding] = []
    unfinished: Count = 0
    """Number of finders that did not finish, as in a Document."""
    end_arguments: Arguments = {}
    was_cut: bool = False
    """Whether a part is missing because of a limit or a failure. Such an explanation is not cached, and may be computed again."""

    def document(self) -> bytes:
        """The fields of the document except the trace, as JSON without braces."""
        said = {"findings": self.findings, "unfinished": self.unfinished, "end_arguments": self.end_arguments}
        return msgspec.json.encode(said)[1:-1]


@cache
def explainer() -> str:
    """A hash of the source files that determine explanations. Stepgrad does not reuse an explanation with another hash."""
    said = hashlib.sha256()
    for path in sorted(path for part in SAYING for path in (APP / part).rglob("*.py")):
        content = path.read_bytes()
        said.update(f"{path.relative_to(APP)} {len(content)}\n".encode() + content)
    return said.hexdigest()
