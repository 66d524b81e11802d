"""Describes variables that are not tensors: by the `repr` of built-in values, and by the class of other objects."""

import math
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from itertools import islice
from operator import is_
from typing import Any, Literal

import numpy as np
import torch

from app.trace.clipping import clip
from app.trace.records import Held
from app.tracer.naming.names import Kind, kind_of, name_of_class

MOST_VARIABLES = 1000
"""Maximum number of described variables per frame: `from torch import *` binds more names than are useful."""
MOST_CHARACTERS = 200
"""Maximum number of characters that are written out of a string, or of all items of a collection."""
MOST_ITEMS = 8
"""Maximum number of items of a collection that are written out, and checked after every statement."""
MOST_BITS = 1024
"""Maximum number of bits of an int that is written out. Python refuses to convert longer ints, because the time is quadratic."""

_ANY, _SAME, _NONE = object(), object(), object()

Known = tuple[Kind, Any, int, Held]
"""The last record of a variable: the Kind of its value, the object that recognises it, its length or id, and the fact."""
Described = tuple[Any, int, Held]
Describe = Callable[[Any, Kind], Described]
"""Describes a value. Returns three things: an object that recognises the value later and holds no tensor, a length or `id` of
the value, and the description.

The object that recognises the value is the value itself if it is small and immutable, and the list of the described items if
the value is a collection of such values. It is _ANY if only the class is described. It is _SAME if a name is described and the
`id` recognises the value; a function that replaced another one at the same address within one statement is then not noticed. It
is _NONE if the value must be described again each time."""


class Variables:
    """The last record of the variables of one frame that are not tensors.

    Only numbers and short strings are kept. Values that may hold a tensor, or change unnoticed, are described again each time.
    """

    __slots__ = ("_known", "ids")

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self.ids: dict[str, int] = {}
        """The ids of recorded Variables, by name."""

    def changes(self, variables: list[tuple[str, Any, Kind]]) -> list[tuple[str, Held | None]]:
        """Return the changed variables of a frame, with None for a variable that was deleted or holds a tensor."""
        known = self._known
        found: list[tuple[str, Held | None]] = []
        for name, value, kind in variables:
            before = known.get(name)
            if before is None:
                if len(known) < MOST_VARIABLES:
                    known[name] = now = kind, *_described(value, kind)
                    found.append((name, now[3]))
            elif before[0] is not kind or not (
                before[1] is value
                or before[1] is _ANY
                or (before[2] == id(value) if before[1] is _SAME else type(before[1]) is list and _has_same(value, before))
            ):
                known[name] = now = kind, *_described(value, kind)
                if now[3] != before[3]:
                    found.append((name, now[3]))
        if len(known) > len(variables) or (len(known) == MOST_VARIABLES and len(variables) > MOST_VARIABLES):
            bound = {name for name, _, _ in variables}
            for name in [name for name in known if name not in bound]:
                del known[name]
                found.append((name, None))
        return found


def described(value: Any) -> Held:
    """Return the description of a value that is not a tensor."""
    return _described(value, kind_of(value))[2]


def _described(value: Any, kind: Kind) -> Described:
    describe: Describe = kind.written
    if describe is None:
        describe = kind.written = _way_to_describe(kind)
    return describe(value, kind)


def _has_same(collection: Any, before: Known) -> bool:
    """Whether a collection of the same Kind still has the same description."""
    kept = before[1]
    if len(collection) != before[2]:
        return False
    items = _first_items(collection)
    return len(items) == len(kept) and all(map(is_, items, kept))


def _first_items(collection: Any) -> list[Any]:
    """Return the first items of an exact built-in collection, whose iterator runs no code of the snippet.

    For a mapping, return each key followed by its value.
    """
    if isinstance(collection, dict):  # OrderedDict's own iterator looks up each key, which calls the key's `__eq__`
        return [part for item in islice(dict.items(collection), MOST_ITEMS) for part in item]
    return list(islice(collection, MOST_ITEMS))


def _way_to_describe(kind: Kind) -> Describe:
    of = kind.of()
    assert of is not None, "the described value keeps its class alive"
    way = _WAYS.get(id(of))
    if way is None:
        bases = {id(base) for base in type.__dict__["__mro__"].__get__(of)}
        way = _class if id(type) in bases else _module if id(types.ModuleType) in bases else _object
    return way


# --- values -----------------------------------------------------------------------------------------------------------


def _number(value: Any, kind: Kind) -> Described:
    return value, 0, Held(type=kind.name, text=repr(value))


def _int(value: int, kind: Kind) -> Described:
    if value.bit_length() <= MOST_BITS:
        return _number(value, kind)
    return _NONE, 0, Held(type=kind.name, length=int(value.bit_length() * math.log10(2)) + 1)


def _text(value: str | bytes, kind: Kind) -> Described:
    if len(value) <= MOST_CHARACTERS:
        return _number(value, kind)
    return _NONE, 0, Held(type=kind.name, text=repr(value[:MOST_CHARACTERS]) + "…", length=len(value))


def _range(value: range, kind: Kind) -> Described:
    return _parts("range", value, [value.start, value.stop, *([value.step] if value.step != 1 else [])], kind)


def _slice(value: slice, kind: Kind) -> Described:
    return _parts("slice", value, [value.start, value.stop, value.step], kind)


def _parts(name: str, value: Any, parts: list[Any], kind: Kind) -> Described:
    return _NONE, 0, Held(type=kind.name, text=f"{name}({', '.join(_item(part) for part in parts)})")


