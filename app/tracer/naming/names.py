"""Finds the paths by which a variable reaches tensors, and detects later changes at low cost. This module runs no code of the
snippet."""

import sys
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, TypeGuard

import torch

import app
from app.trace.clipping import clip
from app.tracer import adapter

MAX_DEPTH = 6
"""Maximum number of attributes and items on one path: `model.layers[3].attention.query.weight` has five."""
MAX_MODULES = 32
"""Maximum depth of a module on a path. It is larger, as in `model.encoder.layer[3].attention.self.query.weight`."""
MAX_VISITED = 4096
"""Maximum number of visited containers, instances and tensors per variable, because a training set may be in a list."""
MAX_ITEMS = 1 << 16
"""Maximum number of visited items of one container, including numbers and strings."""
MANY = 32
"""Number of objects above which a walk is large. If an inner frame has an object that the large walk of an outer frame visited,
the inner frame gets only the Names that its own code uses."""
WHOLE = 128
"""Containers with at most this many items are checked completely after every statement."""
TURN = 32
"""Number of items of a longer container that are checked after each statement, in rotation. With four times as many, 6,000
objects did not stay in the processor's cache: each took a third longer than with 600 objects (measured)."""
LAST = 16
"""Number of items at the end of a long container that are checked after every statement, because programs use the items that
they just added."""

Check = tuple[Any, Any, Any]
"""A function, its argument, and the result at the time of the walk. If the function now returns another result, the variable
has changed."""

_OPAQUE = {
    id(of)
    for of in (
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
        torch.SymInt,
        torch.SymFloat,
        torch.SymBool,
    )
}
_FOLDER = app.__path__[0] + "/"
_RECORDED = "app.tracer.library"
"""The name of the module that defines `Recorded`. That module imports this one, so this one cannot import it."""
_SEQUENCES = {id(list), id(tuple), id(deque)}
_MAPPINGS = {id(dict), id(OrderedDict), id(defaultdict)}
_KEYS = {id(str), id(int), id(bool), id(float)}
"""Types of keys with a `repr` that is valid source."""


@dataclass(slots=True, eq=False)
class Key:
    """A Tensor that is a key of a dict, and its position among the keys. The name of the Tensor is known only after all
    variables were walked."""

    tensor: torch.Tensor
    number: int


class Keyed:
    """A path through a dict with Tensor keys, such as `opt.state[w]['exp_avg']`, before the name of `w` is known."""

    __slots__ = ("after", "before", "key")

    def __init__(self, before: str, key: Key, after: str | None = "") -> None:
        self.before = before
        self.key = key
        self.after = after
        """The rest of the path after the key; None for the path of the key itself."""

    def further(self, suffix: str) -> "Keyed":
        return Keyed(self.before, self.key, f"{self.after}{suffix}")

    @property
    def of_key(self) -> str:
        """The expression that stands for the key if no Name leads to it."""
        return f"list({self.before})[{self.key.number}]"

    def written(self, called: str) -> str:
        """Return the path with `called`, the name of the key, inserted."""
        return called if self.after is None else f"{self.before}[{called}]{self.after}"


Path = str | Keyed
Found = list[tuple[Path, torch.Tensor, bool]]
"""Paths, the tensors to which they lead, and whether each is a buffer of a module."""
BUFFERS = "_buffers"
"""The entry of a module's instance dictionary that holds its buffers."""


Child = tuple[str | Key, Any, bool]
"""A child of an object: the suffix that leads to it (`.weight`, `[0]`), the child itself, and whether it is a buffer of a
module."""


class Kind:
    """How the recorder treats the instances of one class."""

    def __init__(self, of: type) -> None:
        bases = _bases(of)
        known = {id(base) for base in bases}  # compared by `id`, because a metaclass may define `==` and `hash`
        self.of = weakref.ref(of)
        self.name = clip(name_of_class(of))
        self.written: Any = None
        """The function that describes its instances, determined on first use (`variables.py`)."""
        self.is_tensor = id(torch.Tensor) in known
        self.is_recording = any(_module_of(base) == _RECORDED for base in bases)
        """The result of `record()`, which is not part of the program."""
        self.fields = _fields(bases)
        """The names of the items of a named tuple, such as the results of `topk` and `max`."""
        self.is_sequence = id(of) in _SEQUENCES or bool(self.fields)
        self.is_mapping = id(of) in _MAPPINGS
        self.is_module = id(torch.nn.Module) in known
        self.dictionary = None if self.is_sequence or self.is_mapping else _dictionary(bases)
        """Reads the instance's own `__dict__`, bypassing `__getattribute__`."""
        self.is_opaque = not (self.is_tensor or self.is_sequence or self.is_mapping) and (
            not _OPAQUE.isdisjoint(known) or self.dictionary is None or _is_of_stepgrad(of)
        )

    def attributes(self, value: Any) -> dict[str, Any] | None:
        """The instance's own `__dict__`; None if the instance has no `__dict__` or replaced it."""
        attributes = None if self.dictionary is None else self.dictionary.__get__(value)
        return attributes if type(attributes) is dict else None


