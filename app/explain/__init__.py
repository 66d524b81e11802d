"""Pure functions from a trace to findings."""

from app.explain.finding import Arguments, Document, Finding, Fix, Severity
from app.explain.findings import FINDERS
from app.explain.reading.ending import end_arguments
from app.explain.reading.reading import Reading
from app.trace.chunks import Trace

__all__ = ["Arguments", "Document", "Finding", "Fix", "Severity", "explain"]


def explain(trace: Trace) -> Document:
    """The trace together with every finding about it. For a trace that holds (`trace.check`) it never raises."""
    reading = Reading(trace)
    findings = [finding for finder in FINDERS for finding in finder(reading)]
    return Document(trace=trace, findings=_said_once(findings), end_arguments=end_arguments(trace.ended))


def _said_once(findings: list[Finding]) -> list[Finding]:
    """Without those that would read like an earlier one: the rounds of a loop."""
    first: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        first.setdefault((finding.kind, finding.severity, *sorted(finding.arguments.items())), finding)
    return list(first.values())
