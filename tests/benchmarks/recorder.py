"""`python -m tests.benchmarks.recorder`: the cost of each event that the recorder handles, by part of the recorder.

Fewer calls do not save time in proportion: a fifth fewer saved 5 % for a GPT step (7 % for the MLP, 2 % for ResNet-18). A
sampling profile of a GPT step shows 55 % in the interpreter, with hardly any function above 3 %; 24 % in torch, 5 % in NumPy, 3 %
in msgspec.

Upper bounds for savings: a recorded GPT step takes 11.7 times its plain time. With one part of the recorder disabled, the
factor is 10.5 (summaries of large Storages), 10.6 (names, variables and the check at the end of a statement), 10.4 (gradients
in backward), 11.4 (Nodes) or 11.5 (encoding). With all these parts disabled, the factor is 7. No part takes more than 5 % of
the MLP's time, or 6 % of ResNet-18's. Switching garbage collection off saves 1 %.
"""

import sys
from dataclasses import dataclass

from tests.benchmarks.forks import counted, forked, plainly, recorded, warm_up
from tests.benchmarks.table import Row, Size, at_most, show

TITLE = "The recorder's parts: processor time, and calls of its Python functions, of one event; of the last landing in brackets"
ROUNDS = {Size.SMALLEST: 1, Size.FULL: 7}
TURNS = {Size.SMALLEST: 20, Size.FULL: 1000}
COUNTED = 20
"""Iterations for counting calls. All iterations have equal counts, so a run of COUNTED is subtracted from one of twice as many.
"""
SLACK = 1.15
"""The maximum ratio of calls to those when the recorder was last optimised, so that gradual growth is noticed."""
SHOWN = 5
"""The number of recorder modules named in a row, those with most calls first."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """An event that occurs once per iteration of a snippet, and its cost when the recorder was last optimised."""

    what: str
    source: str
    microseconds: float
    calls: float


EVENTS = (
    Event(
        what="an operator, its Tensor and Storage",
        source="x = torch.ones(3)\n{clock}\ndeque((x + 1 for _ in range({turns})), 2)",
        microseconds=48,
        calls=44.0,
    ),
    Event(
        what="an operator with a Node",
        source="x = torch.ones(3, requires_grad=True)\n{clock}\ndeque((x * x for _ in range({turns})), 2)",
        microseconds=97,
        calls=108.0,
    ),
    Event(
        what="an operator that writes",
        source="x = torch.ones(3)\n{clock}\ndeque((x.mul_(1.5) for _ in range({turns})), 2)",
        microseconds=34,
        calls=48.0,
    ),
    Event(
        what="an operator in a call of a Module",
        source="layer = torch.nn.Identity()\nx = torch.ones(3)\nlayer.forward = lambda x: x.neg()\n"
        "{clock}\ndeque((layer(x) for _ in range({turns})), 2)",
        microseconds=48,
        calls=46.0,
    ),
    Event(
        what="a Node, made and run",
        source="x = torch.ones(3, requires_grad=True)\n{clock}\nreduce(lambda y, _: y * 1.0, range({turns}), x).sum().backward()",
        microseconds=207,
        calls=154.1,
    ),
    Event(
        what="a round of two statements",
        source="x, weight = torch.ones(3), torch.ones(3, requires_grad=True)\n"
        "{clock}\nfor turn in range({turns}):\n    half = turn / 2",
        microseconds=62,
        calls=127.0,
    ),
)
HEAD = "from collections import deque\nfrom functools import reduce\nfrom time import process_time\nimport torch\n"


def measure(size: Size) -> list[Row]:
    """Measure every event. The number of calls has a budget; the time is only reported."""
    warm_up()
    return [row for event in EVENTS for row in (clocked(event, size), called(event))]


def written(event: Event, turns: int) -> str:
    """Return the snippet with `turns` iterations."""
    return HEAD + event.source.format(turns=turns, clock="clock = [process_time()]") + "\nclock.append(process_time())\n"


def clocked(event: Event, size: Size) -> Row:
    """Return the time that recording adds to one iteration."""
    source = written(event, TURNS[size])
    rounds = [(forked(plainly, source).whole, forked(recorded, source).whole) for _ in range(ROUNDS[size])]
    plain, ours = (min(each) for each in zip(*rounds, strict=True))
    took = (ours - plain) / TURNS[size] * 1e6
    return Row(what=event.what, measured=f"{took:.0f} µs ({event.microseconds:g})")


def called(event: Event) -> Row:
    """Return the calls of the recorder's Python functions per iteration, by module."""
    calls = calls_of(event)
    total = sum(calls.values())
    largest = sorted(calls, key=lambda part: -calls[part])[:SHOWN]
    told = f"{total:.1f} ({event.calls:g}): " + ", ".join(f"{part} {calls[part]:.1f}" for part in largest)
    return at_most("  its calls", told, total, round(SLACK * event.calls, 1), "calls")


def calls_of(event: Event) -> dict[str, float]:
    """Return, for each module of the recorder, the calls of its Python functions in one iteration."""
    fewer, more = (forked(counted, written(event, turns)).calls for turns in (COUNTED, 2 * COUNTED))
    assert fewer is not None and more is not None
    return {part: (count - fewer.get(part, 0)) / COUNTED for part, count in more.items()}


if __name__ == "__main__":
    sys.exit(0 if show(TITLE, measure(Size.FULL)) else 1)
