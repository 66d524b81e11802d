"""Determines how a run ended. What the kernel and the server observed takes precedence over the end that the run reported.

- An unexplained SIGKILL is reported as such, because the kernel's out-of-memory killer and an operator cannot be
  distinguished.
- A MemoryError means the memory limit, unless the snippet raised it, or compiling the snippet raised it while memory was
  left. A MemoryError from `eval` at run time counts as the memory limit, because the causes cannot be distinguished.
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
"""Signals by which the server, the limit of processor time, the kernel or an operator kills a run."""

ABORTS: Final = (signal.SIGSEGV, signal.SIGILL, signal.SIGTRAP)
"""Signals by which libc's `abort` ends PID 1 of a namespace. SIGABRT does not reach PID 1, so `abort` executes a forbidden
instruction."""


def ending(
    kernel: Exit, stopped: ends.Ended | None, reported: str, limits: Limits, *, has_aborted: bool, is_cut: bool
) -> ends.Ended | None:
    """How a run ended; None: as it reported.

    `kernel` is its exit according to the kernel; `stopped` is why the server stopped the run, or None; `reported` is the kind of
    the end that the run reported, or empty; `has_aborted`: it reported a call of `abort`; `is_cut`: it ended inside a frame.
    """
    number = max(-kernel.status, 0)
    if number == signal.SIGSYS:
        return _crashed(number)  # an alarm: it takes precedence over everything that the run or the server did before
    if isinstance(stopped, ends.Interfered):
        return stopped
    if reported == "interfered":
        return None
    if number and number not in KILLS:
        return _crashed(signal.SIGABRT if has_aborted and number in ABORTS else number)
    if stopped is not None and not (reported and not number and isinstance(stopped, ends.TimedOut | ends.Cancelled)):
        return stopped  # but a timeout or Stop between the reported end and the exit does not replace the reported end
    if number:
        # The limit counts whole ticks, the reported time does not: 0.89 s at a limit of 1 s, measured with 24 runs on 2 cores.
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
    """Whether a sandbox may determine this end with these limits. Ends from other machines are checked by this."""
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
    known = number in signal.Signals.__members__.values()  # Python names only the first and the last real-time signal
    return ends.Crashed(
        signal=int(number), name=signal.Signals(number).name if known else f"SIGRTMIN+{number - signal.SIGRTMIN}"
    )
