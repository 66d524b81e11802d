"""Print the results of the GPU tests: a table, the failures, a summary; and compute the exit status."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

SHORT = 120
"""The maximum number of characters of a reason in the table. The full text is printed below."""


class Outcome(StrEnum):
    """The result of a module."""

    PASSED = "passed"
    EXPERIMENT = "experiment"
    """All cases passed, but with an unsupported version of torch, so the result does not count."""
    FAILED = "FAILED"
    COULD_NOT_RUN = "could not run"


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What the process of a module has written."""

    names: tuple[str, ...] = ()
    """The names of all cases."""
    failures: dict[str, str | None] = field(default_factory=dict)
    """Why each case failed that was run; None if it passed."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Why some cases do not apply to this device."""
    missing: str | None = None
    """Why no case could run."""
    broken: str | None = None
    """How the process ended if it did not finish."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The result of a module, with the reasons."""

    part: str
    outcome: Outcome
    held: int = 0
    tried: int = 0
    left_out: int = 0
    seconds: float = 0.0
    why: str = ""
    details: tuple[str, ...] = ()


def judged(part: str, answers: Answers, seconds: float, unsupported: str | None) -> Report:
    """Evaluate what the process of a module has written.

    `unsupported` says why this version of torch is not supported; None if it is.
    """
    wrong = {name: why for name, why in answers.failures.items() if why is not None}
    wanted = [name for name in answers.names if name not in answers.left_out]
    unreached = [name for name in wanted if name not in answers.failures]
    reasons = [unsupported] if unsupported else []
    if answers.missing is not None:
        outcome = Outcome.COULD_NOT_RUN
        reasons.append(answers.missing)
    elif answers.names and not wanted:
        outcome = Outcome.COULD_NOT_RUN
    elif wrong or answers.broken or unreached or not wanted:
        outcome = Outcome.FAILED
        if answers.broken:
            reasons.append(answers.broken)
        if unreached:
            reasons.append(f"{len(unreached)} not reached, from {unreached[0]!r} on")
        reasons += [f"{name}: {textwrap.shorten(why.splitlines()[0], SHORT)}" for name, why in list(wrong.items())[:1]]
        reasons += [] if answers.names else ["it said nothing"]
    else:
        outcome = Outcome.EXPERIMENT if unsupported else Outcome.PASSED
    reasons += [f"left out: {len(answers.left_out)}, which need CUDA"] if answers.left_out else []
    return Report(
        part=part,
        outcome=outcome,
        held=len(answers.failures) - len(wrong),
        tried=len(wanted),
        left_out=len(answers.left_out),
        seconds=seconds,
        why="; ".join(reasons),
        details=tuple(f"{name}: {why}" for name, why in wrong.items()),
    )


def refused(part: str, why: str) -> Report:
    """Return the result for a module that was not started."""
    return Report(part=part, outcome=Outcome.COULD_NOT_RUN, why=why)


def table(reports: Sequence[Report]) -> str:
    """Return a table with one row per module."""
    rows = [("part", "outcome", "count", "seconds", "why")]
    for report in reports:
        count = f"{report.held}/{report.tried}" if report.tried else "-"
        rows.append((report.part, report.outcome.value, count, f"{report.seconds:.1f}", report.why))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row in rows:
        part, outcome, count, seconds, why = row
        cells = (part.ljust(widths[0]), outcome.ljust(widths[1]), count.rjust(widths[2]), seconds.rjust(widths[3]), why)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def told(reports: Sequence[Report]) -> str:
    """Return all failures without shortening them; empty if there are none."""
    return "\n".join(f"\n== {report.part}\n" + "\n".join(report.details) for report in reports if report.details)


def conclusion(reports: Sequence[Report], device: str, no_device: str | None) -> str:
    """Return the last sentence of the report."""
    if no_device is not None:
        return f"Nothing was tried, because no CUDA device answers: {no_device}"
    counts = [f"{sum(report.outcome == outcome for report in reports)} {outcome.value}" for outcome in Outcome]
    summary = f"Of {len(reports)} parts: {', '.join(count for count in counts if not count.startswith('0 '))}."
    if device == "cpu":
        return f"On the CPU, where nothing of a GPU is tried. {summary}"
    return summary


def status(reports: Sequence[Report]) -> int:
    """Return 0 if every module passed, otherwise 1. Modules that could not run count as failed."""
    return 0 if reports and all(report.outcome is Outcome.PASSED for report in reports) else 1
