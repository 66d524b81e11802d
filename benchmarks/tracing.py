"""`python -m benchmarks.tracing`: the budgets of tracing, in processor time: the same snippet plain, recorded, under TorchLens."""

import sys
from dataclasses import dataclass

from app.lessons import lessons
from benchmarks.forks import Run, forked, plainly, preserved, recorded, snippet, under_torchlens, warm_up
from benchmarks.table import Row, at_least, at_most, show

ROUNDS = 5
TITLE = f"Tracing: what a snippet clocks of itself (processor time, least of {ROUNDS} alternating rounds)"
FEW, MANY = 100, 1000
"""Turns of a loop; ten times as many may cost eleven times as much."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The least that a snippet took in any round, each way."""

    plain: Run
    recorded: Run
    torchlens: Run


def measure() -> list[Row]:
    """Every budget of tracing."""
    warm_up()
    gpt = side_by_side(snippet("gpt"))
    return [
        *ratios("ResNet-18, batch 2, 64 x 64", side_by_side(snippet("resnet18")), most=2),
        *ratios("GPT step, 12 blocks, d 64, T 32", gpt, most=6),
        *ratios("tiny MLP, 100 SGD iterations", side_by_side(snippet("mlp")), most=15),
        *growth("a chain and its backward", snippet("chain")),
        *growth("tensors kept in a list", snippet("kept")),
        explaining("GPT step", gpt, most=20),
        copying("GPT step", snippet("gpt"), most=1.5),
        size("GPT step", gpt.recorded, most=1024),
        *(
            size(lesson.slug, forked(recorded, lesson.snippet.source), most=8)
            for lesson in lessons()
            if ".data" in lesson.snippet.source
        ),
    ]


def side_by_side(source: str) -> Measured:
    """All three ways in turn, so that whatever else the machine does meets all of them."""
    rounds = [tuple(forked(how, source) for how in (plainly, recorded, under_torchlens)) for _ in range(ROUNDS)]
    plain, ours, theirs = (least(runs) for runs in zip(*rounds, strict=True))
    return Measured(plain=plain, recorded=ours, torchlens=theirs)


def least(runs: tuple[Run, ...]) -> Run:
    """The least of each clock; a trace's size is the same in all."""
    return Run(
        forward=min(run.forward for run in runs),
        whole=min(run.whole for run in runs),
        nbytes=runs[0].nbytes,
        packed_nbytes=runs[0].packed_nbytes,
        explained=min(run.explained for run in runs),
    )


def ratios(name: str, measured: Measured, *, most: float) -> list[Row]:
    """Recorded against plain as a whole; of the forward, TorchLens against recorded."""
    plain, ours, theirs = measured.plain, measured.recorded, measured.torchlens
    ratio, faster = ours.whole / plain.whole, theirs.forward / ours.forward
    return [
        at_most(name, f"{plain.whole * 1e3:.1f} -> {ours.whole * 1e3:.1f} ms = {ratio:.1f} x", ratio, most, "x"),
        at_least(
            "  its forward, TorchLens / recorded",
            f"{theirs.forward * 1e3:.0f} / {ours.forward * 1e3:.1f} ms = {faster:.1f} x",
            faster,
            10,
            "x",
        ),
    ]


def growth(name: str, source: str) -> list[Row]:
    """Time and bytes of ten times as many operators."""
    few, many = (
        least(tuple(forked(recorded, source.replace("TURNS = 100", f"TURNS = {turns}")) for _ in range(ROUNDS)))
        for turns in (FEW, MANY)
    )
    time, nbytes = many.whole / few.whole, many.nbytes / few.nbytes
    return [
        at_most(f"{name}, 10 x as long: time", f"{time:.1f} x", time, 11, "x"),
        at_most(f"{name}, 10 x as long: bytes", f"{nbytes:.1f} x", nbytes, 11, "x"),
    ]


def explaining(name: str, measured: Measured, *, most: float) -> Row:
    """All findings, against what recording adds to the snippet."""
    explained, added = measured.recorded.explained, measured.recorded.whole - measured.plain.whole
    share = 100 * explained / added
    told = f"{explained * 1e3:.1f} of {added * 1e3:.1f} ms = {share:.0f} %"
    return at_most(f"findings of {name}, of its tracing", told, share, most, "%")


def copying(name: str, source: str, *, most: float) -> Row:
    """The run with copies of what is saved, against the first run."""
    rounds = [(forked(recorded, source).whole, forked(preserved, source).whole) for _ in range(ROUNDS)]
    first, second = (min(each) for each in zip(*rounds, strict=True))
    ratio = second / first
    told = f"{first * 1e3:.0f} -> {second * 1e3:.0f} ms = {ratio:.2f} x"
    return at_most(f"{name} again, for the right gradient", told, ratio, most, "x")


def size(name: str, run: Run, *, most: float) -> Row:
    """A stored trace, gzipped."""
    packed = run.packed_nbytes / 1024
    return at_most(f"trace of {name}, gzipped", f"{packed:.1f} KiB of {run.nbytes / 1024:.0f}", packed, most, "KiB")


if __name__ == "__main__":
    sys.exit(0 if show(TITLE, measure()) else 1)
