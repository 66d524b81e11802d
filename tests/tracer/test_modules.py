"""The module to which a trace assigns each autograd Node, compared with forward hooks and `named_modules` in a run without a
recorder.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from app.trace.chunks import Trace
from app.trace.records import ModuleId
from tests import scripts
from tests.tracer.conftest import Record

MODELS = {
    "sequential": """
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Sequential(nn.Linear(4, 4), nn.Tanh()), nn.Linear(4, 2))
x = torch.ones(5, 3)
loss = (model(x) * 2).sum()
""",
    "own classes": """
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.scale = nn.Parameter(torch.ones(width))
    def forward(self, x):
        y = self.first(x).relu()
        y = y.view(-1, 4).t().t()
        return x + self.second(y) * self.scale
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block(4) for _ in range(2))
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 1), "b": nn.Sequential(nn.Linear(4, 1))})
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return sum(self.heads[name](x).squeeze(1) for name in ("a", "b"))
model = Net()
x = torch.ones(2, 4)
loss = model(x).sum()
""",
    "a layer called twice, in place and by views": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(3, 3), nn.ReLU(inplace=True)
    def forward(self, x):
        y = self.act(self.fc(self.fc(x)))
        y[0] = 1.0
        y[1:].mul_(2)
        return y.unsqueeze(0).transpose(0, 1)
model = Net()
loss = model(torch.ones(4, 3)).sum()
""",
    "attention": """
model = nn.TransformerEncoderLayer(8, 2, dim_feedforward=8, dropout=0.0, batch_first=True)
loss = model(torch.ones(2, 3, 8)).sum()
""",
    "recurrent": """
model = nn.LSTM(3, 4, num_layers=2)
loss = model(torch.ones(2, 1, 3))[0].sum()
""",
    "a function of its own, and a checkpoint": """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
class Twice(nn.Module):
    def forward(self, x):
        return Double.apply(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.twice, self.fc = Twice(), nn.Linear(2, 2)
    def forward(self, x):
        return self.twice(torch.utils.checkpoint.checkpoint(self.fc, x, use_reentrant=False)).exp()
model = Net()
loss = model(torch.ones(2, 2)).sum()
""",
    "by hand in a comprehension, under a function": """
model = nn.ModuleList([nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Sigmoid())])
def run(x):
    total = 0
    for y in [layer(x) for layer in model]:
        total = total + y
    return total
loss = run(torch.ones(1, 2)).sum()
""",
}
BEGINNING = "import torch\nfrom torch import nn\nimport torch.utils.checkpoint\ntorch.manual_seed(0)\n"
HOOKED = """
import contextlib, io, json
import torch
sources, hostile = ASKED
calls, intervals = [], []
def before(module, args):
    calls.append((module, torch._C._autograd._get_sequence_nr()))
def after(module, args, output):
    begun = calls.pop()[1]
    intervals.append((begun, torch._C._autograd._get_sequence_nr(), module))
def modules_around(model, loss):
    names = {id(module): name for name, module in model.named_modules()}
    waiting, seen = [loss.grad_fn], {loss.grad_fn}
    for node in waiting:
        more = {following for following, _ in node.next_functions if following is not None} - seen
        seen |= more
        waiting.extend(more)
    found = []
    for node in sorted(seen, key=lambda node: node._sequence_nr()):
        if node.name() != "torch::autograd::AccumulateGrad":
            around = [module for begun, ended, module in intervals if begun <= node._sequence_nr() < ended]
            found.append([node.name(), [(type(module).__name__, names[id(module)]) for module in around[::-1]]])
    return found
everywhere = torch.nn.modules.module
hooks = [everywhere.register_module_forward_pre_hook(before), everywhere.register_module_forward_hook(after)]
found = {}
for name, source in sources.items():
    intervals.clear()
    variables = {"__name__": "__main__"}
    exec(source, variables)
    found[name] = modules_around(variables["model"], variables["loss"])
for hook in hooks:
    hook.remove()
with contextlib.redirect_stdout(io.StringIO()) as printed:
    exec(hostile, {"__name__": "__main__"})
print(json.dumps([found, printed.getvalue()]))
"""
"""Assigns a Node to a module if its sequence number lies between those at the start and the end of the module's `forward`."""


