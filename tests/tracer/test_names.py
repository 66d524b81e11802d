"""Find the paths from variables to tensors, such as `net.layers[0].weight`, without running code of the snippet."""

import gc
import math
import sys
import types
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any

import pytest
import torch

from app.tracer.adapter import interpreter
from app.tracer.naming.names import LAST, MAX_DEPTH, MAX_VISITED, TURN, Reach, variables_of


def tensors_by_path(variables: dict[str, Any]) -> list[tuple[str, torch.Tensor]]:
    """Return all paths and their tensors. A path through a Tensor as a key contains another path of that Tensor."""
    return [
        (path if isinstance(path, str) else path.written(path.of_key), tensor)
        for name, value in variables_of(variables)[0].items()
        for path, tensor, _ in Reach(name, value).found
    ]


def paths(**variables: Any) -> dict[str, torch.Tensor]:
    found = list(tensors_by_path(variables))
    assert len({path for path, _ in found}) == len(found)
    return dict(found)


def one() -> torch.Tensor:
    return torch.ones(1)


def test_variables() -> None:
    x, p = one(), torch.nn.Parameter(one())
    found = paths(x=x, p=p, alias=x, number=3, text="abc", module=math, function=one, kind=torch.Tensor, __hidden__=x)
    assert list(found) == ["x", "p", "alias"]
    assert found["x"] is found["alias"] is x
    assert found["p"] is p


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([one(), 1, one()], ["v[0]", "v[2]"]),
        ((one(), [one()]), ["v[0]", "v[1][0]"]),
        (deque([one()]), ["v[0]"]),
        ({"a": one(), 1: one(), 2.5: one(), False: one()}, ["v['a']", "v[1]", "v[2.5]", "v[False]"]),
        (OrderedDict(a=one()), ["v['a']"]),
        (defaultdict(list, a=[one()]), ["v['a'][0]"]),
        ({"it's": one()}, ['v["it\'s"]']),
        ({(1, 2): one(), None: one(), "k" * 99: one()}, []),
        ({one()}, []),
        (types.SimpleNamespace(a=one(), b=types.SimpleNamespace(c=one())), []),
        ([], []),
        ("text", []),
        (range(9), []),
        ((one() for _ in range(2)), []),
    ],
    ids=range(14),
)
def test_containers(value: Any, expected: list[str]) -> None:
    assert list(paths(v=value)) == expected


def test_instances() -> None:
    class Point:
        shared = one()

        def __init__(self) -> None:
            self.x = one()
            self.inner: Any = types.SimpleNamespace()
            self._y = one()
            self.me = self

    assert list(paths(p=Point())) == ["p.x", "p._y"]
    assert list(paths(Point=Point)) == []


def test_modules() -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.BatchNorm1d(2))
            self.scale = torch.nn.Parameter(one())
            self.register_buffer("mean", one())
            self.hidden = [one()]
            self.none = None

    found = list(paths(net=Net()))
    assert found == [
        "net.scale",
        "net.mean",
        "net.hidden[0]",
        "net.layers[0].weight",
        "net.layers[1].weight",
        "net.layers[1].bias",
        "net.layers[1].running_mean",
        "net.layers[1].running_var",
        "net.layers[1].num_batches_tracked",
    ]


def test_the_shortest_path_comes_first() -> None:
    x = one()
    assert list(paths(v=[[x], x])) == ["v[1]", "v[0][0]"]


def test_cycles_end() -> None:
    cycle: list[Any] = [one()]
    cycle.append(cycle)
    mapping: dict[str, Any] = {"x": one()}
    mapping["self"] = mapping
    assert list(paths(c=cycle, d=mapping)) == ["c[0]", "d['x']"]


def test_depth_is_bounded() -> None:
    nested: Any = one()
    for _ in range(MAX_DEPTH):
        nested = [nested]
    assert list(paths(v=nested)) == ["v" + "[0]" * MAX_DEPTH]
    assert list(paths(v=[nested])) == []


def test_a_long_list_is_bounded() -> None:
    found = list(tensors_by_path({"many": [one()] * (3 * MAX_VISITED), "x": one()}))
    assert "x" in [path for path, _ in found]
    assert len(found) <= MAX_VISITED


def test_many_numbers_do_not_hide_what_follows_them() -> None:
    assert "x" in paths(numbers=list(range(10 * MAX_VISITED)), x=one())


