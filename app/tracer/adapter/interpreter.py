"""Reads and changes internal fields of CPython: of frames, dicts and the stack.

The offsets of the fields differ by version. When this module is imported, experiments find the offsets: write, read, compare.
If an experiment does not confirm an offset, the field is not used, and the function that needs it uses a slower method.
"""

import ctypes
import dis
import linecache
import sys
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from functools import partial
from itertools import chain
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch

from app.tracer.tensors.values import read_bytes

_AFTER_HEAD = 16
"""Size of the header of every object in bytes: its reference count and class."""


# --- the stack --------------------------------------------------------------------------------------------------------

_thread_state = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_Get", ctypes.pythonapi))
_LOOKED_AT = 32
"""The number of remaining levels is searched among this many ints at the beginning of a PyThreadState."""


def _cells() -> list[int]:
    return list((ctypes.c_int * _LOOKED_AT).from_address(_thread_state() or 0))


def _cells_deeper(frames: int) -> list[int]:
    return _cells() if not frames else _cells_deeper(frames - 1)


def _depth_left() -> int:
    try:
        return 1 + _depth_left()
    except RecursionError:
        return 0


def _find_recursion_remaining() -> int | None:
    """Return the offset in PyThreadState, in bytes, of the number of remaining levels; None if no field behaves like this number.

    This number decreases by one with each call, and the recursion limit is the next field (Include/cpython/pystate.h). The
    offset is 32 in Python 3.11, 28 in 3.12, 44 in 3.13, 48 in 3.14.
    """
    here, deeper = _cells_deeper(0), _cells_deeper(7)
    places = [i for i in range(_LOOKED_AT - 1) if here[i] - deeper[i] == 7 and here[i + 1] == sys.getrecursionlimit()]
    if len(places) != 1:
        return None
    offset = 4 * places[0]
    cell = ctypes.c_int.from_address((_thread_state() or 0) + offset)
    before, taken = cell.value, max(0, cell.value - 40)
    cell.value -= taken
    left = _depth_left()
    cell.value += taken
    return offset if 20 < left <= 40 and cell.value == before else None


_RECURSION_REMAINING = _find_recursion_remaining()


def _find_trace_object() -> int | None:
    """Return the offset of `c_traceobj` in PyThreadState, in bytes; None if clearing the field does not hide calls.

    The offset is 88 in Python 3.11 and 3.12, and 104 in later versions.
    """
    shown: list[str] = []

    def trace(frame: FrameType, event: str, arg: Any) -> None:
        shown.append(event)

    def called() -> None:
        pass

    words = (ctypes.c_void_p * _LOOKED_AT).from_address(_thread_state() or 0)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        held = list(words)
        if held.count(id(trace)) != 1:
            return None
        place = held.index(id(trace))
        words[place] = None
        called()
        words[place] = id(trace)
        called()
    finally:
        sys.settrace(before)
    return 8 * place if shown == ["call"] else None


_TRACE_OBJECT = _find_trace_object()


def _count_levels_of_exec() -> int:
    """Return the number of levels from the caller of `exec` to the frame that it runs, including that frame; 0 if unknown.

    The number is 2 in Python 3.11 and 1 in later versions.
    """
    if _RECURSION_REMAINING is None:
        return 0
    variables = {"cell": ctypes.c_int.from_address((_thread_state() or 0) + _RECURSION_REMAINING)}
    before = variables["cell"].value
    exec("inside = cell.value", variables)
    return before - int(variables["inside"])


_OF_EXEC = _count_levels_of_exec()


_enter_tracing = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyThreadState_EnterTracing", ctypes.pythonapi))
_leave_tracing = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyThreadState_LeaveTracing", ctypes.pythonapi))


class _Unbounded:
    """The substitute for the counter of remaining levels if the counter's offset is unknown."""

    value = sys.maxsize


class _Thread(threading.local):
    """The internal fields of the running thread. A thread that torch started gets a new object each time it calls Python."""

    def __init__(self) -> None:
        state = _thread_state()
        known = _RECURSION_REMAINING is not None and state is not None
        self.levels: Any = ctypes.c_int.from_address((state or 0) + (_RECURSION_REMAINING or 0)) if known else _Unbounded()
        """A ctypes cell whose `value` is the number of remaining levels of this thread. A larger `value` allows deeper nesting
        of calls.

        `sys.setrecursionlimit` is not used, because it would be visible to the snippet, and because it cannot lower the limit when
        the depth is near the limit.
        """
        known = _TRACE_OBJECT is not None and state is not None
        self.traces: Any = ctypes.c_void_p.from_address((state or 0) + (_TRACE_OBJECT or 0)) if known else None
        """A ctypes cell with the address of the function that `sys.settrace` set; None if its offset is unknown.

        While it is NULL, calls are not reported, but lines of frames that are already traced are (Python/sysmodule.c,
        `trace_trampoline`).
        """
        self.pause_tracing: Callable[[], None] = partial(_enter_tracing, state)
        """Stops calls of trace functions on this thread until `resume_tracing` is called. Pairs of the two calls may be nested.

        PYTHON 3.12: `sys.settrace` instruments all code of the process again, which takes as long as recording an operator.
        """
        self.resume_tracing: Callable[[], None] = partial(_leave_tracing, state)


