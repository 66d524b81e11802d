"""Compute the correct gradients of programs with silently wrong ones.

The results are compared with gradients computed by hand and with a correct version of the program. If a correct gradient
cannot be computed, it is "unknown".
"""

import random
from functools import cache
from typing import Any

import msgspec
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.explain import explain
from app.explain.corrected.divergence import RunSequence, first_difference
from app.explain.corrected.gradients import corrected_gradients, is_asked_for, keeping_saved
from app.explain.corrected_records import CorrectedGradients, KnownGradients, SameGradients, UnknownGradients
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.records import Cells, Limits, Request
from tests.explain.recorded import record
from tests.explain.test_linear import lines_of
from tests.explain.test_no_findings import SNIPPETS
from tests.explain.test_no_findings import recordings as recordings_without_findings
from tests.sampling import some
from tests.trace.generated import traces
from tests.trace.header import HEADER

X = "import torch\nx = torch.tensor([2.0], requires_grad=True)\nh = x * 1\n"

KNOWN: dict[str, tuple[str, dict[str, list[float]]]] = {
    "S17": (X + "y = h * h\nh.data.mul_(100)\ny.sum().backward()\n", {"x": [4.0]}),
    "S66": (
        "import torch, numpy as np\na = np.ones(2, dtype=np.float32)\nt = torch.from_numpy(a)\n"
        "w = torch.ones(2, requires_grad=True)\ny = (w * t).sum()\na *= 10\ny.backward()\n",
        {"w": [1.0, 1.0]},
    ),
    "lesson 21": (
        "import torch\nx = torch.tensor([[1.0, 2.0]])\nw1 = torch.tensor([[2.0], [1.0]], requires_grad=True)\n"
        "w2 = torch.tensor([[3.0]], requires_grad=True)\nd = x @ w1\nf = d @ w2\nd_ = d.data\nd_[:] = 1\nf.backward()\n",
        {"w2": [4.0], "w1": [3.0, 6.0]},
    ),
    "another tensor by .data =": (
        "import torch\na = torch.ones(2, requires_grad=True)\nb = torch.full((2,), 3.0)\ny = (a * b).sum()\n"
        "b.data = torch.full((2,), 30.0)\ny.backward()\n",
        {"a": [3.0, 3.0]},
    ),
    "on top of an earlier backward": (
        X + "(h * h).sum().backward(retain_graph=True)\ny = h * h\nh.data.mul_(100)\ny.sum().backward()\n",
        {"x": [8.0]},
    ),
    "torch.autograd.grad": (X + "y = h * h\nh.data.mul_(100)\ng, = torch.autograd.grad(y.sum(), x)\n", {"x": [4.0]}),
    "create_graph": (
        X + "y = h * h * h\nh.data.mul_(10)\ng, = torch.autograd.grad(y.sum(), x, create_graph=True)\n",
        {"x": [12.0]},
    ),
    "all on one line": (
        X + "o = torch.optim.SGD([x], lr=0.1)\n"
        "y = h * h; h.data.mul_(100); y.sum().backward(); o.step(); o.zero_grad(); x.data.zero_()\n",
        {"x": [4.0]},
    ),
    "the second turn of a loop": (
        X + "for turn in range(3):\n    h = x * 1\n    y = h * h\n    if turn == 1:\n        h.data.mul_(100)\n"
        "    y.sum().backward()\n    print(y.grad_fn)\n    x.data.sub_(0.1 * x.grad)\n",
        {"x": [7.2]},
    ),
    "a Function that saves for backward": (
        "import torch\nclass Cube(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, k):\n"
        "        ctx.k, ctx.sizes = k, (x.shape, None)\n        ctx.save_for_backward(x)\n        return k * x**3\n"
        "    @staticmethod\n    def backward(ctx, g):\n        x, = ctx.saved_tensors\n        print(x)\n"
        "        return 3 * ctx.k * x**2 * g, None\n" + X.removeprefix("import torch\n") + "y = Cube.apply(h, 0.5)\n"
        "h.data.mul_(100)\ny.sum().backward()\n",
        {"x": [6.0]},
    ),
    "an output that is saved": (X + "y = h.exp()\ny.data.zero_()\ny.sum().backward()\n", {"x": [7.389056]}),
    "memory nobody wrote": (
        X + "e = torch.empty(50)\ny = torch.nn.functional.mse_loss(h * h, torch.zeros(1))\nh.data.mul_(2)\ny.backward()\n",
        {"x": [32.0]},
    ),
    "methods that copy replaced": (
        X + "calls = []\nfor name in ('clone', 'detach', 'as_strided'):\n"
        "    setattr(torch.Tensor, name, lambda *_, **__: calls.append(1))\n"
        "y = h * h\nh.data.mul_(100)\ny.sum().backward()\nprint(len(calls))\n",
        {"x": [4.0]},
    ),
    "the snippet's own class of hooks replaced": (
        X + "torch.autograd.graph.saved_tensors_hooks = None\ny = h * h\nh.data.mul_(100)\ny.sum().backward()\n",
        {"x": [4.0]},
    ),
}