@pytest.mark.parametrize("dicts_have_versions", [True, False])
def test_a_reach_holds_until_something_in_it_changes(dicts_have_versions: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not dicts_have_versions:  # Python 3.13 and later have no dict versions
        monkeypatch.setattr(interpreter, "_DICT_VERSION", None)

    class Point:
        pass

    point: Any = Point()
    point.x = one()
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Linear(1, 1))
    inner: list[Any] = [one(), (1, "text", {"k": one()}), point, net]
    value = {"a": inner}

    def walk() -> Reach:
        reach = Reach("v", value)
        assert reach.holds(value)
        return reach

    changes: list[Callable[[], Any]] = [
        lambda: inner.append(one()),
        lambda: inner.__setitem__(0, one()),
        lambda: inner.__setitem__(0, 7),
        lambda: inner[1][2].__setitem__("k", 3),
        lambda: value.__setitem__("b", []),
        lambda: setattr(point, "y", one()),
        lambda: point.__setattr__("__dict__", dict(point.__dict__)),
        lambda: delattr(point, "x"),
        lambda: setattr(net[1], "bias", None),
        lambda: net.append(torch.nn.ReLU()),
        lambda: net[0].register_buffer("extra", one()),
        lambda: setattr(net[0], "cache", [one()]),
        inner.pop,
        value.clear,
    ]
    for change in changes:
        reach = walk()
        change()
        assert not reach.holds(value)
    assert not walk().holds({})


def test_a_list_that_grew_is_not_walked_anew() -> None:
    x, y, z = one(), one(), one()
    value: list[Any] = [x, [y], 3]
    reach = Reach("v", value)
    assert reach.more("v", value) is None
    value += [4, [z]]
    assert not reach.holds(value)
    assert reach.more("v", value) == [("v[4][0]", z, False)]
    assert reach.holds(value)
    value.append(x)
    value[1].append(y)
    assert reach.more("v", value) is None
    reach = Reach("v", value)
    value.insert(0, x)
    assert reach.more("v", value) is None


class Sample:
    def __init__(self) -> None:
        self.value: Any = 0


def calls_of(work: Callable[[], object]) -> int:
    """Return the number of calls of Python functions during `work`."""
    called: list[str] = []
    gc.disable()  # garbage collection could call weak reference callbacks of other tests
    sys.setprofile(lambda frame, event, arg: called.append(event))
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return sum(event == "call" for event in called)


def test_what_a_long_list_costs_does_not_grow_with_it() -> None:
    counts = []
    for length in (2000, 4000):
        value = [Sample() for _ in range(length)]
        reach = Reach("v", value)
        counts.append(calls_of(lambda value=value, reach=reach: reach.holds(value, {id(value)})))  # type: ignore[misc]
        value.append(Sample())
        counts.append(calls_of(lambda value=value, reach=reach: reach.more("v", value, {id(value)})))  # type: ignore[misc]
    assert counts[0] == counts[2] and counts[1] == counts[3]
    assert min(counts) > TURN


@pytest.mark.sweep
@pytest.mark.parametrize("place", [0, 1, TURN - 1, TURN, 1000, 3999 - LAST])
def test_what_changed_in_a_long_list_is_found_when_its_turn_comes(place: int) -> None:
    value = [Sample() for _ in range(4000)]
    for bound, most in [({id(value)}, 4000 / TURN + 1), ({id(value), id(value[place])}, 1), (None, 1)]:
        for skipped in (0, 1, 20):
            reach = Reach("v", value)
            assert all(reach.holds(value, {id(value)}) for _ in range(skipped))
            value[place].value = [one()]
            held = 0
            while reach.holds(value, bound):
                held += 1
                assert held < most


def test_what_changed_at_the_end_of_a_long_list_is_found_at_once() -> None:
    value = [Sample() for _ in range(4000)]
    reach = Reach("v", value)
    assert reach.holds(value, set())
    value[-LAST].value = one()
    assert not reach.holds(value, set())
    reach = Reach("v", value)
    value.append(Sample())
    assert reach.more("v", value, set()) == []
    value[-1].value = one()
    assert not reach.holds(value, set())


def test_a_list_where_another_object_lay_is_walked_anew() -> None:
    for value in (Sample(), {"x": one()}, one()):
        reach = Reach("v", value)
        reach._root = id(grown := [one()])
        assert reach.more("v", grown) is None


def test_what_cannot_be_told_does_not_hold() -> None:
    class Slotted:
        __slots__ = ("__dict__",)

    value: Any = Slotted()
    value.x = one()
    for each in (deque([one()]), value):
        assert not Reach("v", each).holds(each)


def test_an_instance_that_is_its_own_attributes_may_get_others() -> None:
    class Attributes(dict[str, Any]):
        def __init__(self) -> None:
            self.__dict__ = self

    value: Any = Attributes()
    value.x = one()
    reach = Reach("v", value)
    assert reach.found == []
    value.__dict__ = {"x": one()}
    assert not reach.holds(value)
    assert list(paths(v=value)) == ["v.x"]


def test_globals_may_have_keys_that_are_no_names() -> None:
    variables: Any = {1: one(), "x": one()}
    assert [path for path, _ in tensors_by_path(variables)] == ["x"]


