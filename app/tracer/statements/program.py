"""Prepares `__main__` for a snippet, and describes how a run ended."""

import ctypes
import dis
import linecache
import os
import sys
import traceback
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from app.trace.clipping import clip
from app.trace.codec import LARGEST
from app.trace.ends import MOST_EARLIER, Earlier, Ended, Exited, Finished, OutOfMemory, Raised, TracebackEntry
from app.trace.records import MOST_TEXT
from app.tracer import adapter
from app.tracer.statements.source import Source

FILENAME = "snippet.py"
"""The file name of the snippet in tracebacks, `__file__` and `inspect.getsource`."""
RECORDER = os.path.dirname(os.path.dirname(__file__))
"""The folder of the recorder's code. Frames of this code are removed from tracebacks of the snippet."""
_ALLOCATOR = "DefaultCPUAllocator"
"""TORCH 2.13: part of the message of the RuntimeError for a refused allocation (c10/core/impl/alloc_cpu.cpp)."""
_RAISE = dis.opmap["RAISE_VARARGS"]
_TOO_DEEP = "Parser stack overflowed - Python source too complex to parse"
"""The message of Python 3.12 and later for source that is nested too deeply. Python 3.11 raises a MemoryError without a
message."""


_TEXTS = (BaseException.__str__, OSError.__str__, KeyError.__str__, ImportError.__str__)
_ARGS: Any = BaseException.__dict__["args"]
_CAUSE: Any = BaseException.__dict__["__cause__"]
_CONTEXT: Any = BaseException.__dict__["__context__"]
_IS_SUPPRESSED: Any = BaseException.__dict__["__suppress_context__"]
"""The descriptors of BaseException, because a class of the snippet may define properties with these names."""
_OF_OSERROR: tuple[Any, ...] = (OSError.__dict__["filename"], OSError.__dict__["filename2"])
_BUILTIN = {
    id(of) for of in (str, bytes, bool, int, float, complex, type(None), type, range, torch.dtype, torch.device, type(Path()))
}
"""Classes by their `id`, because a metaclass of the snippet may define `__eq__` and `__hash__`."""
_TENSORS = set(map(id, adapter.PLAIN))
OF_EXEC = "<string>"
"""The file name of code that `exec` compiles."""

_COLLECTIONS = set(map(id, (tuple, list, set, frozenset, torch.Size)))
_MOST_DEPTH = 3
_MOST_ITEMS = 1000


def main_module(source: Source) -> types.ModuleType:
    """Create a new `__main__` in `sys.modules`, and add its lines to `linecache`."""
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    module.__file__ = source.filename
    sys.modules["__main__"] = module
    sys.argv = [source.filename]
    lines = [line + "\n" for line in source.lines]
    linecache.cache[source.filename] = (len(source.text), None, lines, source.filename)
    adapter.forget_start()
    return module


def ended_by(exception: BaseException | None, sources: Mapping[str, Source | None], memory_bytes: int) -> Ended:
    """Return how a run ended, given the exception that left the snippet; None means that the run finished."""
    if exception is None:
        return Finished()
    if isinstance(exception, SystemExit):
        return Exited(code=_exit_code(exception.code), by="SystemExit")
    raised = _raised(exception, sources)
    is_refusal = isinstance(exception, MemoryError) or (isinstance(exception, RuntimeError) and _ALLOCATOR in raised.message)
    if not is_refusal or _is_by_hand(exception, sources):
        return raised
    return OutOfMemory(limit_bytes=memory_bytes, raised=raised)


def message_of(exception: BaseException) -> str | None:
    """Return the message of an exception; None if creating the message would run code of the snippet."""
    kind = type(exception)
    is_own = kind.__module__ == "__main__" and kind.__str__ not in _TEXTS
    return None if is_own or not _has_builtin_text(exception) else str(exception)