WRITE = "h.data.mul_(100)\n"
BACKWARD = "y.sum().backward()\n"
FUNCTION = "import torch\nclass Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        {keep}\n"
FUNCTION += "        return x * x\n    @staticmethod\n    def backward(ctx, g):\n        return 2 * {kept} * g\n"
AFTER_FUNCTION = X.removeprefix("import torch\n") + "y = Double.apply(h) + h * h\n" + WRITE + BACKWARD

UNKNOWN: dict[str, tuple[str, str]] = {
    "reads a clock": (X + "import time\nnow = time.time()\ny = h * h\n" + WRITE + BACKWARD, "differs"),
    "multiplies with a clock, unnamed": (
        X + "import time\ny = h * h * (time.monotonic_ns() % 1000003)\n" + WRITE + BACKWARD,
        "differs",
    ),
    "reads os.urandom": (X + "import os\ny = h * h * os.urandom(8)[0]\n" + WRITE + BACKWARD, "differs"),
    "seeds itself by the system": (
        "import torch\ntorch.seed()\nx = torch.randn(2, requires_grad=True)\nh = x * 1\ny = h * h\n" + WRITE + BACKWARD,
        "differs",
    ),
    "a hook that reads os.urandom": (
        X + "import os\nh.register_hook(lambda g: g * int.from_bytes(os.urandom(4)))\ny = h * h\n" + WRITE + BACKWARD,
        "unsteady",
    ),
    "keeps an attribute": (FUNCTION.format(keep="ctx.x = x", kept="ctx.x") + AFTER_FUNCTION, "function"),
    "keeps a list": (FUNCTION.format(keep="ctx.kept = ([x],)", kept="ctx.kept[0][0]") + AFTER_FUNCTION, "function"),
    "keeps a closure": (FUNCTION.format(keep="ctx.kept = lambda: x", kept="ctx.kept()") + AFTER_FUNCTION, "function"),
    "reads a global": (FUNCTION.format(keep="pass", kept="h") + AFTER_FUNCTION, "function"),
    "reads a variable around it": (
        "def make(t):\n    class Double(torch.autograd.Function):\n        @staticmethod\n        def forward(ctx, x):\n"
        "            return x * x\n        @staticmethod\n        def backward(ctx, g):\n            return 2 * t * g\n"
        "    return Double\n" + X + "y = make(h).apply(h) + h * h\n" + WRITE + BACKWARD,
        "function",
    ),
    "hooks of its own": (
        X + "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n    z = h * h\n"
        "y = h * h + z\n" + WRITE + BACKWARD,
        "hooks",
    ),
    "save_on_cpu": (
        X + "with torch.autograd.graph.save_on_cpu():\n    z = h * h\ny = h * h + z\n" + WRITE + BACKWARD,
        "hooks",
    ),
    "checkpoint": (
        X + "from torch.utils.checkpoint import checkpoint\nz = checkpoint(lambda t: t * t, h, use_reentrant=False)\n"
        "y = h * h + z\n" + WRITE + BACKWARD,
        "hooks",
    ),
    "reentrant checkpoint": (
        X + "from torch.utils.checkpoint import checkpoint\nz = checkpoint(lambda t: t * t, h, use_reentrant=True)\n"
        "y = h * h + z\n" + WRITE + BACKWARD,
        "function",
    ),
    "a subclass of Tensor": (
        X + "class T(torch.Tensor):\n    pass\nh = h.as_subclass(T)\ny = h * h\n" + WRITE + BACKWARD,
        "hooks",
    ),
    "functorch": (X + "torch.func.grad(torch.sum)(torch.ones(2))\ny = h * h\n" + WRITE + BACKWARD, "ended"),
    "takes our hooks away": (
        X
        + "try:\n    torch._C._autograd._pop_saved_tensors_default_hooks()\nexcept RuntimeError:\n    pass\ny = h * h\n"
        + WRITE
        + BACKWARD,
        "differs",
    ),
    "takes them away unseen": (
        "import torch\nimport contextlib\nx = torch.tensor([2.0], requires_grad=True)\n"
        "with contextlib.suppress(RuntimeError): torch._C._autograd._pop_saved_tensors_default_hooks()\n"
        "h = x * 1\ny = h * h\n" + WRITE + BACKWARD,
        "differs",
    ),
    "ends itself when it finds our hooks": (
        X
        + "import os\nif torch._C._autograd._top_saved_tensors_default_hooks(True):\n    os._exit(0)\ny = h * h\n"
        + WRITE
        + BACKWARD,
        "ended",
    ),
    "another thread": (
        X + "import threading\nt = threading.Thread(target=lambda: h * h)\nt.start()\nt.join()\ny = h * h\n" + WRITE + BACKWARD,
        "threads",
    ),
    "what backward writes itself": (
        "import torch\nclass Spoil(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        return x * x\n    @staticmethod\n    def backward(ctx, g):\n"
        "        x, = ctx.saved_tensors\n        out = 2 * x * g\n        x.data.mul_(3)\n        return out\n"
        "x = torch.ones(2, requires_grad=True)\ny = Spoil.apply(x * 1).sum()\ny.backward(retain_graph=True)\ny.backward()\n",
        "differs",
    ),
}


