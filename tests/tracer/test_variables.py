"""Variables that hold no tensors: the recorder describes their values without running code of the snippet."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.trace.records import Held, Tick
from app.tracer.naming.names import variables_of
from app.tracer.naming.variables import MOST_BITS, MOST_CHARACTERS, MOST_ITEMS, MOST_VARIABLES, Variables
from tests.trace.state import State
from tests.tracer.conftest import Record

WRITTEN_AS_PYTHON_DOES = """
0 -7 2**1023 True 0.1 1e-07 1e400 -1e400 float("nan") 1+2j None '' "it's" "\\n\\ud800\\u202e" b"\\x00a" range(3) range(1,9,2)
slice(1,None) slice(None,2,"a") torch.float32 torch.device("cpu") [] [1] [1,"a",None] () (1,) (1,2.5) {} {"a":1} {1:[]}
{2:"b",(1):{}} set() {1} frozenset() frozenset({1}) deque([1]) [[]] [(),{}] torch.Size([]) torch.Size([2,3]) list(range(8))
""".split()
"""Expressions without spaces, because `split` separates them."""


@pytest.fixture(scope="module")
def held(record: Record) -> Callable[[str], Held]:
    """Return the record of a variable that holds the value of an expression.

    One run records the variables of all expressions.
    """
    lines = [f"v{place} = {expression}" for place, expression in enumerate(WRITTEN_AS_PYTHON_DOES)]
    run = record("\n".join(["import torch", "from collections import deque", *lines]))
    assert run.finished
    now = run.end.state.held()
    return lambda expression: now[f"v{WRITTEN_AS_PYTHON_DOES.index(expression)}"]


@pytest.mark.parametrize("expression", WRITTEN_AS_PYTHON_DOES)
def test_what_python_writes(held: Callable[[str], Held], expression: str) -> None:
    value = eval(expression, {"torch": torch, "deque": deque})
    is_collection = isinstance(value, (list, tuple, dict, set, frozenset, deque))
    kind = "collection" if is_collection else "value"
    length = len(value) if is_collection else None
    assert held(expression) == Held(kind=kind, type=type(value).__name__, text=repr(value), length=length)  # type: ignore[arg-type]


def told(value: Any) -> Held:
    """Return the record of a variable with this value."""
    ((name, fact),) = Variables().changes(variables_of({"v": value})[1])
    assert name == "v" and fact is not None
    return fact


class Point:
    pass


one = torch.ones(1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7**1000, Held(type="int", length=len(str(7**1000)))),
        (-(10**5000), Held(type="int", length=5001)),
        ("x" * 999, Held(type="str", text=repr("x" * MOST_CHARACTERS) + "…", length=999)),
        (b"x" * 999, Held(type="bytes", text=repr(b"x" * MOST_CHARACTERS) + "…", length=999)),
        ([1] * 9, Held(kind="collection", type="list", text="[1, 1, 1, 1, 1, 1, 1, 1, …]", length=9)),
        ([one, Point(), [1], (), Point], Held(kind="collection", type="list", text="[Tensor, Point, […], (), type]", length=5)),
        ([2**2000], Held(kind="collection", type="list", text="[int]", length=1)),
        (OrderedDict(a=1), Held(kind="collection", type="OrderedDict", text="{'a': 1}", length=1)),
        (defaultdict(list, a=[1]), Held(kind="collection", type="defaultdict", text="{'a': […]}", length=1)),
        (range(10**2000), Held(type="range", text="range(0, int)")),
        (Point(), Held(kind="object", type="Point")),
        (torch.nn.Linear(1, 1), Held(kind="object", type="Linear")),
        (Point, Held(kind="class", type="type", text="Point")),
        (int, Held(kind="class", type="type", text="int")),
        (told, Held(kind="function", type="function", text="told")),
        (torch.relu, Held(kind="function", type="builtin_function_or_method", text="relu")),
        (Variables().changes, Held(kind="function", type="method", text="changes")),
        (torch.nn, Held(kind="module", type="module", text="torch.nn")),
    ],
    ids=range(18),
)  # fmt: skip
def test_what_is_cut_short_or_told_by_its_name(value: Any, expected: Held) -> None:
    assert told(value) == expected


def test_all_that_is_written_is_short() -> None:
    """A decoder accepts at most 4096 characters."""
    long = type("N" * 9999, (), {})
    deep = {
        "\U000e0001" * 999: {"k" * 999: long()},
        long(): "\U000e0001" * 999,
        **{2**MOST_BITS - place: long for place in range(9)},
    }
    for value in (long(), long, deep, list(deep), "\U000e0001" * 999, slice(deep, deep, "x" * 999), 2**MOST_BITS - 1):
        held = told(value)
        assert len(held.text or "") <= 4096 and len(held.type) <= 4096


RUN = """
import math
lr = 0.1
history = []
def scaled(x, k=2):
    y = x * k
    history.append(y)
    return y
