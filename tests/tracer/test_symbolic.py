"""Tracing a program with symbolic sizes gives the same result with and without the recorder.

The recorder never evaluates a symbolic size, because that would add a guard.
"""

import json

import pytest

from app.trace.ends import Finished
from app.trace.index import Index
from app.trace.query import end_of, value_at
from tests.explain.recorded import record
from tests.recordings import folded
from tests.tracer.bare import said_by
from tests.tracer.workers import How, Worker

REFUSING = """
import sys
import torch
import torch.fx.experimental.sym_node as _node

_asked = []
def _refusing(owner, name):
    original = getattr(owner, name)
    def call(*args, **kwargs):
        code = sys._getframe(1).f_code
        if "/app/tracer/" in code.co_filename and code.co_name != "run_operator":
            _asked.append(f"{owner.__name__}.{name} in {code.co_qualname}")
            raise AssertionError(_asked[-1])
        return original(*args, **kwargs)
    setattr(owner, name, call)

for _kind in (torch.SymInt, torch.SymFloat, torch.SymBool):
    for _name in dir(_kind):
        if _name.startswith("__") and _name.strip("_") not in (
            "class dict doc module weakref init new getattribute getattr setattr delattr dir init_subclass subclasshook annotations"
        ).split() and callable(getattr(_kind, _name)):
            _refusing(_kind, _name)
for _name in [name for name in vars(_node.SymNode) if name in "bool_ int_ float_ str".split() or "guard" in name]:
    _refusing(_node.SymNode, _name)
"""
"""Makes every operation on a symbolic number raise if the recorder calls it."""

PROGRAMS = {
    "make_fx": """
from torch.fx.experimental.proxy_tensor import make_fx
def f(x):
    n = x.shape[0]
    y = x.view(-1)
    y.add_(1)
    return y * y.shape[0] + n
g = make_fx(f, tracing_mode="symbolic")(torch.ones(3, 4))
print(g.code, g(torch.ones(2, 5)).sum(), [guard.expr for guard in g.shape_env.guards])
""",
    "make_fx of a backward": """
from torch.fx.experimental.proxy_tensor import make_fx
def f(x):
    y = (x.exp() * x.shape[0] * x).sum() if x.shape[0] > 2 else x.sum()
    return torch.autograd.grad(y, x)
g = make_fx(f, tracing_mode="symbolic")(torch.ones(4, 2, requires_grad=True))
print(g.code, g(torch.ones(6, 4, requires_grad=True)), [guard.expr for guard in g.shape_env.guards])
""",
    "export": """
from torch.export import Dim, export
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 2)
    def forward(self, x):
        return self.fc(x) * x.shape[0]
exported = export(Net(), (torch.ones(3, 4),), dynamic_shapes={"x": {0: Dim("n")}})
print(exported.graph, exported.range_constraints, exported.module()(torch.ones(7, 4)).shape)
""",
    "held in variables": """
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
env = ShapeEnv()
mode = FakeTensorMode(shape_env=env)
x = mode.from_tensor(torch.ones(3, 4), static_shapes=False)
n, m = x.shape
half, both = torch.sym_float(n) / 2, n * m
larger = torch.sym_max(n, m)
held = [n, (n, m), {"n": n}, {0: half}, x.shape, slice(0, n), larger]
held.append(n)
plain = torch.empty(n, m, device="meta")
row = plain.as_strided((n,), (1,), n)
concrete = plain.as_strided((2,), (1,))
concrete.add_(1)
plain.mul_(2)
w = torch.empty(4, device="meta")
v = w[:2]
w.resize_(n)
v.add_(1)
w.data = plain
leaf = torch.empty(n, m, device="meta", requires_grad=True)
out = (leaf * leaf * n).exp()
try:
    raise ValueError(n, [m])
except ValueError:
    pass
del held
print([guard.expr for guard in env.guards], x.shape, row.shape)
""",
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_ends_as_it_does_untraced(name: str, bare: Worker, recorded: Worker) -> None:
    source = "import torch\n" + PROGRAMS[name]
    untraced = json.loads(bare.answer(source))
    assert untraced["raised"] is None
    assert said_by(folded(source, recorded.answer(source).encode().splitlines())) == untraced


@pytest.mark.sweep
@pytest.mark.parametrize("how", ["recorded", "preserved", "stood_in"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_asked_of_a_symbol(name: str, how: How) -> None:
    (run,) = record([REFUSING + PROGRAMS[name] + "assert not _asked, _asked\n"], how)
    assert isinstance(run.ended, Finished), run.ended


def test_a_view_that_a_traced_function_makes_hangs_on_the_counter_of_its_base() -> None:
    (trace,) = record(
        [
            "import torch\nfrom torch.fx.experimental.proxy_tensor import make_fx\n\n\ndef f(x):\n    v = x[1:]\n    w = v * 1\n"
            "    v.mul_(2)\n    return x.sum()\n\n\nmake_fx(f)(torch.ones(3))\n"
        ]
    )
    assert isinstance(trace.ended, Finished), trace.ended
    index = Index(trace)
    tensors = {name.path: trace.tensors[name.tensor[0][1] or 0] for name in trace.names}
    ended = next(end_of(step) for step in index.statements if step.span is not None and step.span.line == 6)
    facts = [(value_at(tensors[name].base, ended), value_at(tensors[name].version_counter, ended)) for name in "vx"]
    assert facts == [(tensors["x"].id, facts[1][1]), (None, facts[1][1])]


def test_whoever_asks_is_refused(bare: Worker) -> None:
    """Verifies that code with REFUSING raises; without this, the tests that use REFUSING could not fail."""
    said = json.loads(bare.answer(REFUSING.replace("/app/tracer/", "snippet.py") + ASKED))
    assert said["raised"] is None
    assert said["stdout"].split() == ["refused"] * 9


ASKED = """
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
x = FakeTensorMode(shape_env=ShapeEnv()).from_tensor(torch.ones(3, 4), static_shapes=False)
n = x.shape[0]
b = torch.SymBool(n.node.gt(x.shape[1].node))
for ask in (
    lambda: int(n), lambda: n == 3, lambda: (n,) == (3,), lambda: hash(n), lambda: bool(b), lambda: float(n),
    lambda: f"{n}", lambda: [n].index(3), lambda: x.tolist() if n else 0,
):
    try:
        ask()
    except AssertionError:
        print("refused")
"""