@cache
def answered() -> dict[str, tuple[Trace, CorrectedGradients]]:
    """Return the trace and the corrected gradients of each program."""
    return {name: (first, right) for name, first, right in answers({**KNOWN, **UNKNOWN})}


def answers(cases: dict[str, tuple[str, Any]]) -> list[tuple[str, Trace, CorrectedGradients]]:
    sources = [source for source, _ in cases.values()]
    first, right, again = record(sources), record(sources, "preserved"), record(sources, "preserved", turn=2)
    traces = zip(cases, first, right, again, strict=True)
    return [(name, one, corrected_gradients(one, other, third)) for name, one, other, third in traces]


def told(right: CorrectedGradients) -> dict[str, list[Any]]:
    assert isinstance(right, KnownGradients), right
    return {each.name: each.right.values for each in right.gradients if isinstance(each.right, Cells)}


@pytest.mark.sweep
@pytest.mark.parametrize("name", KNOWN)
def test_the_right_gradient(name: str) -> None:
    first, right = answered()[name]
    assert is_asked_for(explain(first).findings)
    assert told(right) == KNOWN[name][1]
    assert isinstance(right, KnownGradients)
    assert right.gradients[0].wrong != right.gradients[0].right
    assert first.steps[right.step].kind == "statement"


SENT: dict[str, list[tuple[str, float, float]]] = {
    "S17": [("MulBackward0", 200.0, 2.0), ("MulBackward0", 200.0, 2.0), ("MulBackward0", 400.0, 4.0)],
    "lesson 21": [("MmBackward0", 1.0, 4.0)],
    "on top of an earlier backward": [("MulBackward0", 200.0, 2.0), ("MulBackward0", 200.0, 2.0), ("MulBackward0", 400.0, 4.0)],
    "another tensor by .data =": [("MulBackward0", 30.0, 3.0)],
}
"""For each program, the Nodes that sent a wrong gradient: (name, first element, correct first element)."""


@pytest.mark.parametrize("name", SENT)
def test_what_nodes_sent_wrongly(name: str) -> None:
    first, right = answered()[name]
    assert isinstance(right, KnownGradients)
    rows = []
    for each in right.sent:
        sent = first.gradients[each.gradient]
        assert sent.node is not None and isinstance(sent.value, Cells) and isinstance(each.right, Cells)
        rows.append((first.nodes[sent.node].name, sent.value.values[0], each.right.values[0]))
    assert rows == SENT[name]


@pytest.mark.parametrize("name", KNOWN)
def test_a_leaf_with_one_wrong_gradient_was_sent_it(name: str) -> None:
    """If a leaf had no gradient before and only one Node sent it a gradient, both have the same correct value."""
    first, right = answered()[name]
    assert isinstance(right, KnownGradients)
    sent = {each.gradient: each.right for each in right.sent}
    for leaf in right.gradients:
        to = [each for each in first.gradients if each.to is not None and first.nodes[each.to].variable == leaf.tensor]
        if len(to) == 1:
            assert (leaf.right if leaf.wrong != leaf.right else None) == sent.get(to[0].id)


