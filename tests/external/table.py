"""Print the results for public programs: a line for each, with its errors below, and a summary."""

from dataclasses import dataclass, field

from tests.external.comparing import difference
from tests.external.manifest import Program
from tests.external.ways import Run

AS_USUAL = ("finished", "went on after", "Stopped", "TimedOut", "OutOfMemory", "OutputTooLarge", "TraceTooLarge")
"""Prefixes of the ends of successful runs: finished, or stopped by a limit. With `record()`, a program continues after a
limit.
"""
LONGEST = 200
"""The maximum number of characters of an end or an error in the table."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """The results of one program."""

    name: str
    ends: list[str] = field(default_factory=list)
    """The ends in the sandbox and with `record()`."""
    seconds: list[float | None] = field(default_factory=list)
    """Processor time in seconds: without a recorder, in the sandbox, and with `record()`."""
    problems: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, program: Program, plain: Run, shut_in: Run | None, recorded: Run) -> "Row":
        right = (f"raised {program.raises}", f"Raised {program.raises}") if program.raises else AS_USUAL
        problems = []
        for way, run in (("plain", plain), ("sandbox", shut_in), ("record", recorded)):
            if run is None:
                continue
            if not run.end.startswith(right):
                problems.append(f"{way}: {run.end}")
            if differs := difference(plain.output, run.output, is_cut=run.is_cut, masks=program.masks):
                problems.append(f"{way}: {differs}")
            told = [finding for finding in run.findings if finding.split()[0] not in program.findings]
            problems += [f"{way}: {finding}" for finding in told]
        return cls(
            name=program.name,
            ends=["" if run is None else run.end for run in (shut_in, recorded)],
            seconds=[None if run is None else run.seconds for run in (plain, shut_in, recorded)],
            problems=problems,
        )


def as_text(rows: list[Row]) -> str:
    """Return the table for a terminal."""
    lines = []
    for row in rows:
        seconds = " ".join(f"{_number(seconds):>7}" for seconds in row.seconds)
        ends = " | ".join(map(_line, row.ends))
        lines.append(f"{'FAILED' if row.problems else 'ok':6} {row.name[-70:]:70} {seconds:23}  {ends}")
        lines += [f"         {_line(problem)}" for problem in row.problems]
    return "\n".join([*lines, _sentence(rows)])


def as_markdown(rows: list[Row]) -> str:
    lines = ["| program | plain, s | sandbox, s | `record()`, s | end in the sandbox | end under `record()` | wrong |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        seconds = [_number(seconds) for seconds in row.seconds] or ["", "", ""]
        ends = [_line(end) for end in row.ends] or ["", ""]
        cells = [row.name, *seconds, *ends, "; ".join(map(_line, row.problems)) or "–"]
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join([*lines, "", _sentence(rows), ""])


def _number(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


def _line(text: str) -> str:
    """Return the first line of a text, shortened to the width of the table."""
    first = next(iter(text.splitlines()), "")
    return first if len(first) <= LONGEST else f"{first[: LONGEST - 1]}…"


def _sentence(rows: list[Row]) -> str:
    failed = sum(bool(row.problems) for row in rows)
    return f"{len(rows) - failed} of {len(rows)} programs ran the same in all their ways without a warning or an error."
