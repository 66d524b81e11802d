"""Pure functions from a trace to findings."""

from collections.abc import Iterable, Iterator

from app.explain.finding import Arguments, Document, Finding, Fix, Part, Severity
from app.explain.findings import FINDERS
from app.explain.reading.end_arguments import end_arguments
from app.explain.reading.meter import Spent
from app.explain.reading.reading import Reading
from app.trace.chunks import Trace

__all__ = ["Arguments", "Document", "Finding", "Fix", "Part", "Severity", "document_of", "explain", "explanations"]


def explain(trace: Trace) -> Document:
    """Returns the trace together with all findings about it. Never raises for a valid trace (`trace.check`)."""
    return document_of(trace, explanations(trace))


def explanations(trace: Trace) -> Iterator[Part]:
    """Yields the findings of each finder in the order of FINDERS, as soon as the finder is done. Equal traces yield equal
    parts."""
    reading = Reading(trace)
    said: set[tuple[object, ...]] = set()
    for name, finder in FINDERS.items():
        if (trace.header.in_process and finder.of_the_sandbox) or (reading.is_cut and finder.needs_the_end):
            yield Part()
            continue
        try:
            yield Part(findings=_said_once(reading.found_by(name), said))
        except Spent:
            yield Part(is_finished=False)


def document_of(trace: Trace, parts: Iterable[Part]) -> Document:
    """Combines the trace and the received parts into a document. Finders without a part also count as unfinished."""
    came = list(parts)
    return Document(
        trace=trace,
        findings=[finding for part in came for finding in part.findings],
        unfinished=len(FINDERS) - sum(part.is_finished for part in came),
        end_arguments=end_arguments(trace.ended, trace.files, in_process=trace.header.in_process),
    )


def _said_once(findings: list[Finding], said: set[tuple[object, ...]]) -> list[Finding]:
    """Drops findings with the same text as an earlier finding, such as the same finding in later iterations of a loop."""
    new: list[Finding] = []
    for finding in findings:
        words = (finding.kind, finding.severity, *sorted(finding.arguments.items()))
        if words not in said:
            said.add(words)
            new.append(finding)
    return new