for i in range(3):
    total = scaled(i)
lr = history
history[0] += 5; history[0] += 5
del i
total = __import__("torch").ones(1)
"""


def test_facts_hold_from_their_statement_on(record: Record) -> None:
    run = record(RUN)
    assert {name for name, held in run.end.state.held().items() if held.kind == "module"} == {"math"}

    def shown(state: State, frame: int = 0) -> dict[str, str | None]:
        return {name: held.text for name, held in state.held(frame).items() if held.kind in ("value", "collection")}  # type: ignore[arg-type]

    assert shown(run.after("lr = 0.1").state) == {"lr": "0.1"}
    after = run.after("history.append(y)", 1).state
    assert shown(after) == {"lr": "0.1", "history": "[0]", "i": "1", "total": "0"}, "as when its own last statement ended"
    frame = run.steps("history.append(y)")[1].frame
    assert frame is not None and shown(after, frame) == {"x": "1", "k": "2", "y": "2"}
    assert shown(run.after("return y", 1).state, frame) == {"x": "1", "k": "2", "y": "2"}
    assert shown(run.after("total = scaled(i)", 1).state, frame) == {}, "the frame is gone"
    assert shown(run.after("total = scaled(i)").state) == {"lr": "0.1", "history": "[0, 2, 4]", "i": "2", "total": "4"}
    assert shown(run.after("history[0] += 5").state) == {"lr": "[0, 2, 4]", "history": "[10, 2, 4]", "i": "2", "total": "4"} | {
        "lr": "[10, 2, 4]"
    }
    assert shown(run.end.state) == {"lr": "[10, 2, 4]", "history": "[10, 2, 4]"}


HOSTILE = """
import torch
ran = []
class Meta(type):
    def __eq__(self, other): ran.append("Meta.__eq__"); return True
    def __hash__(self): ran.append("Meta.__hash__"); return 1
    def __getattribute__(self, name): ran.append("Meta." + name); return type.__getattribute__(self, name)
    __class__ = property(lambda self: ran.append("Meta.__class__"))
def make(base):
    class Nosy(base, metaclass=Meta):
        __slots__ = ()
        __class__ = property(lambda self: ran.append("__class__"))
        __name__ = property(lambda self: ran.append("__name__"))
        __dict__ = property(lambda self: ran.append("__dict__"))
        def __repr__(self): ran.append("__repr__"); return ""
        def __str__(self): ran.append("__str__"); return ""
        def __len__(self): ran.append("__len__"); return 1
        def __bool__(self): ran.append("__bool__"); return True
        def __eq__(self, other): ran.append("__eq__"); return True
        def __hash__(self): ran.append("__hash__"); return hash("__name__")
        def __iter__(self): ran.append("__iter__"); return iter(())
        def __getitem__(self, key): ran.append("__getitem__")
        def __index__(self): ran.append("__index__"); return 1
        def __getattr__(self, name): ran.append(name)
        def __call__(self): ran.append("__call__")
        def items(self): ran.append("items"); return []
        def bit_length(self): ran.append("bit_length"); return 1
    return Nosy
class Text(str, metaclass=Meta):
    def __eq__(self, other): ran.append("Text.__eq__"); return True
    def __hash__(self): ran.append("Text.__hash__"); return 1
    def __str__(self): ran.append("Text.__str__"); return ""
    def __len__(self): ran.append("Text.__len__"); return 1
    def isascii(self): ran.append("Text.isascii"); return True
