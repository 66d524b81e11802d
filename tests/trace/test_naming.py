"""Names of tensors: parameters have the names of `named_parameters`, and the page, findings and text use equal names."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from app.explain import explain
from app.narration.phrases import label
from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.trace.index import Index
from app.trace.query import END, end_of
from app.trace.records import TensorId
from tests.explain.recorded import record

TESTS = Path(__file__).parents[1]
SNIPPETS = sorted(
    path for folder in ("tracer/snippets", "explain/snippets", "explain/no_findings") for path in (TESTS / folder).glob("*.py")
)
PROGRAMS = sorted((TESTS / "corpus/programs").glob("*.py"))
EVERY = 7
MOST_TICKS = 60

BEGUN = "import torch\nfrom torch import nn\n"
BLOCK = BEGUN + (
    "class Block(nn.Module):\n"
    "    def __init__(self, width=2):\n"
    "        super().__init__()\n"
    "        self.attn = nn.Linear(width, width)\n"
    "        self.scale = nn.Parameter(torch.ones(width))\n"
    "    def forward(self, x):\n"
    "        h = self.attn(x)\n"
    "        return h * self.scale\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.fc1 = nn.Linear(2, 2)\n"
    "        self.blocks = nn.ModuleList([Block() for _ in range(3)])\n"
    "        self.heads = nn.ModuleDict({'a': nn.Linear(2, 1), 'b-c': nn.Linear(2, 1)})\n"
    "        self.extra = nn.ParameterList([torch.ones(2), torch.ones(2)])\n"
    "        self.tail = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 2)))\n"
    "    def forward(self, x):\n"
    "        x = self.fc1(x)\n"
    "        for block in self.blocks:\n"
    "            x = block(x)\n"
    "        return self.heads['a'](self.tail(x + self.extra[0]))\n"
)
DEEP = BLOCK + (
    "class Around(nn.Module):\n"
    "    def __init__(self, inside):\n"
    "        super().__init__()\n"
    "        self.inside = inside\n"
    "    def forward(self, x):\n"
    "        return self.inside(x)\n"
)
TRAINED = (
    "opt = torch.optim.SGD({net}.parameters(), lr=0.1)\n"
    "params = list({net}.parameters())\n"
    "for p in params:\n"
    "    p.grad = torch.zeros_like(p)\n"
    "opt.step()\n"
)
MODELS = {
    "nested": (BLOCK + "net = Net()\n" + TRAINED, "net"),
    "sequential": (BEGUN + "model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))\n" + TRAINED, "model"),
    "one layer": (BEGUN + "layer = nn.Linear(2, 2)\n" + TRAINED, "layer"),
    "deep": (
        DEEP + "net = Block()\nfor _ in range(11):\n    net = Around(net)\nnet(torch.ones(2)).sum().backward()\n" + TRAINED,
        "net",
    ),
    "in a list": (BLOCK + "nets = [Net(), Net()]\n" + TRAINED, "nets[1]"),
    "in a dict": (BLOCK + "nets = {'student': Net()}\n" + TRAINED, "nets['student']"),
    "in an attribute": (
        BLOCK + "class Trainer:\n    def __init__(self, net):\n        self.net = net\ntrainer = Trainer(Net())\n" + TRAINED,
        "trainer.net",
    ),
    "tied": (
        BLOCK + "net = Net()\nnet.blocks[1].attn.weight = net.blocks[0].attn.weight\nnet.fc1.bias = net.extra[1]\n" + TRAINED,
        "net",
    ),
    "optimizer first": (
        BLOCK
        + "def made():\n    net = Net()\n    return torch.optim.SGD(net.parameters(), lr=0.1), net\nopt, net = made()\n"
        + TRAINED,
        "net",
    ),
    "trained by its methods": (
        BLOCK + "net = Net()\nfor _ in range(2):\n    net(torch.ones(4, 2)).sum().backward()\n" + TRAINED,
        "net",
    ),
}
TOLD = "for name, _ in {net}.named_parameters(remove_duplicate=False):\n    print(name, hex(_.data_ptr()))\n"

LOCAL = {
    "two of one name": (
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = torch.ones(2, requires_grad=True)\n"
        "def f(x):\n    z = x * 2\n    return z\nout = f(y)\nout.sum().backward()\n"
    ),
    "recursion": (
        "import torch\ndef f(n, a):\n    b = a * 2\n    if n:\n        c = f(n - 1, b)\n    return b\n"
        "out = f(3, torch.ones(2, requires_grad=True))\nout = f(1, out)\n"
    ),
    "generators": (
        "import torch\ndef g(a):\n    b = a * 2\n    yield b\n    b = b + 1\n    yield b\n"
        "one, two = g(torch.ones(2)), g(torch.zeros(2))\nnext(one)\nnext(two)\nthree = g(torch.ones(3))\nnext(three)\n"
        "list(one)\nfour = g(torch.ones(4))\nnext(four)\nnext(two)\nnext(three)\nx = next(four)\n"
    ),
    "closure": (
        BLOCK + "def made():\n    net = Net()\n    opt = torch.optim.SGD(net.parameters(), lr=0.1)\n    def step(x):\n"
        "        loss = net(x).sum()\n        opt.zero_grad()\n        loss.backward()\n        opt.step()\n        return loss\n"
        "    return step\nstep = made()\nfor _ in range(2):\n    loss = step(torch.ones(4, 2))\n"
    ),
    "gradients": (
        "import torch\ndef f():\n    w = torch.ones(2, requires_grad=True)\n    (w * w).sum().backward(create_graph=True)\n"
        "    g = torch.autograd.grad(w.grad.sum(), w)\n    w.grad = w.grad * 2\n    return w.grad\nkept = f()\n"
        "ws = [torch.ones(1, requires_grad=True) for _ in range(2)]\nfor w in ws:\n    (w * 2).backward()\nw = ws[0]\n"
    ),
    "a bare Parameter": (
        "import torch\np = torch.nn.Parameter(torch.ones(2))\nopt = torch.optim.LBFGS([p], max_iter=1)\n"
        "def closure():\n    opt.zero_grad()\n    loss = (p * p).sum()\n    loss.backward()\n    return loss\nopt.step(closure)\n"
    ),
    "many names": (
        "import torch\nx = torch.ones(2)\nxs = [x] * 600\ndef f(a):\n    b = a\n    return b\nfor _ in range(150):\n    y = f(x)\n"
    ),
}

CONFUSING = [
    "import torch\np = {}\nfor i in range(12):\n    for kind in ('weight', 'bias'):\n"
    "        p[f'layer{i}.{kind}'] = torch.ones(2, requires_grad=True)\n"
    "sum((w * w).sum() for w in p.values()).backward()\n",
    BEGUN + "encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)\n"
    "opt = torch.optim.Adam(encoder.parameters(), foreach=False)\nencoder(torch.ones(3, 1, 4)).sum().backward()\nopt.step()\n",
    BLOCK
    + "net = Net()\nslow = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\nfast = torch.optim.Adam(net.parameters())\n"
    "net(torch.ones(4, 2)).sum().backward()\nslow.step()\nfast.step()\n",
    "import torch\na_rather_long_name_of_a_first_tensor_of_the_program = torch.ones(2, requires_grad=True)\n"
    "a_rather_long_name_of_a_second_tensor_of_the_program = a_rather_long_name_of_a_first_tensor_of_the_program * 2\n"
    "a_rather_long_name_of_a_second_tensor_of_the_program.sum().backward()\n",
]
"""Programs with long names that begin alike."""


def written(net: str, path: str) -> str:
    """Return the Python expression for a parameter, from the path that `named_parameters` gives."""
    for part in path.split("."):
        net += f"[{part}]" if part.isdigit() else f".{part}" if part.isidentifier() else f"[{part!r}]"
    return net


def compared(folder: Path, traces: list[Trace]) -> None:
    """Assert that JavaScript and Python give each Tensor the same label at up to MOST_TICKS ticks."""
    indices, ticks = [Index(trace) for trace in traces], []
    for number, index in enumerate(indices):
        every = max(1, len(index.statements) // MOST_TICKS)
        ticks.append([end_of(step) for step in index.statements[::every] if step.ended is not None])
        request = {"document": explain(index.trace), "ticks": ticks[-1]}
        (folder / f"{number:04}.json").write_bytes(msgspec.json.encode(request))
    command = ["node", str(TESTS / "js/names.js"), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    for index, moments, line in zip(indices, ticks, run.stdout.splitlines(), strict=True):
        ids = [tensor.id for tensor in index.trace.tensors]
        shown = msgspec.json.decode(line)
        assert shown["ever"] == [index.ever_called.get(each) for each in ids]
        for tick, labels in zip(moments, shown["at"], strict=True):
            assert labels == [label(index, each, tick) or None for each in ids], (index.trace.source, tick)


def test_the_page_calls_tensors_as_findings_and_text_do(tmp_path: Path) -> None:
    sources = [*LOCAL.values(), *(source.replace("{net}", net) for source, net in MODELS.values())]
    compared(tmp_path, record([*sources, *(path.read_text(encoding="utf-8") for path in SNIPPETS[::EVERY])]))


@pytest.mark.long
def test_the_page_calls_tensors_as_findings_and_text_do_in_every_snippet(tmp_path: Path) -> None:
    compared(tmp_path, record([path.read_text(encoding="utf-8") for path in SNIPPETS]))


def told_apart(folder: Path, sources: list[str]) -> None:
    """Assert that shortened labels are unique at each moment and fit into their box in the picture."""
    for number, trace in enumerate(record(sources)):
        (folder / f"{number:04}.json").write_bytes(msgspec.json.encode(explain(trace)))
    command = ["node", str(TESTS / "js/short-names.js"), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=480)
    for source, line in zip(sources, run.stdout.splitlines(), strict=True):
        assert msgspec.json.decode(line) == [], source


def test_short_names_are_told_apart(tmp_path: Path) -> None:
    told_apart(tmp_path, [*CONFUSING, *LOCAL.values(), *(source.replace("{net}", net) for source, net in MODELS.values())])


@pytest.mark.long
def test_short_names_are_told_apart_in_every_program(tmp_path: Path) -> None:
    told_apart(tmp_path, [path.read_text(encoding="utf-8") for path in [*SNIPPETS, *PROGRAMS]])


@pytest.mark.parametrize("model", MODELS)
def test_parameters_have_the_path_that_torch_gives_them(model: str) -> None:
    source, net = MODELS[model]
    (trace,) = record([(source + TOLD).replace("{net}", net)])
    assert isinstance(trace.ended, Finished), trace.ended
    index = Index(trace)
    named: dict[str, list[str]] = {}
    for line in "".join(output.text for output in trace.outputs).splitlines():
        path, address = line.split()
        named.setdefault(address, []).append(written(net, path))
    storages = {storage.address: storage.id for storage in trace.storages if storage.freed is None}
    for address, paths in named.items():
        (tensor,) = (
            tensor
            for tensor in index.tensors_on[storages[address]]
            if trace.tensors[tensor].type == "Parameter" and trace.tensors[tensor].died is None
        )
        assert {index.name_of(tensor), label(index, tensor, END)} <= set(paths)
        assert model == "tied" or len(paths) == 1
    assert len(named) > 1


@pytest.mark.parametrize("case", LOCAL)
def test_no_two_tensors_have_one_name_at_a_moment(case: str) -> None:
    (trace,) = record([LOCAL[case]])
    assert isinstance(trace.ended, Finished), trace.ended
    index = Index(trace)
    for step in index.statements:
        called: dict[str, TensorId] = {}
        for tensor in trace.tensors:
            text = label(index, tensor.id, end_of(step))
            assert not text or called.setdefault(text, tensor.id) == tensor.id, (text, step.span)


def test_a_bare_parameter_is_called_by_its_variable() -> None:
    (trace,) = record([LOCAL["a bare Parameter"]])
    index = Index(trace)
    assert [label(index, TensorId(0), end_of(step)) for step in index.statements[1:]] == ["p"] * (len(index.statements) - 1)


def test_a_functions_variable_is_told_with_its_function() -> None:
    (two, closure, recursion) = (
        Index(trace) for trace in record([LOCAL["two of one name"], LOCAL["closure"], LOCAL["recursion"]])
    )
    assert {"x", "y", "z · f"} <= set(two.ever_called.values()) and "x · f" not in two.ever_called.values()
    assert {"net.blocks[2].attn.weight · made", "loss · step"} <= set(closure.ever_called.values())
    assert {"b · f", "b · f (2)", "b · f (4)"} <= set(recursion.ever_called.values())


FOUND = {
    "a view under the name of its leaf": (
        "import torch\nx = torch.ones(2, requires_grad=True)\ndef f(x):\n    x.mul_(2)\nf(x[0])\n",
        ("leaf_written", {"name": "x · f", "leaf": "x"}),
    ),
    "a variable that no other function has": (
        "import torch\ndef f(x):\n    h = x * 2\n    h.backward()\nf(torch.ones(2, requires_grad=True))\n",
        ("not_scalar", {"name": "h"}),
    ),
    "a leaf of a function": (
        "import torch\ndef train():\n    w = torch.ones(2, requires_grad=True)\n    for _ in range(2):\n"
        "        (w * 2).sum().backward()\n        with torch.no_grad():\n            w -= 0.1 * w.grad\ntrain()\n",
        ("grad_accumulated", {"name": "w · train", "grad": "w.grad · train"}),
    ),
    "a layer of a model": (
        BLOCK + "net = Net()\nopt = torch.optim.SGD(net.blocks.parameters(), lr=0.1)\nfor _ in range(2):\n"
        "    net.blocks[2](torch.ones(4, 2)).sum().backward()\n    opt.step()\n",
        ("grad_accumulated", {"name": "net.blocks[2].attn.weight", "grad": "net.blocks[2].attn.weight.grad"}),
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_findings_tell_whose_variable_is_meant(case: str) -> None:
    source, (kind, arguments) = FOUND[case]
    (trace,) = record([source])
    found = {finding.kind: finding.arguments for finding in explain(trace).findings}
    assert kind in found, found
    assert {key: found[kind].get(key) for key in arguments} == arguments
