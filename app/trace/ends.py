"""How a run can end: a closed union. Every trace has exactly one end; reaching a limit is an end like any other."""

from typing import Annotated, Final, Literal

import msgspec

from app.trace.records import Count, FileId, Record, Text, Whole, Word


class TracebackEntry(Record, frozen=True, kw_only=True):
    """One line of the snippet on the way to the exception, outermost first. `line` counts from 1."""

    line: Count
    function: Word
    file: FileId | None = None
    """None for the trace's own source."""


MOST_EARLIER: Final = 16


class Earlier(Record, frozen=True, kw_only=True):
    """An exception that Python prints before the one that it caused, or during whose handling the other was raised."""

    type: Word
    message: Text
    traceback: list[TracebackEntry] = []
    is_cause: bool = False
    """`raise ... from` it: the direct cause. Otherwise the next exception occurred while this one was handled."""


class End(Record, frozen=True, kw_only=True, tag_field="kind"):
    """Base of the ends; `kind` distinguishes them."""


class Finished(End, frozen=True, kw_only=True, tag="finished"):
    """The last statement ran."""


class Raised(End, frozen=True, kw_only=True, tag="raised"):
    """An exception left the snippet. `type` is its qualified name, `message` its text, `line` the innermost of the snippet."""

    type: Word
    message: Text
    line: Count | None
    traceback: list[TracebackEntry] = []
    file: FileId | None = None
    """The File that `line` counts in; None for the trace's own source."""
    earlier: Annotated[list[Earlier], msgspec.Meta(max_length=MOST_EARLIER)] = []
    """The chain of `__cause__` and `__context__`, in the order in which Python prints it: the oldest first."""


class Exited(End, frozen=True, kw_only=True, tag="exited"):
    """The snippet ended its own process: `sys.exit` (or SystemExit), or the system call behind `os._exit`."""

    code: Whole
    by: Literal["SystemExit", "process"]


class Stopped(End, frozen=True, kw_only=True, tag="stopped"):
    """A limit of the recording was reached."""

    limit: Literal["statements", "steps"]
    reached: Count


class TimedOut(End, frozen=True, kw_only=True, tag="timed_out"):
    """The wall clock or the CPU clock ran out."""

    clock: Literal["wall", "cpu"]
    seconds: float


class OutOfMemory(End, frozen=True, kw_only=True, tag="out_of_memory"):
    """An allocation beyond `limit_bytes` was asked for. `raised` is the exception if the snippet still could raise one."""

    limit_bytes: Count
    raised: Raised | None = None


class OutputTooLarge(End, frozen=True, kw_only=True, tag="output_too_large"):
    """More was printed than `limit_bytes`."""

    limit_bytes: Count


class TraceTooLarge(End, frozen=True, kw_only=True, tag="trace_too_large"):
    """The recording itself grew beyond `limit_bytes` (before compression), or has more records than can be drawn."""

    limit_bytes: Count


class Cancelled(End, frozen=True, kw_only=True, tag="cancelled"):
    """The client stopped the run."""


class WorkerStopped(End, frozen=True, kw_only=True, tag="worker_stopped"):
    """The worker of a fleet that ran it was killed, or could not be reached any more. It is not run again by itself."""


class Crashed(End, frozen=True, kw_only=True, tag="crashed"):
    """A signal killed the process. `name` is like "SIGSEGV"."""

    signal: Whole
    name: Word


class Interfered(End, frozen=True, kw_only=True, tag="interfered"):
    """The snippet broke the recorder or the protocol; later data is ignored. `reason`: one sentence."""

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
"""Signals that a process causes itself. Others come from outside: the kernel sends SIGKILL when memory is short."""

_SHARED_MEMORY: Final = ("torch.OutOfMemoryError", "torch.cuda.OutOfMemoryError")
"""What a GPU raises when it lacks memory, which other runs use, too."""


def is_deterministic(ended: Ended) -> bool:
    """Whether the program and its limits alone decided this end: then the recording may stand for another run of the text."""
    match ended:
        case Finished() | Exited() | Stopped() | OutOfMemory() | OutputTooLarge() | TraceTooLarge():
            return True
        case Raised():
            return ended.type not in _SHARED_MEMORY
        case Crashed():
            return not is_killed(ended)
        case _:  # a clock, a visitor, a machine, or a recorder that is not believed
            return False


def is_killed(ended: Ended) -> bool:
    """Whether neither the program nor a limit or clock of the run ended it, but something outside."""
    return isinstance(ended, Cancelled | WorkerStopped) or (isinstance(ended, Crashed) and ended.name not in _FAULTS)
