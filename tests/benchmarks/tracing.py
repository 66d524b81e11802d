"""Measure the processor time of snippets: without a recorder, recorded, and with TorchLens.

Run with `python -m tests.benchmarks.tracing`.
"""

import statistics
import sys
from dataclasses import dataclass

from app.lessons import lessons
from tests.benchmarks.forks import Run, forked, plainly, preserved, recorded, snippet, under_torchlens, warm_up
from tests.benchmarks.table import Row, Size, at_least, at_most, show

ROUNDS = {Size.SMALLEST: 1, Size.FULL: 5}
TITLE = f"Tracing: what a snippet clocks of itself (processor time, least of {ROUNDS[Size.FULL]} alternating rounds)"


@dataclass(frozen=True, kw_only=True)
class Longer:
    """A snippet with a loop, which runs with `few` and with `many` iterations. `most` is the maximum ratio of the time for
    `many` to the time for `few`.
    """

    what: str
    name: str
    few: int
    many: int
    most: float


SNIPPETS = {
    Size.SMALLEST: [("tiny MLP, 100 SGD iterations", "mlp", 12.0, 10.0)],
    Size.FULL: [
        ("ResNet-18, batch 2, 64 x 64", "resnet18", 1.8, 6.0),
        ("tiny MLP, 100 SGD iterations", "mlp", 12.0, 10.0),
        ("GPT step, 12 blocks, d 64, T 32", "gpt", 9.0, 10.0),
    ],
}
"""Each entry has a title, a snippet, the maximum slowdown by recording, and the minimum ratio of TorchLens's time to the
recorder's.
"""
LESSONS = {Size.SMALLEST: 2, Size.FULL: None}
"""The number of lessons to record; None means all."""
LONGER = {
    Size.SMALLEST: [
        Longer(what="a chain and its backward", name="chain", few=10, many=20, most=2.6),
        Longer(what="objects kept in a list", name="objects", few=10, many=20, most=2.6),
    ],
    Size.FULL: [
        Longer(what="a chain and its backward", name="chain", few=100, many=1000, most=11),
        Longer(what="a chain and its backward", name="chain", few=800, many=8000, most=13),
        Longer(what="tensors kept in a list", name="kept", few=100, many=1000, most=11),
        Longer(what="a loop with a backward", name="loop", few=100, many=1000, most=11),
        Longer(what="a model of Modules", name="modules", few=20, many=200, most=11),
        Longer(what="views of one storage", name="views", few=100, many=1000, most=11),
        Longer(what="objects kept in a list", name="objects", few=600, many=6000, most=11),
        Longer(what="objects kept in a list", name="objects", few=2000, many=4000, most=2.6),
    ],
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """For each way to run a snippet, the minimum time over all rounds."""

    plain: Run
    recorded: Run
    torchlens: Run | None
    """None at the smallest size, because TorchLens is installed only for `make bench`."""


def measure(size: Size) -> list[Row]:
    warm_up()
    rows = []
    for what, name, most, faster in SNIPPETS[size]:
        measured = side_by_side(snippet(name), size)
        rows += ratios(what, measured, most=most, faster=faster)
    for longer in LONGER[size]:
        rows += growth(longer, size)
    # The following rows use the last snippet.
    return [
        *rows,
        explaining(what, measured, most=20),
        copying(what, snippet(name), size, most=1.5),
        trace_size(what, measured.recorded, most=1024),
        largest_lesson(size, most=8),
    ]


def side_by_side(source: str, size: Size) -> Measured:
    """Alternate between the ways to run the snippet, so that other programs on the machine affect all of them."""
    ways = (plainly, recorded, under_torchlens) if size is Size.FULL else (plainly, recorded)
    rounds = [tuple(forked(how, source) for how in ways) for _ in range(ROUNDS[size])]
    plain, ours, *theirs = (least(runs) for runs in zip(*rounds, strict=True))
    return Measured(plain=plain, recorded=ours, torchlens=theirs[0] if theirs else None)


def least(runs: tuple[Run, ...]) -> Run:
    """Return the minimum of each time. The size of the trace is the same in all runs."""
    return Run(
        forward=min(run.forward for run in runs),
        whole=min(run.whole for run in runs),
        nbytes=runs[0].nbytes,
        packed_nbytes=runs[0].packed_nbytes,
        explained=min(run.explained for run in runs),
    )


def ratios(name: str, measured: Measured, *, most: float, faster: float) -> list[Row]:
    """Compare the time of recording with the time without a recorder, and TorchLens with recording for the forward alone."""
    plain, ours, theirs = measured.plain, measured.recorded, measured.torchlens
    ratio = ours.whole / plain.whole
    rows = [at_most(name, f"{plain.whole * 1e3:.1f} -> {ours.whole * 1e3:.1f} ms = {ratio:.1f} x", ratio, most, "x")]
    if theirs is not None:
        forward = theirs.forward / ours.forward
        told = f"{theirs.forward * 1e3:.0f} / {ours.forward * 1e3:.1f} ms = {forward:.1f} x"
        rows.append(at_least("  its forward, TorchLens / recorded", told, forward, faster, "x"))
    return rows


def growth(longer: Longer, size: Size) -> list[Row]:
    """Compare `many` iterations of a loop with `few`: the median time, and the size of the trace."""
    source = snippet(longer.name)
    few, many = (
        [forked(recorded, source.replace("TURNS = 100", f"TURNS = {turns}")) for _ in range(ROUNDS[size])]
        for turns in (longer.few, longer.many)
    )
    before, after = (statistics.median(run.whole for run in runs) for runs in (few, many))
    time, nbytes = after / before, many[0].nbytes / few[0].nbytes
    what = f"{longer.what}, {longer.few} -> {longer.many} turns"
    told = f"{before:.2f} -> {after:.2f} s = {time:.1f} x"
    return [
        at_most(f"{what}: time, median", told, time, longer.most, "x"),
        at_most(f"{what}: bytes", f"{nbytes:.1f} x", nbytes, longer.most, "x"),
    ]


def explaining(name: str, measured: Measured, *, most: float) -> Row:
    """Compare the time for all findings with the additional time for recording."""
    explained, added = measured.recorded.explained, measured.recorded.whole - measured.plain.whole
    share = 100 * explained / added
    told = f"{explained * 1e3:.1f} of {added * 1e3:.1f} ms = {share:.0f} %"
    return at_most(f"findings of {name}, of its tracing", told, share, most, "%")


def copying(name: str, source: str, size: Size, *, most: float) -> Row:
    """Compare recording with and without copies of saved tensors."""
    rounds = [(forked(recorded, source).whole, forked(preserved, source).whole) for _ in range(ROUNDS[size])]
    first, second = (min(each) for each in zip(*rounds, strict=True))
    ratio = second / first
    told = f"{first * 1e3:.0f} -> {second * 1e3:.0f} ms = {ratio:.2f} x"
    return at_most(f"{name} again, for the right gradient", told, ratio, most, "x")


def trace_size(name: str, run: Run, *, most: float) -> Row:
    """Return the compressed size of a trace as a row."""
    packed = run.packed_nbytes / 1024
    return at_most(f"trace of {name}, gzipped", f"{packed:.1f} KiB of {run.nbytes / 1024:.0f}", packed, most, "KiB")


def largest_lesson(size: Size, *, most: float) -> Row:
    """Return the largest trace of the lessons that finish."""
    finished = [lesson for lesson in lessons() if lesson.snippet.ends == "finished"]
    chosen = finished[: LESSONS[size]]
    runs = {lesson.slug: forked(recorded, lesson.snippet.source) for lesson in chosen}
    slug = max(runs, key=lambda each: runs[each].packed_nbytes)
    return trace_size(f"the largest of {len(runs)} lessons, {slug}", runs[slug], most=most)


if __name__ == "__main__":
    sys.exit(0 if show(TITLE, measure(Size.FULL)) else 1)
