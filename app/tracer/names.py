"""Finds the paths by which a frame's variables reach tensors, without running a line of the snippet's code."""

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

MAX_DEPTH = 6
"""Attributes and items on one path: `model.layers[3].attention.query.weight` has five."""
MAX_VISITED = 4096
"""Objects looked at per scan; a training set in a list must not cost more than the step it is watched for."""

_OPAQUE = {
    str,
    bytes,
    int,
    float,
    complex,
    bool,
    type(None),
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.CodeType,
    torch.dtype,
    torch.device,
    torch.Size,
}
_SEQUENCES = (list, tuple, deque)
_MAPPINGS = (dict, OrderedDict, defaultdict)


def tensors_by_path(variables: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """(path, tensor) for every tensor these variables reach, breadth first, so the shortest path of an object comes first.

    Follows exact built-in containers, the parameters, buffers and children of modules, and instance dictionaries; never a
    property, `__getattr__`, `__iter__` or any other code a snippet may define. Bounded by MAX_DEPTH and MAX_VISITED.
    """
    waiting: deque[tuple[str, Any, int]] = deque(
        (name, value, 0) for name, value in list(variables.items()) if type(name) is str and not name.startswith("__")
    )
    entered: set[int] = set()
    visited = 0
    while waiting and visited < MAX_VISITED:
        path, value, depth = waiting.popleft()
        visited += 1
        bases = _bases(value)
        if torch.Tensor in bases:
            yield path, value
        elif depth < MAX_DEPTH and id(value) not in entered and _OPAQUE.isdisjoint(bases):
            entered.add(id(value))
            room = MAX_VISITED - visited
            waiting.extend((path + suffix, child, depth + 1) for suffix, child in _children(value, room))


def _bases(value: Any) -> tuple[type, ...]:
    """The classes of an object. `isinstance` would ask `__class__`, which a snippet may define."""
    found: tuple[type, ...] = type.__dict__["__mro__"].__get__(type(value))
    return found


def _children(value: Any, room: int) -> Iterable[tuple[str, Any]]:
    kind = type(value)
    if kind in _SEQUENCES:
        return [(f"[{index}]", item) for index, item in zip(range(room), list(value), strict=False)]
    if kind in _MAPPINGS:
        return [(f"[{_key(key)}]", item) for key, item in list(value.items())[:room] if _key(key)]
    attributes = _attributes(value)
    if attributes is None:
        return []
    if torch.nn.Module in _bases(value):
        return _module(attributes)
    return [(f".{name}", item) for name, item in list(attributes.items())[:room] if type(name) is str]


def _key(key: Any) -> str:
    return repr(key) if type(key) in (str, int, bool, float) and len(repr(key)) < 40 else ""


def _attributes(value: Any) -> dict[str, Any] | None:
    """The instance's own `__dict__`, read past any `__getattribute__`; None when it has none or redefines it."""
    for base in _bases(value):
        found = type.__dict__["__dict__"].__get__(base).get("__dict__")
        if found is not None:
            if type(found) is not types.GetSetDescriptorType:
                return None
            attributes = found.__get__(value)
            return attributes if type(attributes) is dict else None
    return None


def _module(attributes: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """A module's registered tensors and children under the names a reader writes; then its other attributes."""
    for registry in ("_parameters", "_buffers", "_modules"):
        registered = attributes.get(registry)
        if registered is not None and type(registered) in _MAPPINGS:
            for name, item in list(registered.items()):
                if item is not None and type(name) is str:
                    yield (f"[{name}]" if name.isdigit() else f".{name}"), item
    for name, item in list(attributes.items()):
        if type(name) is str and not name.startswith("_"):
            yield f".{name}", item