@pytest.fixture(scope="module")
def unrecorded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Run all models without a recorder.

    Return the Nodes of each loss in the order of their creation, with the classes and names of the modules around them
    (outermost first). Also return the output of HOSTILE.
    """
    asked = {name: BEGINNING + source for name, source in MODELS.items()}, HOSTILE
    return json.loads(scripts.said_by(tmp_path_factory.mktemp("unrecorded"), HOOKED.replace("ASKED", repr(asked))))


def path_of(trace: Trace, module: ModuleId | None) -> list[tuple[str, str | None]]:
    """Return the class and name of a module and all its ancestors, outermost first."""
    found: list[tuple[str, str | None]] = []
    while module is not None:
        record = trace.modules[module]
        found.append((record.type, record.name))
        module = record.parent
    return found[::-1]


def qualified(path: list[tuple[str, str | None]], root: str) -> list[list[str]]:
    """Join the names as `named_modules` does: relative to `root`, whose own name is empty."""
    names: list[str] = []
    found = []
    for kind, name in path:
        assert name is not None
        names.append(name)
        found.append([kind, ".".join(names).removeprefix(root).removeprefix(".")])
    return found


@pytest.mark.parametrize("name", MODELS)
def test_as_hooks_tell_it(record: Record, unrecorded: Any, name: str) -> None:
    run = record(BEGINNING + MODELS[name])
    assert run.finished, run.ended
    grad_fn = run.end.node("loss")
    assert grad_fn is not None
    reached = {grad_fn.id: grad_fn}
    for node in (waiting := [grad_fn]):
        more = [run.trace.nodes[edge.node] for edge in node.edges if edge is not None and edge.node not in reached]
        reached |= {other.id: other for other in more}
        waiting.extend(more)
    nodes = sorted((node for node in reached.values() if node.sequence_nr is not None), key=lambda node: node.sequence_nr or 0)
    found = [[node.name, qualified(path_of(run.trace, node.module), "model")] for node in nodes]
    assert found == unrecorded[0][name]


def test_every_module_stands_once_below_its_caller(record: Record) -> None:
    run = record(
        "import torch\n"
        "from torch import nn\n"
        "shared = nn.Linear(2, 2)\n"
        "a = nn.Sequential(shared, shared)\n"
        "b = nn.Sequential(nn.Sequential(shared), nn.ReLU())\n"
        "def go(model):\n"
        "    for _ in range(3):\n"
        "        y = model(torch.ones(1, 2)).sum()\n"
        "        y.backward()\n"
        "    return y\n"
        "y = go(a)\n"
        "z = go(b)\n"
        "w = [nn.Tanh()][0](shared(torch.ones(1, 2)))\n"
        "net = b\n"
        "v = net(torch.ones(2, 2))\n"
    )
    assert [(module.type, module.name, module.parent) for module in run.trace.modules] == [
        ("Sequential", "model", None),
        ("Linear", "0", 0),
        ("Sequential", "model", None),
        ("Sequential", "0", 2),
        ("Linear", "0", 3),
        ("ReLU", "1", 2),
        ("Linear", "shared", None),
        ("Tanh", None, None),
    ]
    outside = [node.name for node in run.trace.nodes if node.module is None and node.variable is None]
    assert set(outside) == {"SumBackward0"}


def test_a_backward_makes_its_nodes_outside_of_the_modules(record: Record) -> None:
    run = record(
        "import torch\n"
        "from torch import nn\n"
        "model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())\n"
        "x = torch.ones(1, 2, requires_grad=True)\n"
        "(g,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)\n"
        "p = g.norm()\n"
    )
    forward = [node for node in run.trace.nodes if node.module is not None]
    assert [node.name for node in sorted(forward, key=lambda node: node.sequence_nr or 0)] == [
        "TBackward0",
        "AddmmBackward0",
        "TanhBackward0",
    ]
    assert len([node for node in run.trace.nodes if node.module is None and node.variable is None]) > 4


HOSTILE = """
import torch
from torch import nn
ran = []
class Meta(type):
    def __getattribute__(self, name): ran.append("Meta." + name); return type.__getattribute__(self, name)
class Nosy(nn.Module, metaclass=Meta):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x): return self.fc(x)
    def __getattribute__(self, name): ran.append(name); return super().__getattribute__(name)
    def __eq__(self, other): ran.append("__eq__"); return True
    def __hash__(self): ran.append("__hash__"); return 1
    def __repr__(self): ran.append("__repr__"); return ""
    def named_modules(self): ran.append("named_modules"); return []
    def named_children(self): ran.append("named_children"); return []
model = Nosy()
x = torch.ones(1, 2)
ran.clear()
y = model(x)
said = list(ran)
print(*said)
"""


def test_no_code_of_the_snippet_is_run(tmp_path: Path, record: Record) -> None:
    run = record(HOSTILE)
    assert run.end.state.text() == scripts.said_by(tmp_path, HOSTILE)
    assert [(module.type, module.name) for module in run.trace.modules] == [("Nosy", "model"), ("Linear", "fc")]


def test_no_module_is_kept_alive(record: Record) -> None:
    run = record(
        "import torch, weakref\n"
        "from torch import nn\n"
        "def gone():\n"
        "    model = nn.Sequential(nn.Linear(2, 2))\n"
        "    x = torch.ones(1, 2)\n"
        "    seen = weakref.ref(x)\n"
        "    y = model(x)\n"
        "    refs = [weakref.ref(model), weakref.ref(model[0]), weakref.ref(y)]\n"
        "    del model, y\n"
        "    print([ref() for ref in refs])\n"
        "gone()\n"
    )
    assert run.end.state.text() == "[None, None, None]\n"


CONSTRUCTED = """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
class Net(Base):
    def __init__(self, *, width=2):
        super().__init__()
        self.inner = Base()
        helper(lambda: self)
    def forward(self, x):
        return x
class Plain:
    def __init__(self):
        self.model = Net()
def helper(get):
    return get()
def __init__(module):
    return module
class Kept(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
model = Net()
plain = Plain()
__init__(model)
Kept.__init__ = __init__
kept = Kept.__new__(Kept)
kept.__init__()
"""


def test_a_call_that_constructs_a_module_has_its_code_and_its_module(record: Record) -> None:
    """`Base.__init__` called by `Net.__init__` also constructs a Net.

    Functions named `__init__` and constructors of other classes construct no module.
    """
    frames = record(BEGINNING + CONSTRUCTED).trace.frames
    constructed = [(frame.function, frame.constructs) for frame in frames if frame.function.rpartition(".")[2] == "__init__"]
    net = [("Net.__init__", "Net"), ("Base.__init__", "Net"), ("Base.__init__", "Base")]
    assert constructed == [*net, ("Plain.__init__", None), *net, ("__init__", None), ("__init__", "Kept")]
    assert all(frame.constructs is None for frame in frames if not frame.function.endswith("__init__"))
