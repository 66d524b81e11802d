"""Constructs findings, from events or from exceptions."""

from collections.abc import Sequence

from app.explain.finding import Arguments, Finding, Severity
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import Fixes, fixes_of
from app.trace.records import Step, StepId, StorageId, TensorId, Tick


def make_finding(
    reading: Reading,
    kind: str,
    steps: list[StepId | None],
    tensors: list[TensorId],
    arguments: Arguments,
    *,
    fixes: Fixes,
    severity: Severity = "hint",
) -> Finding:
    """A finding that is true from the end of the last of these steps on, and is about its line."""
    shown = reading.shown_from(*steps)
    last = reading.trace.steps[shown[-1]]
    place = reading.place_of(last.id)
    return Finding(
        kind=kind,
        severity=severity,
        tick=Tick(last.began if last.ended is None else last.ended),
        step=last.id,
        steps=shown,
        line=None if place is None else place.line,
        file=None if place is None else place.file,
        tensors=list(dict.fromkeys(tensors)),
        arguments=arguments,
        fixes=fixes_of(reading, fixes),
    )


def finding_from_exception(
    reading: Reading,
    kind: str,
    step: Step,
    tensors: list[TensorId],
    arguments: Arguments,
    *,
    fixes: Fixes,
    makers: Sequence[StepId | None] = (),
    storages: Sequence[StorageId] = (),
) -> Finding:
    """A finding about what raised in `step`: an error, or a hint when the program caught the exception itself."""
    shown = reading.shown_from(*makers, step.id)
    line, place = reading.line_of(step.id), reading.place_of(step.id)
    caught = reading.is_caught(step)
    return Finding(
        kind=kind,
        severity="hint" if caught else "error",
        tick=step.began,
        step=shown[-1],
        steps=shown,
        line=None if place is None else place.line,
        file=None if place is None else place.file,
        tensors=list(dict.fromkeys(tensors)),
        storages=list(storages),
        arguments={"line": line or 0, "caught": "yes" if caught else "no", **arguments},
        fixes=fixes_of(reading, fixes),
    )