@pytest.mark.sweep
@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown(name: str) -> None:
    assert answered()[name][1] == UnknownGradients(reason=UNKNOWN[name][1])  # type: ignore[arg-type]


def test_the_same_gradient() -> None:
    softmax = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x.log_softmax(0)\ny.data.mul_(2)\n"
    cases = {
        "times zero": (X + "y = (h * h) * 0\n" + WRITE + BACKWARD, None),
        "softmax": (softmax + "(y[0] - y[1]).backward()\n", None),
    }
    found = answers(cases)
    assert [(name, is_asked_for(explain(first).findings)) for name, first, _ in found] == [
        ("times zero", False),
        ("softmax", True),
    ]
    assert [right for _, _, right in found] == [SameGradients()] * 2


def test_of_many_elements_the_shape_of_the_values() -> None:
    source = "import torch\nx = torch.randn(30, 30, requires_grad=True)\nh = x * 1\ny = h * h\n" + WRITE + BACKWARD
    [(_, _, right)] = answers({"": (source, None)})
    assert isinstance(right, KnownGradients)
    wrong, real = right.gradients[0].wrong, right.gradients[0].right
    assert not isinstance(wrong, Cells) and not isinstance(real, Cells)
    torch.manual_seed(0)
    expected = 2 * torch.randn(30, 30)
    assert real.max == pytest.approx(float(expected.max()), rel=1e-5) and wrong.max == pytest.approx(100 * real.max, rel=1e-5)  # type: ignore[union-attr]


@pytest.mark.patient
def test_copies_change_nothing_of_a_run_that_writes_nothing_behind_torch() -> None:
    sources = some(__file__, {name: path.read_text(encoding="utf-8") for name, path in SNIPPETS.items()})
    preserved = dict(zip(sources, record(list(sources.values()), "preserved"), strict=True))
    others = [name for name in sources if differ(recordings_without_findings()[name], preserved[name])]
    assert others == []


def differ(one: Trace, other: Trace) -> bool:
    return first_difference(RunSequence(Index(one)), RunSequence(Index(other))) is not None


def test_what_is_asked_for_is_the_same_run() -> None:
    asked = Request(source="pass", seed=3, limits=Limits(steps=7), stand_in=True)
    again = keeping_saved(asked)
    assert again.keep_saved and not asked.keep_saved
    assert (again.source, again.seed, again.limits, again.stand_in) == ("pass", 3, asked.limits, True)


