"""Finds the limit at which a recording ended, the running loop and its iteration, and how many iterations fit into the limit."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.rounds import Rounds, counted, is_range, rounds_under_way
from app.explain.reading.end_arguments import size
from app.explain.reading.integers import integers
from app.explain.reading.reading import Reading
from app.explain.rewriting.added_imports import with_imports
from app.explain.rewriting.replacing import with_replaced
from app.trace.ends import Ended, OutOfMemory, OutputTooLarge, Stopped, TimedOut, TraceTooLarge
from app.trace.records import Limits, Step

_MARGINS = {Stopped: 80, TraceTooLarge: 80, OutputTooLarge: 80, TimedOut: 50, OutOfMemory: 50}
"""The percentage of the completed iterations that a fix keeps. The next run may be slower."""

_MOST_DONE = 2
"""A loop is shortened only if it took at least 1/`_MOST_DONE` of the recording."""


class _Shorter(NamedTuple):
    """A loop and the number of iterations that a fix gives it."""

    rounds: Rounds
    fits: int


@finder(is_last=True)
def find_limit_met(reading: Reading) -> list[Finding]:
    """A hint for the limit at which a recording ended."""
    limit, value = _limit(reading.trace.ended, reading.trace.header.limits)
    if not limit or not reading.begun:
        return []
    in_process = reading.trace.header.in_process
    under_way = rounds_under_way(reading)
    shorter = _shorter(reading, under_way)
    told = shorter[-1].rounds if shorter else next((each for each in under_way if each.number > 1), None)
    arguments: Arguments = {
        "limit": limit,
        "value": value,
        "setting": f"stepgrad.record(limits=stepgrad.Limits({limit}=...))"
        if in_process
        else f"STEPGRAD_LIMITS__{limit.upper()}",
        "where": "process" if in_process else "server",
        "loop_line": 0 if told is None else told.loop.lineno,
        "round": 0 if told is None else told.number,
        "total": 0 if told is None else told.total or 0,
        "done": 0 if told is None else told.number - 1,
        "fits": shorter[-1].fits if shorter else 0,
        "outer_line": shorter[0].rounds.loop.lineno if len(shorter) > 1 else 0,
    }
    fixes = [offer("fewer_rounds", _rewritten, reading, shorter)] if shorter else []
    steps = [None if told is None else told.first.id, reading.begun[-1].id]
    return [reading.finding("limit_met", steps, [], arguments, fixes=fixes)]


def _limit(ended: Ended, limits: Limits) -> tuple[str, str]:
    """The name of the limit at which a run ended, and its value; "" for other ends."""
    match ended:
        case Stopped(limit=limit, reached=reached):
            return limit, str(reached)
        case TimedOut(clock=clock, seconds=seconds):
            return f"{clock}_seconds", f"{seconds:g}"
        case TraceTooLarge(limit_bytes=limit):
            return "trace_bytes", size(limit)
        case OutputTooLarge(limit_bytes=limit):
            return "output_bytes", size(limit)
        case OutOfMemory(limit_bytes=limit):
            return "memory_bytes", size(limit)
    return "", ""


def _shorter(reading: Reading, under_way: Sequence[Rounds]) -> list[_Shorter]:
    """The outermost loop that had completed an iteration, preceded by the loops around it.

    The loops around it were in their first iteration, and keep only this one.
    """
    margin = _MARGINS.get(type(reading.trace.ended), 0)
    last = reading.begun[-1].began
    found: list[_Shorter] = []
    for each in under_way:
        done = each.number - 1
        if _MOST_DONE * (last - each.first.began) < last:
            return []
        if not done and each.total != 1 and isinstance(each.loop, ast.For):
            found.append(_Shorter(each, 1))
        elif done:
            fits = max(1, friendly(done * margin // 100))
            is_fewer = each.total is None or fits < each.total
            return [*found, _Shorter(each, fits)] if is_fewer else []
    return []


def friendly(number: int) -> int:
    """The largest of 1, 2, 5, 10, 20, 50 and so on that is not larger than `number`."""
    unit = 10 ** (len(str(number)) - 1)
    return next((digit * unit for digit in (5, 2, 1) if digit * unit <= number), 0)


def _rewritten(reading: Reading, shorter: Sequence[_Shorter]) -> str | None:
    """The snippet with the new number of iterations in each of these loops."""
    replaced: list[tuple[ast.expr | ast.stmt | ast.keyword, str]] = []
    for (loop, first, _, _), fits in shorter:
        iterable = counted(loop) if isinstance(loop, ast.For) else None
        text = None if iterable is None else _fewer(reading, iterable, first, fits)
        if iterable is None or text is None:
            return None
        replaced.append((iterable, text))
    source = with_replaced(reading.trace.source, replaced)
    is_missing = any(text.startswith("itertools.") for _, text in replaced) and "itertools" not in reading.syntax.bound_names
    return with_imports(source, ["import itertools"]) if source is not None and is_missing else source


def _fewer(reading: Reading, iterable: ast.expr, first: Step, fits: int) -> str | None:
    """The source of a loop's iterable for `fits` iterations; None if unknown."""
    if isinstance(iterable, ast.Call) and is_range(reading.syntax, iterable):
        numbers = integers(reading, iterable.args, first)
        match numbers:
            case [_]:
                return f"range({fits})"
            case [begin, _]:
                return f"range({begin}, {begin + fits})"
            case [begin, _, step]:
                return f"range({begin}, {begin + fits * step}, {step})"
        return None
    text = ast.get_source_segment(reading.syntax.text, iterable)
    return None if text is None else f"itertools.islice({text}, {fits})"
