"""The ways in which a run can end: a closed union. Every trace has exactly one end. Reaching a limit is an end, not an error."""

from typing import Annotated, Final, Literal

import msgspec

from app.trace.records import Count, FileId, Record, Text, Whole, Word


class TracebackEntry(Record, frozen=True, kw_only=True):
    """One line of the snippet in the traceback of an exception. `line` counts from 1."""

    line: Count
    function: Word
    file: FileId | None = None
    """None for the trace's own source."""


MOST_EARLIER: Final = 16


class Earlier(Record, frozen=True, kw_only=True):
    """An exception that Python prints before another one, because it caused the other exception, or because the other exception
    was raised while this one was handled."""

    type: Word
    message: Text
    traceback: list[TracebackEntry] = []
    is_cause: bool = False
    """Whether the next exception was raised by `raise ... from` this one. If not, the next exception was raised while this one
    was handled."""


class End(Record, frozen=True, kw_only=True, tag_field="kind"):
    """The base class of all ends. `kind` distinguishes them."""


class Finished(End, frozen=True, kw_only=True, tag="finished"):
    """The last statement ran."""


class Raised(End, frozen=True, kw_only=True, tag="raised"):
    """An exception left the snippet. `type` is the exception's qualified name, `line` the innermost line of the snippet in the
    traceback."""

    type: Word
    message: Text
    line: Count | None
    traceback: list[TracebackEntry] = []
    """Outermost first."""
    file: FileId | None = None
    """The File of `line`; None for the trace's own source."""
    earlier: Annotated[list[Earlier], msgspec.Meta(max_length=MOST_EARLIER)] = []
    """The exceptions that Python prints before this one (its chain of `__cause__` and `__context__`), oldest first."""


class Exited(End, frozen=True, kw_only=True, tag="exited"):
    """The snippet ended its own process: by SystemExit (`sys.exit`), or by a system call (`os._exit`)."""

    code: Whole
    by: Literal["SystemExit", "process"]


class Stopped(End, frozen=True, kw_only=True, tag="stopped"):
    """The recording reached its maximum number of statements or steps."""

    limit: Literal["statements", "steps"]
    reached: Count


class TimedOut(End, frozen=True, kw_only=True, tag="timed_out"):
    """The run reached its limit of elapsed time or of processor time."""

    clock: Literal["wall", "cpu"]
    seconds: float


class OutOfMemory(End, frozen=True, kw_only=True, tag="out_of_memory"):
    """The snippet requested more memory than `limit_bytes`. `raised` is the exception that left the snippet; None if the run
    ended without one."""

    limit_bytes: Count
    raised: Raised | None = None


class OutputTooLarge(End, frozen=True, kw_only=True, tag="output_too_large"):
    """The snippet printed more than `limit_bytes`."""

    limit_bytes: Count


class TraceTooLarge(End, frozen=True, kw_only=True, tag="trace_too_large"):
    """The trace was larger than `limit_bytes` before compression, or had more records than can be drawn."""

    limit_bytes: Count


class Cancelled(End, frozen=True, kw_only=True, tag="cancelled"):
    """The client stopped the run."""


class WorkerStopped(End, frozen=True, kw_only=True, tag="worker_stopped"):
    """The worker that ran the snippet was killed or became unreachable. The run is not repeated automatically."""


class Crashed(End, frozen=True, kw_only=True, tag="crashed"):
    """A signal killed the process. `name` is like "SIGSEGV"."""

    signal: Whole
    name: Word


class Interfered(End, frozen=True, kw_only=True, tag="interfered"):
    """The snippet broke the recorder or the protocol, or the recorder failed. Data that the run sent later is ignored. `reason`
    is one sentence."""

    reason: Text


Ended = (
    Finished
    | Raised
    | Exited
    | Stopped
    | TimedOut
    | OutOfMemory
    | OutputTooLarge
    | TraceTooLarge
    | Cancelled
    | WorkerStopped
    | Crashed
    | Interfered
)

_FAULTS: Final = ("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP")
"""Signals that a process causes itself, for example by an invalid access to memory. Other signals come from outside: the kernel
sends SIGKILL when memory is short."""

_SHARED_MEMORY: Final = ("torch.OutOfMemoryError", "torch.cuda.OutOfMemoryError")
"""Exceptions that report a lack of GPU memory. Whether they occur depends on other runs, which share this memory."""


def is_deterministic(ended: Ended) -> bool:
    """Whether another run with the same source, seed and limits would end in the same way, so that the recording can be reused."""
    match ended:
        case Finished() | Exited() | Stopped() | OutOfMemory() | OutputTooLarge() | TraceTooLarge():
            return True
        case Raised():
            return ended.type not in _SHARED_MEMORY
        case Crashed():
            return not is_killed(ended)
        case _:  # such an end depends on a clock, a visitor or a machine, or comes from a broken recorder
            return False


def is_killed(ended: Ended) -> bool:
    """Whether an outside event ended the run: a visitor, a worker that stopped, or a signal from outside."""
    return isinstance(ended, Cancelled | WorkerStopped) or (isinstance(ended, Crashed) and ended.name not in _FAULTS)