def name_of_class(of: type) -> str:
    """The class's `__name__`, bypassing a metaclass and an attribute of that name."""
    return str.__str__(type.__dict__["__name__"].__get__(of))


def is_attribute(suffix: str | Key) -> TypeGuard[str]:
    """Whether this suffix of a path reads an attribute, as `.weight` does."""
    return isinstance(suffix, str) and suffix.startswith(".")


@lru_cache(maxsize=1024)
def named_by(code: types.CodeType) -> frozenset[str]:
    """Return the names in the code of a function and of the functions that it defines, among them all attributes that the code
    reads."""
    inner = (named_by(part) for part in code.co_consts if type(part) is types.CodeType)
    return frozenset(code.co_names).union(*inner)


def _is_of_stepgrad(of: type) -> bool:
    """Whether a class belongs to Stepgrad, such as `Recorded`. Instances of such classes hold the trace, which grows with every
    walk."""
    name = _module_of(of)
    module = None if name is None else sys.modules.get(name)
    path = module.__dict__.get("__file__") if type(module) is types.ModuleType else None
    return type(path) is str and path.startswith(_FOLDER)


def _module_of(of: type) -> str | None:
    name = type.__dict__["__dict__"].__get__(of).get("__module__")
    return name if type(name) is str else None


def _bases(of: type) -> tuple[type, ...]:
    found: tuple[type, ...] = type.__dict__["__mro__"].__get__(of)
    return found


def codes_of(of: type, name: str) -> Iterator[types.CodeType]:
    """The code of the functions with this name in a class and its bases, bypassing a metaclass."""
    for base in _bases(of):
        defined = type.__dict__["__dict__"].__get__(base).get(name)
        if type(defined) is types.FunctionType:
            yield defined.__code__


def _fields(bases: tuple[type, ...]) -> tuple[str, ...]:
    """Return the item names of a class made by `collections.namedtuple`, `typing.NamedTuple` or torch; () for other classes."""
    if len(bases) < 3 or bases[-2] is not tuple:
        return ()
    for base in bases[:-2]:
        fields = type.__dict__["__dict__"].__get__(base).get("__match_args__")
        if type(fields) is tuple and fields and all(type(field) is str and field.isidentifier() for field in fields):
            return fields
    return ()


def _dictionary(bases: tuple[type, ...]) -> types.GetSetDescriptorType | None:
    for base in bases:
        found = type.__dict__["__dict__"].__get__(base).get("__dict__")
        if found is not None:
            return found if type(found) is types.GetSetDescriptorType else None
    return None


_kinds: dict[int, Kind] = {}


def kind_of(value: Any) -> Kind:
    """Return the Kind of an object's class. `isinstance` is unsuitable, because it reads `__class__`, which a snippet may
    define."""
    of = type(value)
    known = _kinds.get(id(of))
    if known is None or known.of() is not of:  # classes are held weakly, because a closure may hold tensors
        known = _kinds[id(of)] = Kind(of)
    return known