stack = _Thread()


def missing_levels(left: int) -> int:
    """Return the number of levels to add before `exec` is called with `left` levels, so that its frame has as many levels as a
    script.

    The added levels replace the levels of the recorder's frames, which a script does not have.
    """
    return sys.getrecursionlimit() - 1 + _OF_EXEC - left if _OF_EXEC else 0


_OPS = torch._ops.__file__
"""The file of `OpOverload.__call__`, which calls an operator from Python."""


def hide_frames(traceback: TracebackType | None, folder: str) -> None:
    """Remove from a traceback the frames with code in `folder`, and the frames of torch through which this code calls an
    operator.

    The first entry, which is the calling frame, is kept.
    """
    hidden = False
    while traceback is not None and traceback.tb_next is not None:
        filename = traceback.tb_next.tb_frame.f_code.co_filename
        hidden = filename.startswith(folder) or (hidden and filename == _OPS)
        if hidden:
            traceback.tb_next = traceback.tb_next.tb_next
        else:
            traceback = traceback.tb_next


# --- tracing ----------------------------------------------------------------------------------------------------------


def trace_instructions(frame: FrameType, on: bool) -> None:
    """Switch events before each instruction of a frame on or off, in addition to line events.

    PYTHON 3.12: the change takes effect at the next `sys.settrace`.
    """
    frame.f_trace_opcodes = on
    if on and sys.version_info[:2] == (3, 12):
        sys.settrace(sys.gettrace())


def forget_start() -> None:
    """Forget the source lines of `python -c`, so that they are not shown for code that the snippet passes to `exec`.

    Python uses the name "<string>" for both kinds of code. PYTHON 3.13 keeps the lines in `linecache` under that name, later
    versions under the name, function and line of the code.
    """
    linecache.cache.pop("<string>", None)
    getattr(linecache, "_interactive_cache", {}).clear()


# --- dicts, lists, tuples ---------------------------------------------------------------------------------------------


class _Instance:
    """The class of the instance that `_find_dict_version` changes."""

    attribute: int


def _set(instance: _Instance, value: int) -> None:
    instance.attribute = value


def _is_noticed(mapping: dict[Any, Any], change: Callable[[], object], offset: int) -> bool:
    cell = ctypes.c_uint64.from_address(id(mapping) + offset)
    before = cell.value
    change()
    return cell.value != before


def _find_dict_version() -> int | None:
    """Return the offset of `ma_version_tag` in PyDictObject, in bytes; None if some changes of a dict do not change the tag.

    Include/cpython/dictobject.h. PYTHON 3.13: setting an attribute of an instance does not change the version. PYTHON 3.14: no
    change of a dict changes the version.
    """
    offset = _AFTER_HEAD + 8
    if dict.__basicsize__ < offset + 8:
        return None
    entries: dict[Any, Any] = {"a": 1}
    instance = _Instance()
    for value in range(64):  # repeated until CPython has specialised the assignment
        _set(instance, value)
    of_instance = instance.__dict__
    changes: list[tuple[dict[Any, Any], Callable[[], object]]] = [
        (entries, lambda: entries.__setitem__("a", 2)),
        (entries, lambda: entries.setdefault("b", 3)),
        (entries, lambda: entries.update(b=4)),
        (entries, lambda: entries.pop("a")),
        (entries, entries.clear),
        (of_instance, lambda: _set(instance, -1)),
        (of_instance, lambda: object.__setattr__(instance, "attribute", -2)),
        (of_instance, lambda: of_instance.__setitem__("attribute", -3)),
        (of_instance, lambda: delattr(instance, "attribute")),
    ]
    return offset if all(_is_noticed(mapping, change, offset) for mapping, change in changes) else None


_DICT_VERSION = _find_dict_version()


