"""Classify how a run ended: whether the same program with the same limits would always end like this.

Only a recording with such an end is reused for later runs.
"""

from typing import get_args

import pytest

from app.trace.ends import (
    Cancelled,
    Crashed,
    Ended,
    Exited,
    Finished,
    Interfered,
    OutOfMemory,
    OutputTooLarge,
    Raised,
    Stopped,
    TimedOut,
    TraceTooLarge,
    WorkerStopped,
    is_deterministic,
    is_killed,
)

DETERMINISTIC: list[Ended] = [
    Finished(),
    Raised(type="ValueError", message="", line=1),
    Exited(code=3, by="process"),
    Stopped(limit="steps", reached=1),
    OutOfMemory(limit_bytes=1),
    OutputTooLarge(limit_bytes=1),
    TraceTooLarge(limit_bytes=1),
    Crashed(signal=11, name="SIGSEGV"),
    Crashed(signal=6, name="SIGABRT"),
]
BY_ACCIDENT: list[Ended] = [
    TimedOut(clock="wall", seconds=1),
    TimedOut(clock="cpu", seconds=1),
    Interfered(reason="The snippet ended in the middle of a frame of the recording."),
    Raised(type="torch.OutOfMemoryError", message="CUDA out of memory.", line=1),
]
KILLED: list[Ended] = [
    Cancelled(),
    WorkerStopped(),
    Crashed(signal=9, name="SIGKILL"),
    Crashed(signal=15, name="SIGTERM"),
]


@pytest.mark.parametrize("ended", [*DETERMINISTIC, *BY_ACCIDENT, *KILLED], ids=str)
def test_every_end_is_judged(ended: Ended) -> None:
    assert is_deterministic(ended) == (ended in DETERMINISTIC)
    assert is_killed(ended) == (ended in KILLED)


def test_no_end_is_left_out() -> None:
    assert {type(each) for each in [*DETERMINISTIC, *BY_ACCIDENT, *KILLED]} == set(get_args(Ended))