def _has_builtin_text(value: object, depth: int = 0) -> bool:
    """Whether `str()` of this value, including its contents, runs only code of Python and torch."""
    kind = type(value)
    if id(kind) in _BUILTIN:
        return True
    if id(kind) in _TENSORS:
        return not adapter.is_symbolic(value)  # type: ignore[arg-type]
    parts: list[object] = []
    if issubclass(kind, BaseException) and (depth == 0 or kind.__module__ != "__main__"):
        parts = [*_ARGS.__get__(value), *(read.__get__(value) for read in _OF_OSERROR if issubclass(kind, OSError))]
    elif id(kind) in _COLLECTIONS:
        parts = list(value)  # type: ignore[call-overload]
    elif kind is dict:
        parts = [part for item in value.items() for part in item]  # type: ignore[attr-defined]
    else:
        return False
    return depth < _MOST_DEPTH and len(parts) < _MOST_ITEMS and all(_has_builtin_text(part, depth + 1) for part in parts)


def _exit_code(code: object) -> int:
    """Return the exit code for `SystemExit.code`. Numbers beyond LARGEST are truncated as in C (Python/pythonrun.c)."""
    if not issubclass(type(code), int):
        return int(code is not None)
    number = int.__int__(code)  # type: ignore[arg-type]
    if abs(number) <= LARGEST:
        return number
    return ctypes.c_int(number if -(2**63) <= number < 2**63 else -1).value


def refusal_to_compile(exception: Exception, memory_bytes: int) -> Exception:
    """Return the exception to report if compiling the snippet raised `exception`. If memory is left, a MemoryError comes from
    the parser's stack and gets a message about nesting."""
    import resource  # imported here, because `record()` also runs on systems without this module

    if isinstance(exception, MemoryError) and resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 < memory_bytes:
        return MemoryError(_TOO_DEEP)
    return exception


def _is_by_hand(exception: BaseException, sources: Mapping[str, Source | None]) -> bool:
    """Whether a `raise` statement of the snippet or the recorder raised the exception."""
    innermost = exception.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    if innermost is None:
        return True
    code = innermost.tb_frame.f_code
    return sources.get(code.co_filename) is not None and code.co_code[innermost.tb_lasti] == _RAISE


def _raised(exception: BaseException, sources: Mapping[str, Source | None]) -> Raised:
    entries = _entries(exception, sources)
    line, file = (entries[-1].line, entries[-1].file) if entries else (None, None)
    refused = sources.get(exception.filename or "") if isinstance(exception, SyntaxError) else None
    if isinstance(exception, SyntaxError) and refused is not None:
        line, file = line_number(exception.lineno), refused.file
    return Raised(
        type=_type_of(exception),
        message=clip(text_of(exception), MOST_TEXT),
        line=line,
        traceback=entries,
        file=file,
        earlier=_earlier(exception, sources),
    )


def _entries(exception: BaseException, sources: Mapping[str, Source | None]) -> list[TracebackEntry]:
    return [
        TracebackEntry(line=line or 1, function=clip(frame.f_code.co_qualname), file=source.file)
        for frame, line in traceback.walk_tb(exception.__traceback__)
        if (source := sources.get(frame.f_code.co_filename)) is not None
    ]


def _type_of(exception: BaseException) -> str:
    kind = type(exception)
    module = kind.__module__
    return clip(kind.__qualname__ if module in ("builtins", "__main__") else f"{module}.{kind.__qualname__}")


def _earlier(exception: BaseException, sources: Mapping[str, Source | None]) -> list[Earlier]:
    """The chained exceptions that Python prints before an exception, oldest first. Each exception occurs once (`traceback.py`,
    `_seen`)."""
    found: list[Earlier] = []
    seen = {id(exception)}
    while len(found) < MOST_EARLIER:
        cause = _CAUSE.__get__(exception)
        before = cause if cause is not None or _IS_SUPPRESSED.__get__(exception) else _CONTEXT.__get__(exception)
        if before is None or id(before) in seen:
            break
        seen.add(id(before))
        message = clip(text_of(before), MOST_TEXT)
        is_cause = cause is not None
        found.append(Earlier(type=_type_of(before), message=message, traceback=_entries(before, sources), is_cause=is_cause))
        exception = before
    return found[::-1]


def line_number(line: object) -> int | None:
    """Return a line number that the snippet may have set on a warning or a SyntaxError; None if the number is invalid."""
    return line if type(line) is int and 0 < line <= LARGEST else None


def text_of(exception: BaseException) -> str:
    try:
        text = str(exception)
    except Exception:
        return f"<{type(exception).__qualname__} object whose text could not be made>"
    return text
