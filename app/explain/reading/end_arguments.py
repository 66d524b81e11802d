"""The arguments of the message that states how a run ended."""

from collections.abc import Sequence
from typing import assert_never

from app.explain.finding import Arguments
from app.trace import ends
from app.trace.index import Line, line_in
from app.trace.records import File


def end_arguments(ended: ends.Ended, files: Sequence[File] = (), *, in_process: bool = False) -> Arguments:
    """The arguments of the message `end-<kind>`, for a trace with these files. The argument `line` is 0 if the line is unknown.

    `in_process`: under `record()`, a limit ends only the recording, and the program continues.
    """
    where = "process" if in_process else "sandbox"
    match ended:
        case ends.Finished() | ends.Cancelled() | ends.WorkerStopped() | ends.Interfered():
            return {}
        case ends.Raised():
            return {"type": ended.type, "message": ended.message, "line": _line(ended, files)}
        case ends.Exited():
            return {"code": str(ended.code)}
        case ends.Stopped():
            return {"where": where, "limit": ended.limit, "reached": ended.reached}
        case ends.TimedOut():
            seconds = int(ended.seconds) if ended.seconds == int(ended.seconds) else f"{ended.seconds:g}"
            return {"clock": ended.clock, "seconds": seconds}
        case ends.OutOfMemory():
            return {"size": size(ended.limit_bytes), "line": 0 if ended.raised is None else _line(ended.raised, files)}
        case ends.TraceTooLarge():
            return {"where": where, "size": size(ended.limit_bytes)}
        case ends.OutputTooLarge():
            return {"size": size(ended.limit_bytes)}
        case ends.Crashed():
            return {"name": ended.name}
        case _:
            assert_never(ended)


def _line(raised: ends.Raised, files: Sequence[File]) -> Line:
    if raised.line is None or raised.file is None or raised.file >= len(files):
        return raised.line or 0
    return line_in(files[raised.file].path, raised.line)


def size(count: int) -> str:
    """A number of bytes for display: 1 GiB, 64 KiB, 1.5 MiB."""
    amount, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{round(amount, 1):g} {unit}"
