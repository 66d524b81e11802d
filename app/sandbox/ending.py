"""Determines how a run ended. Observations of the kernel and the server take precedence over the end that the run reported.

- An unexplained SIGKILL is reported as SIGKILL, because the server cannot distinguish the kernel's out-of-memory killer from
  an operator.
- A MemoryError means the memory limit, unless the snippet raised it, or compiling the snippet raised it while memory was
  left. A MemoryError from `eval` at run time counts as the memory limit, because the server cannot distinguish the causes.
- `abort` is reported as SIGABRT although PID 1 then dies by SIGSEGV (`inside/abort.py`). If the run blocked SIGABRT before,
  glibc 2.41 hides the signal, and the reported signal is SIGSEGV.
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
    """How a run ended; None means that the reported end is valid.

    `kernel` has the exit status that the kernel reported. `stopped` is the reason why the server stopped the run, or None.
    `reported` is the kind of the end that the run reported, or empty. `has_aborted` means that the run reported a call of
    `abort`, and `is_cut` that the run ended inside a frame.
    """
    number = max(-kernel.status, 0)
    if number == signal.SIGSYS:
        return _crashed(number)  # an alarm, which takes precedence over all earlier events
    if isinstance(stopped, ends.Interfered):
        return stopped
    if reported == "interfered":
        return None
    if number and number not in KILLS:
        return _crashed(signal.SIGABRT if has_aborted and number in ABORTS else number)
    if stopped is not None and not (reported and not number and isinstance(stopped, ends.TimedOut | ends.Cancelled)):
        return stopped  # a later timeout or Stop does not replace a reported end
    if number:
        # The limit counts whole ticks, but the reported time is exact: 0.89 s at a limit of 1 s, measured with 24 runs on 2
        # cores.
        if kernel.cpu_seconds >= 0.75 * limits.cpu_seconds:
            return ends.TimedOut(clock="cpu", seconds=limits.cpu_seconds)
        return _crashed(number)  # no limit of the run explains the signal, and the sender is unknown
    if kernel.status == protocol.TRACER_EXIT:
        reason = "The recorder failed inside this run, so the snippet probably broke it."
        return None if reported else ends.Interfered(reason=reason)
    if is_cut:
        return ends.Interfered(reason="The snippet ended in the middle of a frame of the recording.")
    return None if reported and kernel.status == 0 else ends.Exited(code=kernel.status, by="process")


def is_possible(ended: ends.Ended, limits: Limits) -> bool:
    """Whether a sandbox may determine this end with these limits. A web checks the ends that workers report by this function."""
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