@pytest.mark.sweep
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(traces(), traces(), st.sampled_from([(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]))
def test_it_never_raises(one: Trace, other: Trace, order: tuple[int, int, int]) -> None:
    corrected_gradients(*((one, other)[number] for number in order))


# --- programs that bypass autograd when they write, and equivalent correct programs --------------------------------------

OPERATORS = (
    "{a} * {b}",
    "{a} * {a}",
    "({a} * 0.5).exp()",
    "torch.sin({a}) + {b}",
    "torch.tanh({a} * {b})",
    "{a} / ({b} * {b} + 1)",
)
SPOILS = (
    "{v}.data.mul_({c})",
    "{v}.detach().numpy()[...] = {c}",
    "{v}.data = {v}.detach() * {c}",
    "{v}.data[0] = {c}",
    "torch.from_dlpack({v}.detach()).data.add_({c})",
)


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[str, str]:
    """Generate a program that writes to saved tensors, and a correct version that writes to clones.

    Each backward of the program is on its own line.
    """
    chosen = random.Random(draw(st.integers(0, 2**32)))
    head = ["import torch", "torch.manual_seed(1)"]
    head += [f"{leaf} = torch.randn(3, requires_grad=True)" for leaf in ("a", "b")]
    lines = [*head]
    rightly = [*head, "grads = []", "a_, b_ = a, b"]
    names = ["a", "b"]
    for number in range(chosen.randint(3, 8)):
        if chosen.random() < 0.35 and number > 1:
            name, spoil = chosen.choice(names), chosen.choice(SPOILS)
            c = round(chosen.uniform(-2, 3), 2)
            lines.append(spoil.format(v=name, c=c))
            now = name + "_"
            rightly += [f"{now} = {now}.clone()", spoil.format(v=now, c=c)]
            continue
        operator = chosen.choice(OPERATORS)
        one, other = chosen.choice(names), chosen.choice(names)
        name = f"v{number}"
        lines.append(f"{name} = " + operator.format(a=one, b=other))
        rightly.append(f"{name}_ = " + operator.format(a=one + "_", b=other + "_"))
        names.append(name)
    if chosen.random() < 0.8:
        name = chosen.choice(names)
        lines.append(f"{name}.data.mul_(3)")
        rightly += [f"{name}_ = {name}_.clone()", f"{name}_.data.mul_(3)"]
    for name in names[2:][-2:]:
        lines.append(f"({name} * 1).sum().backward(retain_graph=True)")
        rightly.append(f"({name}_ * 1).sum().backward(retain_graph=True)")
        rightly.append("grads.append([None if leaf.grad is None else leaf.grad.tolist() for leaf in (a, b)])")
    return "\n".join([*lines, ""]), "\n".join([*rightly, ""])


@pytest.mark.sweep
@settings(max_examples=40, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(spoilt())
def test_it_is_the_gradient_of_the_program_written_rightly(programs: tuple[str, str]) -> None:
    source, rightly = programs
    [(_, first, right)] = answers({"": (source, None)})
    if not is_asked_for(explain(first).findings):
        return
    variables: dict[str, Any] = {}
    exec(rightly, variables)
    backwards = [step.id for step in first.steps if step.kind == "statement" and "backward" in _text(first, step.id)]
    assert isinstance(right, KnownGradients | SameGradients), (source, right)
    if isinstance(right, KnownGradients):
        expected = dict(zip("ab", variables["grads"][backwards.index(right.step)], strict=True))
        for name, values in told(right).items():
            assert values == pytest.approx(expected[name], rel=1e-5, nan_ok=True), (source, right)
    else:
        assert printed(source) == pytest.approx(flat(variables["grads"]), rel=1e-6, nan_ok=True)


def printed(source: str) -> list[float]:
    """Run a program without a recorder, and return the gradients after each backward."""
    lines = []
    for line in source.splitlines():
        lines.append(line)
        if "backward" in line:
            lines.append("grads.append([None if leaf.grad is None else leaf.grad.tolist() for leaf in (a, b)])")
    variables: dict[str, Any] = {"grads": []}
    exec("\n".join(lines), variables)
    return flat(variables["grads"])


def flat(grads: list[list[list[float] | None]]) -> list[float]:
    return [number for after in grads for grad in after for number in grad or ()]


def _text(trace: Trace, step: int) -> str:
    span = trace.steps[step].span
    return "" if span is None else trace.source.splitlines()[span.line - 1]


def pairs(tensors: int, facts: int) -> Trace:
    """Return a trace in which every name refers to every tensor for some time, and each tensor changes `facts` times."""
    names = [[[number * tensors + place, place] for place in range(tensors)] for number in range(tensors)]
    shifted = [[(tick, (place + number) % tensors) for tick, place in name] for number, name in enumerate(names)]
    rows = {
        "frames": [{"id": 0, "function": "<module>", "began": 0, "line": 1}],
        "names": [{"id": number, "path": f"x{number}", "frame": 0, "tensor": name} for number, name in enumerate(shifted)],
        "tensors": [
            {"id": number, "born": 0, "type": "", "requires_grad": [[tick, tick % 2 == 0] for tick in range(facts)]}
            for number in range(tensors)
        ],
        "outputs": [{"id": number, "tick": 0, "stream": "stdout", "text": "x" * facts} for number in range(tensors)],
    }
    head = {"source": "pass", "header": msgspec.to_builtins(HEADER), "ended": {"kind": "finished"}}
    return msgspec.convert({**head, **rows}, Trace)


def test_no_run_is_compared_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(trace: Trace, other: Trace) -> int:
        one, there = RunSequence(Index(trace)), RunSequence(Index(other))
        return lines_of(lambda: first_difference(one, there))

    trace = pairs(24, 100)
    turned = msgspec.structs.replace(trace, names=[*trace.names[1:], trace.names[0]])
    turned = msgspec.structs.replace(
        turned, names=[msgspec.structs.replace(name, path=f"x{number}") for number, name in enumerate(turned.names)]
    )
    whole = work(trace, turned)
    assert first_difference(RunSequence(Index(trace)), RunSequence(Index(turned))) is None
    monkeypatch.setattr("app.explain.corrected.divergence.MOST_COMPARED", 500)
    assert first_difference(RunSequence(Index(trace)), RunSequence(Index(turned))) == 0
    assert work(trace, turned) < whole / 3
