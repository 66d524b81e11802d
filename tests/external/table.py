"""What is said of the programs: a line each, what is wrong with them below it, and one sentence at the end."""

from dataclasses import dataclass, field

from tests.external.comparing import difference
from tests.external.manifest import Program
from tests.external.ways import Run

AS_USUAL = ("finished", "went on after", "Stopped", "TimedOut", "OutOfMemory", "OutputTooLarge", "TraceTooLarge")
"""How the end of a run begins that finished or met a limit; `record()` then let the program go on."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One program: how its runs ended, what they cost, and everything that should not be."""

    name: str
    ends: list[str] = field(default_factory=list)
    """Of the sandbox and of `record()`."""
    seconds: list[float] = field(default_factory=list)
    """Processor time, plain, in the sandbox and under `record()`."""
    problems: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, program: Program, plain: Run, shut_in: Run, recorded: Run) -> "Row":
        problems = [] if plain.end == "finished" else [f"plain: {plain.end}"]
        for way, run in (("sandbox", shut_in), ("record", recorded)):
            if not run.end.startswith(AS_USUAL):
                problems.append(f"{way}: {run.end}")
            if differs := difference(plain.output, run.output, is_cut=run.is_cut, masks=program.masks):
                problems.append(f"{way}: {differs}")
            told = [finding for finding in run.findings if finding.split()[0] not in program.findings]
            problems += [f"{way}: {finding}" for finding in told]
        ends = [shut_in.end, recorded.end]
        return cls(name=program.name, ends=ends, seconds=[run.seconds for run in (plain, shut_in, recorded)], problems=problems)


def as_text(rows: list[Row]) -> str:
    """The table as a terminal shows it."""
    lines = []
    for row in rows:
        seconds = " ".join(f"{seconds:7.1f}" for seconds in row.seconds)
        ends = " | ".join(row.ends)
        lines.append(f"{'FAILED' if row.problems else 'ok':6} {row.name[-70:]:70} {seconds:23}  {ends}")
        lines += [f"         {problem}" for problem in row.problems]
    return "\n".join([*lines, _sentence(rows)])


def as_markdown(rows: list[Row]) -> str:
    """The table as a document holds it."""
    lines = ["| program | plain, s | sandbox, s | `record()`, s | end in the sandbox | end under `record()` | wrong |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        seconds = [f"{seconds:.1f}" for seconds in row.seconds] or ["", "", ""]
        cells = [row.name, *seconds, *(row.ends or ["", ""]), "; ".join(row.problems) or "–"]
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join([*lines, "", _sentence(rows), ""])


def _sentence(rows: list[Row]) -> str:
    failed = sum(bool(row.problems) for row in rows)
    return f"{len(rows) - failed} of {len(rows)} programs ran the same three ways without a warning or an error."