import types, collections
nosy = [make(base)() for base in (object, int, float, str, list, tuple, dict, set)]
a, b, c, d, e, f, g, h = nosy
inside = [*nosy]
pair = tuple(nosy[:2])
members = {1}
members.add(a)
mapping = {1: a, b: 2}
ordered = collections.OrderedDict([(a, 1), (b, 2)])
part = slice(a, b, c)
method = types.MethodType(a, b)
def function(): pass
function.__name__ = Text("renamed")
class Renamed(metaclass=Meta): pass
type.__dict__["__name__"].__set__(Renamed, Text("other"))
module = types.ModuleType("module")
dict.pop(module.__dict__, "__name__")
module.__dict__[a] = 1
module.__dict__["__name__"] = Text("name")
partly = types.ModuleType("partly")
ran.clear()
one, two, three, four, five, six, seven, eight = nosy
others = inside, pair, members, mapping, ordered
i, p, m, n, o, s = inside, pair, members, mapping, ordered, part
called, made, kind, whole, half = method, function, Renamed, module, partly
x = torch.ones(1)
y = 1
print(len(ran), *ran)
"""


def test_no_code_of_the_snippet_is_run(record: Record) -> None:
    run = record(HOSTILE)
    assert run.finished, run.ended
    assert run.end.state.text() == "0\n"
    held = run.end.state.held()
    assert held["one"] == held["five"] == Held(kind="object", type="Nosy")
    assert held["p"] == Held(kind="collection", type="tuple", text="(Nosy, Nosy)", length=2)
    assert held["o"] == Held(kind="collection", type="OrderedDict", text="{Nosy: 2}", length=1)
    assert held["s"] == Held(type="slice", text="slice(Nosy, Nosy, Nosy)")
    assert held["made"] == Held(kind="function", type="function", text="renamed")
    assert held["called"] == Held(kind="function", type="method")
    assert held["kind"] == Held(kind="class", type="Meta", text="other")
    assert held["whole"] == Held(kind="module", type="module")
    assert held["half"] == Held(kind="module", type="module", text="partly")


def test_what_a_metaclass_prepared_is_read_without_its_code(record: Record) -> None:
    run = record(
        "ran = []\n"
        "class Prepared(dict):\n"
        "    def items(self): ran.append('items'); return super().items()\n"
        "class Foreign:\n"
        "    def __init__(self): self.held = {'__name__': 'Foreign'}\n"
        "    def __getitem__(self, name): return self.held[name]\n"
        "    def __setitem__(self, name, value): self.held[name] = value\n"
        "    def items(self): ran.append('items'); return self.held.items()\n"
        "class Meta(type):\n"
        "    def __prepare__(name, bases): return Foreign() if name == 'Two' else Prepared()\n"
        "    def __new__(kind, name, bases, scope): return type.__new__(kind, name, bases, {})\n"
        "class One(metaclass=Meta):\n"
        "    size = 3\n"
        "class Two(metaclass=Meta):\n"
        "    size = 4\n"
        "print(ran)\n"
    )
    assert run.finished, run.ended
    assert run.end.state.text() == "[]\n"
    sizes = [[held and held.text for _, held in variable.value] for variable in run.trace.variables if variable.name == "size"]
    assert sizes == [["3", None]]


def test_nothing_is_kept_alive(record: Record) -> None:
    run = record(
        "import weakref\n"
        "class Point: pass\n"
        "def gone():\n"
        "    one, many = Point(), [Point(), 1]\n"
        "    f = lambda: many\n"
        "    refs = [weakref.ref(one), weakref.ref(many[0]), weakref.ref(f)]\n"
        "    one = many = f = None\n"
        "    print([ref() for ref in refs])\n"
        "gone()\n"
    )
    assert run.end.state.text() == "[None, None, None]\n"


def test_very_many_variables_are_bounded() -> None:
    variables = Variables()
    scope: dict[str, Any] = {f"v{place}": place for place in range(MOST_VARIABLES + 9)}
    assert len(variables.changes(variables_of(scope)[1])) == MOST_VARIABLES
    assert variables.changes(variables_of(scope)[1]) == []
    del scope["v0"]
    assert variables.changes(variables_of(scope)[1]) == [("v0", None)]
    assert [name for name, _ in variables.changes(variables_of(scope)[1])] == [f"v{MOST_VARIABLES}"]


# --- incremental updates equal a complete description ----------------------------------------------------------------

PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.just("x" * 300),
    st.just(3**999),
    st.binary(max_size=3),
)
VALUES = st.one_of(
    PLAIN,
    st.lists(PLAIN, max_size=MOST_ITEMS + 2),
    st.lists(PLAIN, max_size=2).map(tuple),
    st.sets(st.integers(0, 20)),
    st.dictionaries(st.integers(0, 20), PLAIN),
    st.builds(Point),
    st.just(torch.ones(1)),
    st.just(Point),
    st.builds(lambda: lambda: None),
)
CHANGES = st.one_of(
    st.tuples(st.just("bind"), st.sampled_from("abc"), VALUES),
    st.tuples(st.just("unbind"), st.sampled_from("abc"), st.none()),
    st.tuples(st.just("append"), st.sampled_from("abc"), PLAIN),
    st.tuples(st.just("replace"), st.sampled_from("abc"), PLAIN),
    st.tuples(st.just("shrink"), st.sampled_from("abc"), st.none()),
)


def change(scope: dict[str, Any], what: str, name: str, value: Any) -> None:
    old = scope.get(name)
    if what == "bind":
        scope[name] = value
    elif what == "unbind":
        scope.pop(name, None)
    elif type(old) is list:
        if what == "append":
            old.append(value)
        elif old:
            old[0:1] = [value] if what == "replace" else []
    elif type(old) is dict and what != "append" and old:
        key = next(iter(old))
        old[key] = value
        if what == "shrink":
            del old[key]


@given(st.lists(st.lists(CHANGES, max_size=3), max_size=8))
def test_what_changed_is_found(moments: list[list[tuple[str, str, Any]]]) -> None:
    scope: dict[str, Any] = {}
    variables = Variables()
    now: dict[str, Held | None] = {}
    for changes in moments:
        for one in changes:
            change(scope, *one)
        found = variables.changes(variables_of(scope)[1])
        assert all(now.get(name) != held for name, held in found), "only what is another than before"
        now |= dict(found)
        afresh = dict(Variables().changes(variables_of(scope)[1]))
        assert {name: held for name, held in now.items() if held is not None} == afresh


def test_the_tick_is_that_of_the_statement(record: Record) -> None:
    run = record("lr = 0.1\nlr = 0.2\n")
    (variable,) = run.trace.variables
    assert [(tick, held and held.text) for tick, held in variable.value] == [
        (Tick(step.ended or 0), text) for step, text in zip(run.statements, ("0.1", "0.2"), strict=True)
    ]


def test_where_an_array_lies(record: Record) -> None:
    """An array and the Storage made from it have the same address.

    A slice has an address within the array's memory, and a copy has an address elsewhere.
    """
    lines = [
        "import numpy as np",
        "import torch",
        "a = np.arange(6, dtype=np.float32)",
        "x = torch.from_numpy(a)",
        "b = a[4:1:-1]",
    ]
    run = record("\n".join([*lines, "c = a.copy()", "y = torch.zeros(3)", "d = y.numpy()"]))
    assert run.finished
    state, storages = run.end.state, run.trace.storages
    held, tensors = state.held(), state.variables()
    place = {name: (int(held[name].address or "", 16), held[name].span) for name in "abcd"}
    address = {}
    for name in "xy":
        geometry = state.tensor(tensors[name]).geometry
        assert geometry is not None and geometry.storage is not None
        address[name] = int(storages[geometry.storage].address, 16)
    assert place["a"] == (address["x"], 24) and place["d"] == (address["y"], 12)
    assert place["b"] == (address["x"] + 8, 12)
    assert place["c"][0] != address["x"]
    assert held["b"] == Held(kind="array", type="ndarray", text="(3,) float32", address=held["b"].address, span=12)
