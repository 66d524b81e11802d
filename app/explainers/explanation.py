"""What an explainer says about a recording, as the store keeps it and as a document carries it."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from app.explain import Arguments, Finding
from app.trace.records import Count, Record

APP: Final = Path(__file__).resolve().parents[1]
SAYING: Final = ("explain", "trace", "explainers")
"""The parts of app/ that decide what is said about a recording, and whether it still reads."""


class Unreadable(ValueError):
    """The recording is no trace of this version."""


class Explanation(Record, frozen=True, kw_only=True):
    """A document without its trace."""

    trace_bytes: Count
    """Bytes of the trace that it explains."""
    findings: list[Finding] = []
    unfinished: Count = 0
    """As in a Document."""
    end_arguments: Arguments = {}
    was_cut: bool = False
    """Whether time, memory or an accident decided what is missing: then it is not kept, and another try may bring more."""

    def document(self) -> bytes:
        """The fields of the document besides the trace, as JSON without braces."""
        said = {"findings": self.findings, "unfinished": self.unfinished, "end_arguments": self.end_arguments}
        return msgspec.json.encode(said)[1:-1]


@cache
def explainer() -> str:
    """A hash of the files that decide what is said, taken once: what another version said is not taken for this one's word."""
    said = hashlib.sha256()
    for path in sorted(path for part in SAYING for path in (APP / part).rglob("*.py")):
        content = path.read_bytes()
        said.update(f"{path.relative_to(APP)} {len(content)}\n".encode() + content)
    return said.hexdigest()
