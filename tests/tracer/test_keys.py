"""Name tensors in dicts whose keys are Tensors, such as `opt.state[net[0].weight]['exp_avg']`."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from app.tracer.naming.names import Keyed, Reach
from tests.trace.state import State
from tests.tracer.conftest import Record

TRAINING = """import torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
opt = {optimizer}
x = torch.rand(4, 3)
for _ in range(2):
    opt.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    opt.step()
"""
BY_HAND = """import torch
from collections import defaultdict
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))

class Mean:
    def __init__(self, params):
        self.params = list(params)
        self.state = defaultdict(dict)
        self.m = {p: torch.zeros_like(p) for p in self.params}

    def step(self):
        for p in self.params:
            self.m[p].mul_(0.9).add_(p.grad)
            self.state[p]["last"] = p.grad.clone()

opt = Mean(net.parameters())
for _ in range(2):
    net(torch.ones(4, 3)).sum().backward()
    opt.step()
"""
OPTIMIZERS = {
    "adam": "torch.optim.Adam(net.parameters())",
    "adamw": "torch.optim.AdamW(net.parameters(), amsgrad=True, foreach=False)",
    "momentum": "torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)",
    "rmsprop": "torch.optim.RMSprop(net.parameters(), momentum=0.5, centered=True)",
    "adagrad": "torch.optim.Adagrad(net.parameters())",
}
PROGRAMS = {name: TRAINING.format(optimizer=optimizer) for name, optimizer in OPTIMIZERS.items()} | {"own": BY_HAND}


def plainly(source: str) -> dict[str, Any]:
    """Run a program without a recorder, and return its global variables."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "snippet.py", "exec", dont_inherit=True), scope)
    return scope


def held_by_keys(scope: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Return the tensors in the optimizer's state, by the path that a trace should give them."""
    found = {}
    for parameter, called in zip(scope["net"].parameters(), NAMES, strict=True):
        for slot, value in scope["opt"].state[parameter].items():
            if isinstance(value, torch.Tensor):
                found[f"opt.state[{called}][{slot!r}]"] = value
        if parameter in getattr(scope["opt"], "m", {}):
            found[f"opt.m[{called}]"] = scope["opt"].m[parameter]
    return found


NAMES = ["net[0].weight", "net[0].bias", "net[1].weight", "net[1].bias"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_optimizers_state_is_named_by_its_parameter(program: str, record: Record) -> None:
    source = PROGRAMS[program]
    trace = record(source).trace
    expected = held_by_keys(plainly(source))
    state = State(trace, max(step.ended for step in trace.steps if step.ended is not None))
    reached = state.variables()
    keyed = {name.path: name.key for name in trace.names if name.frame == 0 and name.key is not None and name.path in reached}
    assert keyed.keys() == expected.keys()
    for path, value in expected.items():
        assert keyed[path] == reached[path.partition("[")[2].rpartition("]" if path.startswith("opt.m") else "][")[0]]
        said = state.elements(reached[path])
        assert isinstance(said, list), path
        assert torch.equal(torch.tensor([float(str(each)) for each in said]), value.flatten()), path


def test_what_only_a_key_leads_to_has_a_name(record: Record) -> None:
    trace = record("import torch\nd = {torch.ones(2): torch.zeros(3), 'a': 1}\n").trace
    assert [(name.path, name.key) for name in trace.names] == [
        ("list(d)[0]", None),
        ("d[list(d)[0]]", trace.names[0].tensor[0][1]),
    ]


def test_a_key_is_called_what_comes_later_in_the_same_statement(record: Record) -> None:
    source = "import torch\ndef make():\n    w = torch.ones(2)\n    return {w: torch.zeros(1)}, w\nheld, w = make()\n"
    paths = {name.path for name in record(source).trace.names if name.frame == 0}
    assert paths == {"w", "held[w]"}


def test_a_new_key_of_the_same_name_is_another(record: Record) -> None:
    source = "import torch\nd = {}\nfor _ in range(2):\n    w = torch.ones(1)\n    d = {w: torch.zeros(1)}\n"
    trace = record(source).trace
    keyed = [name for name in trace.names if name.path == "d[w]"]
    assert len({name.key for name in keyed}) == 2
    assert sum(name.tensor[-1][1] is not None for name in keyed) == 1


def test_no_code_of_a_key_is_run(record: Record) -> None:
    source = """import torch
class Key(torch.Tensor):
    asked = 0
    def __hash__(self):
        Key.asked += 1
        return id(self)
    def __eq__(self, other):
        Key.asked += 1
        return self is other
key = torch.ones(2).as_subclass(Key)
d = {key: torch.zeros(1)}
before = Key.asked
x = torch.ones(1)
d[key].add_(1)
print(before, Key.asked)
"""
    run = record(source)
    assert [out.text for out in run.trace.outputs] == ["1 2\n"]
    assert {"d[key]", "key"} <= {name.path for name in run.trace.names}


LEAVES = st.deferred(lambda: st.builds(torch.zeros, st.just(1)) | st.integers() | st.text(max_size=2))
DICTS = st.lists(st.tuples(st.builds(torch.ones, st.just(1)) | st.integers(0, 3), LEAVES), max_size=6).map(dict)


@settings(max_examples=60, deadline=None)
@given(st.lists(DICTS | LEAVES, max_size=4))
def test_keys_are_found_as_python_counts_them(value: list[Any]) -> None:
    reach = Reach("v", value)
    found = {path.written(path.of_key): id(tensor) for path, tensor, _ in reach.found if isinstance(path, Keyed)}
    expected: dict[str, int] = {}
    for place, held in enumerate(value):
        for number, (key, item) in enumerate(held.items() if isinstance(held, dict) else ()):
            if isinstance(key, torch.Tensor):
                expected[f"list(v[{place}])[{number}]"] = id(key)
                if isinstance(item, torch.Tensor):
                    expected[f"v[{place}][list(v[{place}])[{number}]]"] = id(item)
    assert found == expected
    assert all(eval(path, {"v": value}) is not None for path in found)
    assert reach.holds(value)
    for held in value:
        if isinstance(held, dict):
            held[torch.ones(1)] = torch.ones(1)
            assert not reach.holds(value)
            break