def test_the_variables_may_change_meanwhile() -> None:
    variables: dict[str, Any] = {"x": one(), "y": [one()]}
    for path, _ in tensors_by_path(variables):
        variables[path + "_seen"] = 1
    assert "x_seen" in variables


class Loud:
    """An object whose overridden methods raise if the search calls them."""

    def __refuse(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the snippet's code was run")

    __getattr__ = __getattribute__ = __iter__ = __len__ = __eq__ = __hash__ = __repr__ = __bool__ = __contains__ = __refuse
    __dir__ = __getitem__ = keys = items = values = __call__ = __instancecheck__ = __reduce_ex__ = __refuse

    @property
    def x(self) -> torch.Tensor:
        raise AssertionError("a property was run")


def test_no_code_of_the_snippet_runs() -> None:
    loud = Loud()
    object.__setattr__(loud, "inner", one())
    found = [path for path, _ in tensors_by_path({"loud": loud, "held": [loud, {"k": loud}]})]
    assert found == ["loud.inner", "held[0].inner"]


@pytest.mark.parametrize("base", [list, tuple, dict, deque, OrderedDict])
def test_subclasses_of_containers_are_not_entered(base: type) -> None:
    refused = dict.fromkeys(("__iter__", "__len__", "__getitem__", "items", "__getattribute__"), Loud._Loud__refuse)  # type: ignore[attr-defined]
    mine: Any = type("Mine", (base,), refused)
    value = mine({"a": one()}) if issubclass(base, dict) else mine([one()])
    assert list(paths(v=value)) == []


def test_items_of_a_named_tuple_are_called_by_their_fields() -> None:
    pair: Any = namedtuple("pair", "a b")

    class Asked(pair):
        def __iter__(self) -> Any:
            raise AssertionError("__iter__ was asked")

        def __getattribute__(self, name: str) -> Any:
            raise AssertionError("__getattribute__ was asked")

    class Plain(tuple[Any, ...]):
        __slots__ = ()

    packed = torch.nn.utils.rnn.pack_sequence([one()])
    found = paths(v=pair(one(), [one()]), top=torch.ones(3).topk(2), asked=Asked(one(), 2), plain=Plain([one()]), packed=packed)
    assert list(found) == ["v.a", "v.b[0]", "top.values", "top.indices", "asked.a", "packed.data", "packed.batch_sizes"]


def test_another_named_tuple_in_the_same_place_is_noticed() -> None:
    pair: Any = namedtuple("pair", "a b")
    held, other = [pair(one(), 1)], pair(one(), 2)
    reach = Reach("v", held)
    assert reach.holds(held)
    del held[0]
    held.append(pair(one(), 1))  # the new item usually has the memory address of the removed one
    assert not reach.holds(held)
    alone = pair(one(), one())
    reach = Reach("v", alone)
    assert reach.holds(alone) and not reach.holds(other)


def test_class_lies() -> None:
    class Liar:
        @property  # type: ignore[misc]
        def __class__(self) -> Any:
            raise AssertionError("__class__ was asked")

    class Pretender:
        __class__ = torch.Tensor  # type: ignore[assignment]

    assert list(paths(a=Liar(), b=Pretender())) == []


def test_metaclasses_are_not_asked() -> None:
    class Meta(type):
        def mro(cls) -> Any:
            return super().mro()

        def __getattribute__(cls, name: str) -> Any:
            raise AssertionError("the metaclass was asked")

        def __eq__(cls, other: object) -> bool:
            raise AssertionError("the metaclass was asked")

        __hash__ = None  # type: ignore[assignment]

    class Made(metaclass=Meta):
        pass

    made = Made()
    object.__getattribute__(made, "__dict__")["x"] = one()
    assert list(paths(made=made, kind=Made, held={made: one(), "k": made})) == ["made.x", "held['k'].x"]


def test_slots_and_dict_lies() -> None:
    class Slots:
        __slots__ = ("x",)

        def __init__(self) -> None:
            self.x = one()

    class Pretends:
        __dict__ = {"x": one()}

    class Property:
        @property
        def __dict__(self) -> Any:  # type: ignore[override, unused-ignore]
            raise AssertionError("__dict__ was run")

    assert list(paths(a=Slots(), b=Pretends(), c=Property())) == []


def test_a_module_without_its_registries() -> None:
    empty = torch.nn.Module.__new__(torch.nn.Module)
    odd = torch.nn.Linear(1, 1)
    odd.__dict__["_parameters"] = Loud()
    odd.__dict__[3] = one()  # type: ignore[index]
    assert list(paths(empty=empty, odd=odd)) == []


def test_subclass_tensors_are_found_and_left_alone() -> None:
    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *_: Any, **__: Any) -> Any:
            raise AssertionError("__torch_function__ was called")

    mine = torch.Tensor._make_subclass(Mine, one())
    assert list(paths(mine=mine)) == ["mine"]
