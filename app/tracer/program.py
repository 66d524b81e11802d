"""Runs a snippet as a real `__main__` module and says how it ended."""

import dis
import linecache
import os
import resource
import sys
import traceback
import types

from app.trace.codec import clip
from app.trace.ends import Ended, Exited, Finished, OutOfMemory, Raised, TracebackEntry
from app.trace.records import MOST_TEXT
from app.tracer.source import Source

FILENAME = "snippet.py"
"""What tracebacks, `__file__` and `inspect.getsource` call the snippet."""
RECORDER = os.path.dirname(__file__)
"""Where the recorder's own code lies: its frames belong in no traceback of the snippet."""
_ALLOCATOR = "DefaultCPUAllocator"
"""TORCH 2.13: c10/core/impl/alloc_cpu.cpp names itself in the RuntimeError of a refused allocation."""
_RAISE = dis.opmap["RAISE_VARARGS"]
_TOO_DEEP = "Parser stack overflowed - Python source too complex to parse"
"""Python's words since 3.12, where 3.11 raises an empty MemoryError."""


def main_module(source: Source) -> types.ModuleType:
    """A fresh `__main__`, known to `sys.modules` and, with its lines, to `linecache`."""
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    module.__file__ = source.filename
    sys.modules["__main__"] = module
    sys.argv = [source.filename]
    lines = [line + "\n" for line in source.lines]
    linecache.cache[source.filename] = (len(source.text), None, lines, source.filename)
    return module


def ended_by(exception: BaseException | None, source: Source, memory_bytes: int) -> Ended:
    """The end of a run that this exception (or None) left. Renders the exception as the interpreter would."""
    if exception is None:
        return Finished()
    if isinstance(exception, SystemExit):
        code = exception.code
        return Exited(
            code=code if isinstance(code, int) else int(code is not None),
            by="SystemExit",
        )
    raised = _raised(exception, source)
    is_refusal = isinstance(exception, MemoryError) or (isinstance(exception, RuntimeError) and _ALLOCATOR in raised.message)
    if not is_refusal or _is_by_hand(exception, source):
        return raised
    return OutOfMemory(limit_bytes=memory_bytes, raised=raised)


def refusal_to_compile(exception: Exception, memory_bytes: int) -> Exception:
    """`exception` as compiling raised it; a MemoryError while memory was left says what it is about: the stack of the parser."""
    if isinstance(exception, MemoryError) and resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 < memory_bytes:
        return MemoryError(_TOO_DEEP)
    return exception


def _is_by_hand(exception: BaseException, source: Source) -> bool:
    """Whether it came from a `raise` of the snippet, or from our own hand and was never raised."""
    innermost = exception.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    if innermost is None:
        return True
    code = innermost.tb_frame.f_code
    return code.co_filename == source.filename and code.co_code[innermost.tb_lasti] == _RAISE


def _raised(exception: BaseException, source: Source) -> Raised:
    kind = type(exception)
    entries = [
        TracebackEntry(line=line or 1, function=clip(frame.f_code.co_qualname))
        for frame, line in traceback.walk_tb(exception.__traceback__)
        if frame.f_code.co_filename == source.filename
    ]
    line = entries[-1].line if entries else None
    if isinstance(exception, SyntaxError) and exception.filename == source.filename:
        line = exception.lineno
    module = kind.__module__
    return Raised(
        type=clip(kind.__qualname__ if module in ("builtins", "__main__") else f"{module}.{kind.__qualname__}"),
        message=clip(_text(exception), MOST_TEXT),
        line=line,
        traceback=entries,
    )


def _text(exception: BaseException) -> str:
    try:
        text = str(exception)
    except Exception:
        return f"<{type(exception).__qualname__} object whose text could not be made>"
    return text