def _item(value: Any) -> str:
    """Return the text of an item of a collection: the `repr` of a plain value, the brackets of a collection, or a class name."""
    kind = kind_of(value)
    way = _WAYS.get(id(type(value)))
    if way in _PLAIN:
        text = way(value, kind)[2].text
        return clip(kind.name if text is None else text, MOST_CHARACTERS // 4)
    if way is _collection:
        begin, end = _BRACKETS[id(type(value))]
        return f"{begin}{'…' if len(value) else ''}{end}"
    return clip(kind.name, MOST_CHARACTERS // 4)


# --- collections ------------------------------------------------------------------------------------------------------


def _collection(value: Any, kind: Kind) -> Described:
    items, length = _first_items(value), len(value)
    texts = [_item(item) for item in items]
    if isinstance(value, dict):
        texts = [f"{key}: {item}" for key, item in zip(texts[::2], texts[1::2], strict=True)]
    while len(texts) > 1 and sum(map(len, texts)) > MOST_CHARACTERS:
        texts.pop()
    inside = ", ".join([*texts, "…"] if len(texts) < length else texts)
    begin, end = _BRACKETS[id(type(value))]
    if not length:
        begin, end = _EMPTY.get(id(type(value)), (begin, end))
    elif length == 1 and type(value) is tuple:
        end = ",)"
    held = Held(kind="collection", type=kind.name, text=f"{begin}{inside}{end}", length=length)
    return (items if all(map(_never_changes, items)) else _NONE), length, held


def _never_changes(item: Any) -> bool:
    """Whether this is a plain value that is small enough to keep."""
    way = _WAYS.get(id(type(item)))
    return way in _PLAIN and way(item, kind_of(item))[0] is item


# --- arrays -----------------------------------------------------------------------------------------------------------


def _array(value: Any, kind: Kind) -> Described:
    low, high = np.lib.array_utils.byte_bounds(value)
    text = f"{value.shape} {value.dtype}"
    return _NONE, 0, Held(kind="array", type=kind.name, text=clip(text, MOST_CHARACTERS), address=hex(low), span=high - low)


# --- described by class or name only ----------------------------------------------------------------------------------


def _object(value: Any, kind: Kind) -> Described:
    return _ANY, 0, Held(kind="object", type=kind.name)


def _class(value: Any, kind: Kind) -> Described:
    return _named(value, "class", name_of_class, kind)


def _function(value: Any, kind: Kind) -> Described:
    return _named(value, "function", _name_of_function, kind)


def _method(value: Any, kind: Kind) -> Described:
    return _named(value, "function", _name_of_method, kind)


def _module(value: Any, kind: Kind) -> Described:
    return _named(value, "module", _name_of_module, kind)


def _named(
    value: Any, what: Literal["class", "function", "module"], read: Callable[[Any], str | None], kind: Kind
) -> Described:
    name = read(value)
    return _SAME, id(value), Held(kind=what, type=kind.name, text=None if name is None else clip(name))


def _name_of_function(function: Any) -> str:
    return str.__str__(_NAMES_OF_FUNCTIONS[id(type(function))].__get__(function))


def _name_of_method(method: Any) -> str | None:
    """Return the name of the called function; None for another callable, because reading its name could run code of its class."""
    function = types.MethodType.__dict__["__func__"].__get__(method)
    return _name_of_function(function) if id(type(function)) in _NAMES_OF_FUNCTIONS else None


def _name_of_module(module: Any) -> str | None:
    """Return the `__name__` of a module if this is the dict's first entry, as by default. The name is not looked up in the
    dict, because a look-up could run the `__eq__` of a key."""
    attributes = _DICTIONARY_OF_MODULE.__get__(module)
    for key, name in islice(dict.items(attributes), 1) if type(attributes) is dict else ():
        if type(key) is str and key == "__name__" and type(name) is str:
            return name
    return None


_DICTIONARY_OF_MODULE: Any = vars(types.ModuleType)["__dict__"]
_NAMES_OF_FUNCTIONS: dict[int, Any] = {
    id(of): of.__dict__["__name__"] for of in (types.FunctionType, types.BuiltinFunctionType)
}
_WAYS: dict[int, Describe] = {
    **dict.fromkeys(map(id, (bool, float, complex, type(None), torch.dtype, torch.device)), _number),
    id(int): _int,
    id(str): _text,
    id(bytes): _text,
    id(range): _range,
    id(slice): _slice,
    **dict.fromkeys(map(id, (list, tuple, deque, set, frozenset, dict, OrderedDict, defaultdict, torch.Size)), _collection),
    id(np.ndarray): _array,
    id(types.FunctionType): _function,
    id(types.BuiltinFunctionType): _function,
    id(types.MethodType): _method,
}
"""The function that describes the instances of each built-in class, by the `id` of the class. Subclasses are not included,
because they may override methods."""
_PLAIN = (_number, _int, _text)
_BRACKETS = {
    id(list): ("[", "]"),
    id(tuple): ("(", ")"),
    id(deque): ("deque([", "])"),
    id(set): ("{", "}"),
    id(frozenset): ("frozenset({", "})"),
    id(torch.Size): ("torch.Size([", "])"),
    **dict.fromkeys(map(id, (dict, OrderedDict, defaultdict)), ("{", "}")),
}
_EMPTY = {id(set): ("set(", ")"), id(frozenset): ("frozenset(", ")")}