def version_of_dict(mapping: dict[Any, Any]) -> Any:
    """Return a ctypes cell with a `value` that changes with every change of the dict and is unique to the dict (PEP 509).

    Return None if this version of Python has no dict versions. The cell reads memory of the dict and is valid only while the
    dict is alive.
    """
    return None if _DICT_VERSION is None else ctypes.c_uint64.from_address(id(mapping) + _DICT_VERSION)


_DICTS = {id(dict), id(OrderedDict), id(defaultdict)}
_keys_at = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(("PyDict_Keys", ctypes.pythonapi))
_values_at = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(("PyDict_Values", ctypes.pythonapi))


def entries_at(address: int) -> list[int]:
    """Return the `id`s of the class, the keys and the values of the dict at `address`, for comparison without references.

    The recorder calls this function if `version_of_dict` returns None. The time is proportional to the size of the dict. The
    dict at this address may already have been freed.
    """
    kind = int.from_bytes(read_bytes(address + 8, 8), "little")
    if kind not in _DICTS:
        return [kind]
    return [kind, *map(id, chain(_keys_at(address), _values_at(address)))]


def items_of(address: int) -> bytes:
    """Return the address of the class of the object at `address` and, for a list or tuple, the addresses of its items, as bytes.

    The recorder compares the bytes, so it needs no references to the items. The fields `ob_type` and `ob_size` follow the
    reference count. After them, a list has the address of its array of items, and a tuple has the array itself.
    """
    head = read_bytes(address + 8, 24)
    kind = int.from_bytes(head[:8], "little")
    size = int.from_bytes(head[8:16], "little")
    if kind == id(list):
        items = read_bytes(int.from_bytes(head[16:], "little"), 8 * size)
    elif kind == id(tuple):
        items = read_bytes(address + tuple.__basicsize__, 8 * size)
    else:
        return head[:8]
    return head[:16] + items


def items_of_named(place: tuple[int, int]) -> bytes:
    """`items_of` for an instance of a subclass of tuple, given the addresses of the instance and of its class."""
    address, of = place
    head = read_bytes(address + 8, 16)
    if int.from_bytes(head[:8], "little") != of:
        return head[:8]
    return head + read_bytes(address + tuple.__basicsize__, 8 * int.from_bytes(head[8:], "little"))


# --- frames -----------------------------------------------------------------------------------------------------------

_CO_OPTIMIZED = 0x1
_F_FRAME = 3
"""Offset of `f_frame` in PyFrameObject (Include/internal/pycore_frame.h), in pointers: refcount, type, f_back, f_frame."""
_SLOTS = 8
"""Number of pointers at the beginning of a _PyInterpreterFrame, in every version: from its code and dicts to its frame object."""
_PREVIOUS = 6 if sys.version_info < (3, 12) else 1
"""Index of the pointer to the calling frame. Since Python 3.12, an extra frame lies between a Python function and C code that
called it."""


def _locals_here() -> Any:
    return sys._getframe().f_locals


FRAME_LOCALS = type(_locals_here())
"""The class of `f_locals` of a function's frame: dict, or since Python 3.13 a view of the variables (PEP 667)."""


def _slots_of(frame: FrameType) -> Any:
    """Return the pointers of a frame's _PyInterpreterFrame; None if expected pointers are missing."""
    address = ctypes.c_void_p.from_address(id(frame) + 8 * _F_FRAME).value
    if not address:
        return None
    slots = (ctypes.c_void_p * _SLOTS).from_address(address)
    return slots if {id(frame), id(frame.f_globals), id(frame.f_builtins)} <= set(slots) else None


def _find_locals() -> int | None:
    """Return the index of the pointer to the dict that reading `f_locals` of a function leaves in the frame; None without one."""
    frame = sys._getframe()
    slots, snapshot = _slots_of(frame), frame.f_locals
    return next((place for place, held in enumerate(slots or ()) if held == id(snapshot)), None)


_F_LOCALS = _find_locals()


def _nothing() -> None:
    pass


def make_outermost(frame: FrameType) -> Callable[[], None]:
    """Make this frame, which `exec` runs, the outermost frame that is visible from within it.

    Stack traces, `inspect.stack()`, a warning's `stacklevel` and the forward traces of anomaly mode end at this frame, as in a
    script. Returns a function that must be called before the frame returns, because PYTHON 3.13 needs the removed link to the
    caller. The frame is unchanged if the link does not point to the calling frame.
    """
    below, slots = frame.f_back, _slots_of(frame)
    below_slots = None if below is None else _slots_of(below)
    if slots is None or below_slots is None or not slots[_PREVIOUS]:
        return _nothing
    expected = ctypes.addressof(below_slots)
    if slots[_PREVIOUS] != expected:
        slots = (ctypes.c_void_p * _SLOTS).from_address(slots[_PREVIOUS])
    if slots[_PREVIOUS] != expected:
        return _nothing
    slots[_PREVIOUS] = None

    def restore() -> None:
        slots[_PREVIOUS] = expected

    # PYTHON 3.11 does not use the link when it returns from a frame that C code called (Python/ceval.c, `is_entry`), so
    # the link need not be restored.
    return _nothing if sys.version_info < (3, 12) else restore


