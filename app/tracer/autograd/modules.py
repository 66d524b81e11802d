"""Tracks the running calls of `torch.nn.Module`s, and determines in which of them each Node was created."""

import weakref
from bisect import bisect_right
from collections import deque
from itertools import islice
from threading import get_ident
from types import FrameType
from typing import Any

from app.trace.clipping import clip
from app.tracer import adapter
from app.tracer.adapter import next_sequence_nr
from app.tracer.naming.names import codes_of, entries_of, kind_of
from app.tracer.trace_writer import Tables

MOST_CHILDREN = 4096
"""Maximum number of submodules that are searched for a called module."""


class ModuleWatch:
    """Reads the calls of modules from the Python frames between an operator and the snippet. This class holds no reference to a
    module and sets no hook.

    Torch numbers Nodes in the order of their creation. If a Node's number is between the numbers at two successive operators,
    the module that ran the second operator created the Node. Many Nodes are only seen much later, through other Nodes.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._thread = get_ident()
        self._modules: dict[tuple[int | None, int], tuple[weakref.ref[Any], int]] = {}
        """The recorded modules: a weak reference and the number of the record. The key is the calling module and the module's
        own `id`."""
        self._by_number: list[weakref.ref[Any]] = []
        self._frames: list[tuple[int, int | None]] = []
        """The frames of the snippet, outermost first, each with the module in whose call it began."""
        self.innermost = 0
        """`id` of the innermost frame of the snippet; 0 if there is none."""
        self._inside: int | None = None
        """The module of the innermost frame."""
        self._current: int | None = None
        self._until: list[int] = [next_sequence_nr()]
        self._within: list[int | None] = [None]
        """Nodes with numbers from `_until[i - 1]` to below `_until[i]` were created in module `_within[i]`."""

    def enter(self, frame: FrameType) -> None:
        """Called when a function of the snippet begins. The function may be the `forward` of a module."""
        calls: list[FrameType] = []
        caller = frame.f_back if self._frames else None
        while caller is not None and id(caller) != self.innermost:
            if caller.f_code is adapter.MODULE_CALL:
                calls.append(caller)
            caller = caller.f_back
        self._frames.append((id(frame), self._called(calls, caller)))
        self._is_innermost()

    def leave(self) -> None:
        """Called when the innermost frame of the snippet ends."""
        self._frames.pop()
        self._is_innermost()

    def _is_innermost(self) -> None:
        self.innermost, self._inside = self._frames[-1] if self._frames else (0, None)
        self.rest()

    def rest(self) -> None:
        """Set the current module to the module of the innermost frame, as long as no operator runs."""
        self._current = self._inside

    def work(self, calls: list[FrameType], caller: FrameType | None) -> None:
        """Set the current module before an operator runs in these calls of modules, innermost first. The frame `caller` of the
        snippet began the calls."""
        if get_ident() != self._thread:  # each thread numbers its Nodes separately
            return
        self._current = current = self._called(calls, caller) if calls else self._inside
        if current == self._within[-1]:
            self._until[-1] = next_sequence_nr()
        else:
            self._until.append(next_sequence_nr())
            self._within.append(current)

    def of_node(self, sequence_nr: int) -> int | None:
        """Return the module that created the Node with this number in its call."""
        if get_ident() != self._thread:
            return None
        if sequence_nr >= self._until[-1]:
            return self._current
        return self._within[bisect_right(self._until, sequence_nr)]

    def _called(self, calls: list[FrameType], caller: FrameType | None) -> int | None:
        inside = self._inside
        for call in reversed(calls):
            module = adapter.called_module(call)
            known = self._modules.get((inside, id(module)))
            inside = known[1] if known is not None and known[0]() is module else self._record(module, inside, caller)
        return inside

    def _record(self, module: Any, parent: int | None, caller: FrameType | None) -> int:
        above = None if parent is None else self._by_number[parent]()
        name = _variable(module, caller) if above is None else _attribute(module, above)
        number = self._tables.modules.add(type=kind_of(module).name, parent=parent, name=None if name is None else clip(name))
        ref = weakref.ref(module)
        self._by_number.append(ref)
        self._modules[parent, id(module)] = ref, number
        return number


def constructed(frame: FrameType) -> str | None:
    """Return the name of the class of the Module that this call constructs; None if it is not an `__init__` of a Module."""
    code = frame.f_code
    if code.co_name != "__init__" or code.co_argcount == 0:
        return None
    module = frame.f_locals.get(code.co_varnames[0])
    adapter.drop_locals_snapshot(frame)
    kind = kind_of(module)
    return kind.name if kind.is_module and any(found is code for found in codes_of(type(module), "__init__")) else None


def _variable(module: Any, caller: FrameType | None) -> str | None:
    """Return a path to a module from a variable of the calling frame or of its globals; None if there is none."""
    if caller is None:
        return None
    passing = adapter.variables_of_comprehensions(caller)
    near = [(name, value) for name, value in entries_of(caller.f_locals) if type(name) is str and name not in passing]
    adapter.drop_locals_snapshot(caller)
    variables = [*near, *((name, value) for name, value in entries_of(caller.f_globals) if type(name) is str)]
    for name, value in variables:
        if value is module:
            return name
    for name, value in variables:
        path = _attribute(module, value) if kind_of(value).is_module else None
        if path is not None:
            return f"{name}.{path}"
    return None


def _attribute(module: Any, above: Any) -> str | None:
    """Return the path under which `above` has registered a module: "fc", "layers.0"."""
    waiting = deque([("", above)])
    for _ in range(MOST_CHILDREN):
        if not waiting:
            break
        path, parent = waiting.popleft()
        for name, child in _children(parent):
            if child is module:
                return path + name
            waiting.append((f"{path}{name}.", child))
    return None


def _children(module: Any) -> list[tuple[str, Any]]:
    """Return the registered children from the instance `__dict__`, because a snippet may define `named_children`."""
    kind = kind_of(module)
    attributes = kind.attributes(module) if kind.is_module else None
    registered = None if attributes is None else attributes.get("_modules")
    if type(registered) is not dict:
        return []
    return [
        (name, child) for name, child in islice(registered.items(), MOST_CHILDREN) if type(name) is str and child is not None
    ]
