"""Pure functions from a trace to findings, and the words for them."""

from collections.abc import Callable

from app.explain.finding import Arguments, Document, Finding, Fix, Severity
from app.trace.chunks import Trace

__all__ = ["FINDERS", "Arguments", "Document", "Finder", "Finding", "Fix", "Severity", "explain"]

Finder = Callable[[Trace], list[Finding]]

FINDERS: tuple[Finder, ...] = ()
"""Run in this order. A new kind of finding is a new file with a function, named here."""


def explain(trace: Trace) -> Document:
    """The trace together with every finding about it."""
    return Document(trace=trace, findings=[finding for finder in FINDERS for finding in finder(trace)])