_CLEARS = dis.opmap.get("LOAD_FAST_AND_CLEAR")
"""The opcode that saves and clears a variable at the beginning of an inlined comprehension (PEP 709); None before Python 3.12."""


_HIDDEN, _FREE = 0x10, 0x80
"""CPython's flags for kinds of variables (Include/internal/pycore_code.h): hidden (of a comprehension in a module or class
body), and free (of an enclosing function)."""


def _find_kinds() -> int | None:
    """Return the offset of `co_localspluskinds` in PyCodeObject (Include/cpython/code.h), in bytes; None if this version of
    Python does not need it."""
    code = compile("[hidden for hidden in ()]", "<kinds>", "exec")
    pointers = (ctypes.c_void_p * (type(code).__basicsize__ // 8)).from_address(id(code))
    after = [id(code.co_filename), id(code.co_name)]
    place = next((i for i in range(1, len(pointers) - 1) if [pointers[i], pointers[i + 1]] == after), None)
    if _CLEARS is None or sys.version_info >= (3, 13) or place is None:
        return None
    kinds = ctypes.cast(pointers[place - 1] or 0, ctypes.py_object).value
    is_them = type(kinds) is bytes and len(kinds) == 1 and kinds[0] & _HIDDEN
    return 8 * (place - 1) if is_them else None


_KINDS = _find_kinds()


def keep_comprehensions(code: CodeType) -> None:
    """Prevent trace functions from resetting the variables of comprehensions in this module or class body.

    PYTHON 3.12: after each call of a trace function the frame's variables are reset from its dict (PyFrame_LocalsToFast). The
    variables of a comprehension are missing in this dict or have other values there: with `k = 5`, the second round of `[k + 1
    for k in (1, 2)]` is 6, not 3. CPython does not reset a class body's free variables; therefore the variables of
    comprehensions are marked as free. As before Python 3.12, `locals()` in the comprehension then does not show these variables.
    """
    if _KINDS is None or code.co_flags & _CO_OPTIMIZED:
        return
    cell = ctypes.c_void_p.from_address(id(code) + _KINDS)
    kinds = ctypes.cast(cell.value or 0, ctypes.py_object).value
    kept = bytes(kind | _FREE if kind & _HIDDEN else kind for kind in kinds)
    if kept != kinds:  # a new bytes object, because Python shares those of one character
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
        cell.value = id(kept)
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(kinds))


def variables_of_comprehensions(frame: FrameType) -> set[str]:
    """Return the names of the variables of inlined comprehensions that are running in this frame (PEP 709). The function itself
    does not have these variables."""
    code = frame.f_code
    if _CLEARS is None or _CLEARS not in code.co_code[::2]:
        return set()
    # PYTHON 3.12: during a call, `f_lasti` is after the call's instruction, in the inline caches of this instruction.
    here = dis.Positions(*list(code.co_positions())[frame.f_lasti // 2])
    cleared = [each for each in dis.get_instructions(code) if each.opcode == _CLEARS]
    return {each.argval for each in cleared if _is_within(here, each.positions)}


def _is_within(inner: "dis.Positions | None", outer: "dis.Positions | None") -> bool:
    if inner is None or outer is None or None in (*inner, *outer):
        return False
    begin, end = (outer.lineno, outer.col_offset), (outer.end_lineno, outer.end_col_offset)
    return begin <= (inner.lineno, inner.col_offset) and (inner.end_lineno, inner.end_col_offset) <= end


def _variables(code: CodeType) -> set[str]:
    return {*code.co_varnames, *code.co_cellvars, *code.co_freevars}


def drop_locals_snapshot(frame: FrameType) -> None:
    """Remove the dict that reading `f_locals` of a function leaves in the frame.

    Before Python 3.13, the frame keeps this snapshot, and with it the values of all variables: `del x` would not free the value
    until the next reading (measured). `.clear()` is unsuitable, because CPython copies the dict back into the variables. A
    snapshot is kept if it has names other than the frame's variables, because `exec("z = 1")` in a function adds `z` to the
    snapshot for `locals()["z"]`.
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
