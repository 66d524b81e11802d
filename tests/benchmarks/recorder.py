"""Measure the cost of each kind of event for the recorder, by the recorder's modules.

Run with `python -m tests.benchmarks.recorder`.

Fewer calls do not save a proportional amount of time: 20 % fewer calls saved 5 % for a GPT step, 7 % for the MLP and 2 % for
ResNet-18. A sampling profile of a GPT step shows 55 % in the interpreter, where hardly any function has more than 3 %, 24 %
in torch, 5 % in NumPy and 3 % in msgspec.

A recorded GPT step takes 11.7 times its time without the recorder. Disabling one feature shows what could be saved at most.
The factor is 10.5 without summaries of large storages; 10.6 without names, variables and the check at the end of a statement;
10.4 without gradients in backward; 11.4 without Nodes; 11.5 without encoding; and 7 without all of these. No feature takes
more than 5 % of the MLP's time or 6 % of ResNet-18's. Disabling garbage collection saves 1 %.
"""

import sys
from dataclasses import dataclass

from tests.benchmarks.forks import counted, forked, plainly, recorded, warm_up
from tests.benchmarks.table import Row, Size, at_most, show

TITLE = "The recorder's parts: processor time, and calls of its Python functions, of one event; of the last landing in brackets"
ROUNDS = {Size.SMALLEST: 1, Size.FULL: 7}
TURNS = {Size.SMALLEST: 20, Size.FULL: 1000}
COUNTED = 20
"""The number of iterations for counting calls. The calls of COUNTED iterations are subtracted from those of twice as many."""
SLACK = 1.15
"""The maximum ratio of calls to the calls when the recorder was last optimised. It reveals gradual growth."""
SHOWN = 5
"""How many modules of the recorder a row of the table names."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """An event in each iteration of a snippet, with its cost when the recorder was last optimised."""

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
    """Measure every kind of event. Only the number of calls has a budget, not the time."""
    warm_up()
    return [row for event in EVENTS for row in (clocked(event, size), called(event))]


def written(event: Event, turns: int) -> str:
    return HEAD + event.source.format(turns=turns, clock="clock = [process_time()]") + "\nclock.append(process_time())\n"


def clocked(event: Event, size: Size) -> Row:
    """Return the additional time for recording one iteration."""
    source = written(event, TURNS[size])
    rounds = [(forked(plainly, source).whole, forked(recorded, source).whole) for _ in range(ROUNDS[size])]
    plain, ours = (min(each) for each in zip(*rounds, strict=True))
    took = (ours - plain) / TURNS[size] * 1e6
    return Row(what=event.what, measured=f"{took:.0f} µs ({event.microseconds:g})")


def called(event: Event) -> Row:
    """Return the calls of the recorder's functions per iteration, by module."""
    calls = calls_of(event)
    total = sum(calls.values())
    largest = sorted(calls, key=lambda part: -calls[part])[:SHOWN]
    told = f"{total:.1f} ({event.calls:g}): " + ", ".join(f"{part} {calls[part]:.1f}" for part in largest)
    return at_most("  its calls", told, total, round(SLACK * event.calls, 1), "calls")


def calls_of(event: Event) -> dict[str, float]:
    """Return the calls of the recorder's functions in one iteration, by module."""
    fewer, more = (forked(counted, written(event, turns)).calls for turns in (COUNTED, 2 * COUNTED))
    assert fewer is not None and more is not None
    return {part: (count - fewer.get(part, 0)) / COUNTED for part, count in more.items()}


if __name__ == "__main__":
    sys.exit(0 if show(TITLE, measure(Size.FULL)) else 1)
