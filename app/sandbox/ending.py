"""How a run ended: what the kernel and the server saw comes first, and the run's own word where nothing contradicts it.

- An unexplained SIGKILL is reported as such: the kernel's out-of-memory killer and an operator look the same.
- A MemoryError means the memory limit, unless the snippet raised it, or compiling the snippet raised it while memory was
  left. From `eval` at run time it is reported as memory, because the two cannot be distinguished.
- `abort` is reported as SIGABRT although PID 1 then dies by SIGSEGV (`inside/abort.py`). If the run blocked the signal
  before, glibc 2.41 hides it, and SIGSEGV is reported.
"""

import signal
from typing import Final

from app.sandbox.inside import protocol
from app.sandbox.supervisor import Exit
from app.trace import ends
from app.trace.records import Limits

KILLS: Final = (signal.SIGKILL, signal.SIGXCPU)
"""What a run is killed with by the server, by its limit of processor time, and by the kernel or an operator."""

ABORTS: Final = (signal.SIGSEGV, signal.SIGILL, signal.SIGTRAP)
"""The signal with which libc's `abort` ends PID 1 of a namespace, which its own SIGABRT does not reach: a forbidden
instruction."""


def ending(
    kernel: Exit, stopped: ends.Ended | None, reported: str, limits: Limits, *, has_aborted: bool, is_cut: bool
) -> ends.Ended | None:
    """How a run ended, according to the `kernel` first; None: as it reported.

    `stopped` is why the server stopped it, if it did; `reported` is the kind of the end that the run reported, or empty;
    `has_aborted`: it reported a call of `abort`; `is_cut`: it ended in the middle of a frame.
    """
    number = max(-kernel.status, 0)
    if number == signal.SIGSYS:
        return _crashed(number)  # the alarm, which no earlier action of the run or the server can hide
    if isinstance(stopped, ends.Interfered):
        return stopped
    if reported == "interfered":
        return None
    if number and number not in KILLS:
        return _crashed(signal.SIGABRT if has_aborted and number in ABORTS else number)
    if stopped is not None and not (reported and not number and isinstance(stopped, ends.TimedOut | ends.Cancelled)):
        return stopped  # a clock may run out between a run's last word and its exit; any other reason is one to doubt that word
    if number:
        # The kernel's limit counts whole ticks and its account does not: 0.89 s of 1 s, measured with 24 runs on 2 cores.
        if kernel.cpu_seconds >= 0.75 * limits.cpu_seconds:
            return ends.TimedOut(clock="cpu", seconds=limits.cpu_seconds)
        return _crashed(number)  # not a limit of the run, and the sender is unknown
    if kernel.status == protocol.TRACER_EXIT:
        reason = "The recorder failed inside this run, so the snippet probably broke it."
        return None if reported else ends.Interfered(reason=reason)
    if is_cut:
        return ends.Interfered(reason="The snippet ended in the middle of a frame of the recording.")
    return None if reported and kernel.status == 0 else ends.Exited(code=kernel.status, by="process")


def is_possible(ended: ends.Ended, limits: Limits) -> bool:
    """Whether a sandbox may decide this end of a run with these limits. Ends from other machines are checked with it."""
    match ended:
        case ends.TimedOut():
            return ended.seconds == (limits.wall_seconds if ended.clock == "wall" else limits.cpu_seconds)
        case ends.Crashed():
            return 0 < ended.signal <= signal.SIGRTMAX and ended == _crashed(ended.signal)
        case ends.Exited():
            return ended.by == "process"
        case ends.OutputTooLarge():
            return ended.limit_bytes == limits.output_bytes
        case ends.TraceTooLarge():
            return ended.limit_bytes == limits.trace_bytes
        case _:
            return isinstance(ended, ends.Cancelled | ends.Interfered)


def _crashed(number: int) -> ends.Crashed:
    known = number in signal.Signals.__members__.values()  # of the real-time ones Python names the first and the last
    return ends.Crashed(
        signal=int(number), name=signal.Signals(number).name if known else f"SIGRTMIN+{number - signal.SIGRTMIN}"
    )