def entries_of(scope: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Return a frame's locals; [] for a class body whose metaclass prepared a mapping that is not a dict."""
    if type(scope) is dict or type(scope) is adapter.FRAME_LOCALS:
        return list(scope.items())
    return list(dict.items(scope)) if any(base is dict for base in _bases(type(scope))) else []  # type: ignore[arg-type]


def variables_of(
    scope: Mapping[str, Any], hidden: Set[str] = frozenset()
) -> tuple[dict[str, Any], list[tuple[str, Any, Kind]]]:
    """Return the variables of a frame that may reach a tensor, and the variables that are not tensors. Containers occur in both
    results.

    Variables in `hidden` are left out.
    """
    reaching: dict[str, Any] = {}
    others: list[tuple[str, Any, Kind]] = []
    for name, value in entries_of(scope):
        if type(name) is str and not name.startswith("__") and name not in hidden:
            of = type(value)
            kind = _kinds.get(id(of))
            if kind is None or kind.of() is not of:
                kind = kind_of(value)
            if not kind.is_opaque:
                reaching[name] = value
            if not (kind.is_tensor or kind.is_recording):
                others.append((name, value, kind))
    return reaching, others


class Reach:
    """The tensors that one variable reached when it was walked, in the order of the lengths of their paths.

    A walk follows exact built-in containers, the parameters, buffers and children of modules, and instance dictionaries; never a
    property, `__getattr__`, `__iter__` or other code of a snippet. A path has at most one Tensor as a key. The walk is limited
    by MAX_DEPTH, MAX_VISITED and MAX_ITEMS.
    """

    def __init__(self, name: str, value: Any, only: Set[str] | None = None) -> None:
        self._root = id(value)
        self._only = only
        """The attributes that are followed; None for all."""
        self._checks: list[Check] = []
        """The checks that find a change of the variable. Their order matters: a check that succeeds proves that the objects
        which later checks read are still alive."""
        self._items: list[list[Check]] = []
        """Further checks for each item of a walked container. They depend only on the container's own checks."""
        self._places: dict[int, int] = {}
        """The index of an item's checks in `_items`, by the `id` of the item."""
        self._turn = 0
        self._is_certain = True
        """Whether the checks detect every change of the variable."""
        self._entered: dict[int, int] = {}
        """The depth of the shortest path to each visited container or instance, by its `id`. The walk continues only along that
        path."""
        self._visited = 0
        kind = kind_of(value)
        self.is_container = kind.is_sequence or kind.is_mapping
        self.found = self._walk([(name, value)])

    def enters(self, value: Any) -> bool:
        """Whether this walk visited many objects, and passed through `value`, a container or an instance."""
        return self._visited > MANY and id(value) in self._entered

    def holds(self, value: Any, bound: Set[int] | None = None) -> bool:
        """Whether `value` is the object that was walked, and every container in it still holds the same objects.

        Of a long container, only the last items, items with an `id` in `bound`, and some others in rotation are checked. If
        `bound` is None, all items are checked. A new object at the address of a freed object is noticed only if the freed
        object was a tensor, because the caller knows which tensors died.
        """
        if id(value) != self._root or not self._is_certain:
            return False
        return (not self._checks or self._hold(self._checks)) and (not self._items or self._items_hold(bound))

    def more(self, name: str, value: Any, bound: Set[int] | None = None) -> Found | None:
        """Return the tensors that a list reaches through items appended since the walk; None if the list changed in another
        way."""
        if id(value) != self._root or type(value) is not list or not self._is_certain:
            return None
        read, address, before = self._checks[0] if self._checks else (None, 0, b"")
        if read is not adapter.items_of:  # during the walk, another object had this address
            return None
        now = read(address)
        if len(now) <= len(before) or not now.startswith(before[16:], 16) or not self._items_hold(bound):
            return None
        self._checks[0] = read, address, now
        begin = (len(before) - 16) // 8
        found = self._walk([(f"{name}[{index}]", item) for index, item in enumerate(value[begin:MAX_ITEMS], begin)], 1)
        return found if self._is_kept() else None

    def _is_kept(self) -> bool:
        return self._is_certain

    def _items_hold(self, bound: Set[int] | None) -> bool:
        items = self._items
        if bound is None or len(items) <= WHOLE:
            return self._hold(chain.from_iterable(items))
        begin, end = self._turn, self._turn + TURN
        self._turn = end if end < len(items) else 0
        used = (items[self._places[key]] for key in bound & self._places.keys())
        return self._hold(chain.from_iterable(chain(items[begin:end], items[-LAST:], used)))

    @staticmethod
    def _hold(checks: Iterable[Check]) -> bool:
        for read, argument, expected in checks:
            if read is None:
                if argument.value != expected:
                    return False
            elif read(argument) != expected:
                return False
        return True

    def _walk(self, paths: list[tuple[str, Any]], depth: int = 0) -> Found:
        found: Found = []
        waiting: deque[tuple[Path, Any, Kind, int, list[Check], bool]] = deque(
            (path, value, kind, depth, self._checks_of(value, kind, depth, self._checks), False)
            for path, value in paths
            if not (kind := kind_of(value)).is_opaque
        )
        while waiting and self._visited < MAX_VISITED:
            path, value, kind, depth, checks, is_buffer = waiting.popleft()
            self._visited += 1
            if kind.is_tensor:
                found.append((path, value, is_buffer))
            elif depth < self._entered.get(id(value), MAX_MODULES if kind.is_module else MAX_DEPTH):
                if id(value) in self._entered:  # only possible for items that were appended to a list
                    self._is_certain = False
                self._entered[id(value)] = depth
                further: Path | None
                for suffix, child, is_buffer in self._children(value, kind, checks):
                    of = type(child)
                    child_kind = _kinds.get(id(of))
                    if child_kind is None or child_kind.of() is not of:
                        child_kind = kind_of(child)
                    if self._only is not None and is_attribute(suffix) and suffix[1:] not in self._only:
                        continue
                    if isinstance(suffix, Key):
                        further = _through(path, suffix, found)  # `found` gets the key even if the value is opaque
                    elif child_kind.is_opaque:
                        continue
                    else:
                        further = path + suffix if isinstance(path, str) else path.further(suffix)
                    if further is not None and not child_kind.is_opaque:
                        child_checks = checks if depth else self._checks_of(child, child_kind, 1, checks)
                        waiting.append((further, child, child_kind, depth + 1, child_checks, is_buffer))
        return found

    def _checks_of(self, value: Any, kind: Kind, depth: int, surrounding: list[Check]) -> list[Check]:
        """Return the list to which the checks of this value are added. The items of a container have separate lists."""
        if depth != 1 or not self.is_container or kind.is_tensor:
            return surrounding
        if id(value) not in self._places:
            self._places[id(value)] = len(self._items)
            self._items.append([])
        return self._items[self._places[id(value)]]

    def _children(self, value: Any, kind: Kind, checks: list[Check]) -> Iterable[Child]:
        if kind.is_sequence:
            if kind.fields:
                place = id(value), id(type(value))
                checks.append((adapter.items_of_named, place, adapter.items_of_named(place)))
                return [(f".{name}", item, False) for name, item in zip(kind.fields, tuple.__iter__(value), strict=False)]
            self._check_items(value, checks)
            return [(f"[{index}]", item, False) for index, item in zip(range(MAX_ITEMS), list(value), strict=False)]
        if kind.is_mapping:
            self._check_version(value, checks)
            return _items(value)
        attributes = kind.attributes(value)
        if attributes is None:
            self._is_certain = False  # a `__dict__` that the object gets later would be missed
            return []
        try:
            checks.append((_dictionary_of(kind), weakref.ref(value), id(attributes)))
        except TypeError:  # the class does not support weak references
            self._is_certain = False
        self._check_version(attributes, checks)
        return self._module(attributes, checks) if kind.is_module else _attributes(attributes)

    def _module(self, attributes: dict[str, Any], checks: list[Check]) -> Iterator[Child]:
        """The registered tensors and children of a module, followed by its other attributes."""
        for registry in ("_parameters", BUFFERS, "_modules"):
            registered = attributes.get(registry)
            if registered is not None and id(type(registered)) in _MAPPINGS:
                self._check_version(registered, checks)
                for name, item in list(registered.items()):
                    if item is not None and type(name) is str:
                        yield _registered(name), item, registry is BUFFERS
        for name, item in list(attributes.items()):
            if type(name) is str and not name.startswith("_"):
                yield f".{name}", item, False

    def _check_version(self, mapping: dict[Any, Any], checks: list[Check]) -> None:
        cell = adapter.version_of_dict(mapping)
        if cell is None:
            checks.append((adapter.entries_at, id(mapping), adapter.entries_at(id(mapping))))
        else:
            checks.append((None, cell, cell.value))

    def _check_items(self, sequence: Any, checks: list[Check]) -> None:
        if type(sequence) is deque:
            self._is_certain = False
        else:
            checks.append((adapter.items_of, id(sequence), adapter.items_of(id(sequence))))


def _dictionary_of(kind: Kind) -> Callable[[Any], int]:
    assert kind.dictionary is not None
    read = kind.dictionary.__get__
    return lambda holder: id(read(instance)) if (instance := holder()) is not None and type(instance) is kind.of() else 0


def _registered(name: str) -> str:
    """Return the source for a registered name: `[0]` in a Sequential, `.weight`, `['a-b']` in a ModuleDict."""
    return f"[{name}]" if name.isdigit() else f".{name}" if name.isidentifier() else f"[{name!r}]"


def _attributes(attributes: dict[str, Any]) -> list[Child]:
    return [(f".{name}", item, False) for name, item in list(attributes.items())[:MAX_ITEMS] if type(name) is str]


def _items(mapping: dict[Any, Any]) -> Iterator[Child]:
    # OrderedDict's own iterator looks up each key, which calls the key's `__eq__`.
    for number, (key, item) in enumerate(list(dict.items(mapping))[:MAX_ITEMS]):
        if id(type(key)) in _KEYS:
            written = repr(key)
            if len(written) < 40:
                yield f"[{written}]", item, False
        elif kind_of(key).is_tensor:
            yield Key(key, number), item, False


def _through(path: Path, key: Key, found: Found) -> Keyed | None:
    """Return the path to the value of a key, and add the key to `found`; None if the path already has a Tensor as a key."""
    if not isinstance(path, str):
        return None
    found.append((Keyed(path, key, None), key.tensor, False))
    return Keyed(path, key)
