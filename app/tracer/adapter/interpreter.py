"""Reads and mends what CPython keeps of frames, dicts and the stack."""

import ctypes
import sys
import threading
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch

from app.tracer.values import read_bytes

_VERSION = sys.version_info[:2]
# PYTHON 3.11, 3.12: offsets in PyThreadState (Include/cpython/pystate.h), in bytes: `recursion_remaining`, `c_traceobj`.
_RECURSION_REMAINING = {(3, 11): 32, (3, 12): 28}.get(_VERSION)
_TRACE_OBJECT = {(3, 11): 88}.get(_VERSION)
_OF_EXEC = {(3, 11): 2, (3, 12): 1}.get(_VERSION, 0)
"""Levels between whoever calls `exec` and the frame that it runs, this one included. PYTHON 3.12: calls of C count no more."""
_thread_state = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_Get", ctypes.pythonapi))


class _Unbounded:
    """Stands for the count of an interpreter that nobody has looked into."""

    value = sys.maxsize


class _Thread(threading.local):
    """The stack of one thread. A thread of torch's is a new one at each call of Python."""

    def __init__(self) -> None:
        state = _thread_state()
        known = _RECURSION_REMAINING is not None and state is not None
        self.levels: Any = ctypes.c_int.from_address((state or 0) + (_RECURSION_REMAINING or 0)) if known else _Unbounded()
        """A cell whose `value` is how many levels this thread may still nest; whoever adds to it lets it go deeper.

        `sys.setrecursionlimit` would show in the snippet, and refuses to lower the limit again near the limit.
        """
        known = _TRACE_OBJECT is not None and state is not None
        self.traces: Any = ctypes.c_void_p.from_address((state or 0) + (_TRACE_OBJECT or 0)) if known else None
        """A cell with the address of what `sys.settrace` set: without it no call is shown, but the lines of frames that are traced
        already (Python/sysmodule.c, `trace_trampoline`). None where that is not known."""


stack = _Thread()


def missing_levels(left: int) -> int:
    """How many levels whoever is about to call `exec`, with so many `left`, lacks for the frame it runs to have a script's.

    What lies below that frame is ours, and no script has it.
    """
    return sys.getrecursionlimit() - 1 + _OF_EXEC - left if _OF_EXEC else 0


_OPS = torch._ops.__file__
"""Where `OpOverload.__call__` is: what calls an operator from Python."""


def hide_frames(traceback: TracebackType | None, folder: str) -> None:
    """Take the frames whose code lies in `folder`, and torch's own step from those to an operator, out of a traceback.

    Its first entry stays: it is the frame that asks.
    """
    hidden = False
    while traceback is not None and traceback.tb_next is not None:
        filename = traceback.tb_next.tb_frame.f_code.co_filename
        hidden = filename.startswith(folder) or (hidden and filename == _OPS)
        if hidden:
            traceback.tb_next = traceback.tb_next.tb_next
        else:
            traceback = traceback.tb_next


def trace_instructions(frame: FrameType, on: bool) -> None:
    """Let the trace function of a frame have an event before each of its instructions, or only of its lines again.

    PYTHON 3.12 heeds it from the next `sys.settrace` on, which follows whenever the recorder hands over to the snippet (`guarded`).
    """
    frame.f_trace_opcodes = on


# PYTHON 3.11, 3.12: offset of `ma_version_tag` in PyDictObject (Include/cpython/dictobject.h), in bytes.
_DICT_VERSION = {(3, 11): 24, (3, 12): 24}.get(sys.version_info[:2])


def version_of_dict(mapping: dict[Any, Any]) -> Any:
    """A ctypes cell whose `value` changes with every change of the dict, and is never another dict's (PEP 509); None without one.

    It reads memory of the dict: only for as long as that lives.
    """
    return None if _DICT_VERSION is None else ctypes.c_uint64.from_address(id(mapping) + _DICT_VERSION)


def items_of(address: int) -> bytes:
    """The class of the object at `address`, and of a list or tuple which objects it holds: to compare, for no reference is held.

    PYTHON 3.11 to 3.13: `ob_type` and `ob_size` follow the reference count; then come a tuple's items, or where a list's are.
    """
    head = read_bytes(address + 8, 24)
    kind = int.from_bytes(head[:8], "little")
    size = int.from_bytes(head[8:16], "little")
    if kind == id(list):
        items = read_bytes(int.from_bytes(head[16:], "little"), 8 * size)
    elif kind == id(tuple):
        items = read_bytes(address + 24, 8 * size)
    else:
        return head[:8]
    return head[:16] + items


# PYTHON 3.11, 3.12: offset of `f_locals` in _PyInterpreterFrame (Include/internal/pycore_frame.h), in pointers.
_F_LOCALS = {(3, 11): 3, (3, 12): 5}.get(sys.version_info[:2])
_F_FRAME = 3
"""Offset of `f_frame` in PyFrameObject, in pointers: refcount, type, f_back, f_frame."""
# PYTHON 3.11: offset of `previous` there. Later versions follow it when the frame returns.
_PREVIOUS = {(3, 11): 6}.get(sys.version_info[:2])
_CO_OPTIMIZED = 0x1


def make_outermost(frame: FrameType) -> None:
    """Let this frame, which `exec` runs, be the last that anybody sees who walks up the stack from within it.

    Stack traces, `inspect.stack()`, a warning's `stacklevel` and the forward traces of anomaly mode end there, as those of a script
    do. CPython 3.11 itself leaves such a frame by its C stack (Python/ceval.c, `is_entry`).
    """
    if _PREVIOUS is None:
        return
    pointer = ctypes.POINTER(ctypes.c_void_p)
    interpreter_frame = ctypes.cast(id(frame), pointer)[_F_FRAME]
    ctypes.cast(interpreter_frame, pointer)[_PREVIOUS] = None


def _variables(code: CodeType) -> set[str]:
    return {*code.co_varnames, *code.co_cellvars, *code.co_freevars}


def drop_locals_snapshot(frame: FrameType) -> None:
    """Forget the dict that reading `f_locals` of a function's frame leaves behind.

    Until Python 3.13 the frame keeps that snapshot, and with it every local of the last read: `del x` would free nothing
    until the next read (measured). Not `.clear()`: CPython copies the emptied dict back into the variables. One that holds more
    than the frame's variables stays: `exec("z = 1")` in a function leaves there what `locals()["z"]` reads.
    """
    if _F_LOCALS is None or not frame.f_code.co_flags & _CO_OPTIMIZED:
        return
    pointer = ctypes.POINTER(ctypes.c_void_p)
    interpreter_frame = ctypes.cast(id(frame), pointer)[_F_FRAME]
    if not interpreter_frame:
        return
    slots = ctypes.cast(interpreter_frame, pointer)
    snapshot = slots[_F_LOCALS]
    if snapshot and ctypes.cast(snapshot, ctypes.py_object).value.keys() <= _variables(frame.f_code):
        slots[_F_LOCALS] = None
        ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(snapshot))
