"""The grad mode and other modes that a trace reports for a step, compared with torch's answers during that step."""

import pytest

from app.trace.chunks import Trace
from app.trace.records import Step
from tests.tracer.conftest import Record

ASKS = """
import torch
A = torch._C._autograd
dtype = lambda: torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None
disabled = lambda: None if A._saved_tensors_hooks_is_enabled() else "disabled"
hooks = lambda: "active" if A._top_saved_tensors_default_hooks(False) else disabled()
say = lambda: print(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), dtype(), torch.is_anomaly_enabled(), hooks())
say()
"""

SNIPPETS = {
    "with": """
with torch.no_grad():
    say()
    with torch.enable_grad():
        say()
    say()
say()
with torch.inference_mode(), torch.autocast("cpu"):
    say()
    with torch.inference_mode(False), torch.autocast("cpu", dtype=torch.float16):
        say()
    with torch.autocast("cpu", enabled=False):
        say()
    say()
say()
""",
    "anomaly": """
with torch.autograd.detect_anomaly(check_nan=False):
    say()
say()
torch.autograd.set_detect_anomaly(True)
say()
torch.autograd.set_detect_anomaly(False)
say()
""",
    "saved tensors": """
with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    say()
    with torch.autograd.graph.save_on_cpu():
        say()
    say()
say()
with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    say()
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    say()
say()
""",
    "decorators": """
@torch.no_grad()
def decorated(x):
    say()
    return x * 2
@torch.inference_mode()
def inferred(x):
    say()
    return decorated(x)
decorated(torch.ones(1))
say()
inferred(torch.ones(1))
say()
""",
    "generators": """
def rows():
    with torch.no_grad():
        say()
        yield 1
        say()
        yield 2
@torch.no_grad()
def decorated():
    say()
    yield 1
    say()
for row in rows():
    say()
for row in decorated():
    say()
say()
left = rows()
next(left)
say()
left.close()
say()
""",
    "exceptions": """
try:
    with torch.no_grad():
        say()
        raise ValueError
except ValueError:
    say()
say()
""",
    "as a function": """
torch.autograd.set_grad_enabled(False)
say()
torch.set_grad_enabled(True)
say()
guard = torch.no_grad()
guard.__enter__()
say()
guard.__exit__(None, None, None)
say()
def enter():
    torch.set_grad_enabled(False)
    say()
enter()
say()
""",
    "custom function": """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        say()
        return x * 2
    @staticmethod
    def backward(ctx, gradient):
        say()
        return gradient * 2
x = torch.ones(2, requires_grad=True)
with torch.autocast("cpu"):
    y = Twice.apply(x)
say()
y.sum().backward(retain_graph=True)
torch.autograd.grad(y.sum(), x, create_graph=True)
say()
""",
    "hooks": """
def hook(gradient):
    say()
x = torch.ones(2, requires_grad=True)
x.register_hook(hook)
(x * 2).sum().backward()
(x * 2).sum().backward(create_graph=True)
def pack(tensor):
    say()
    return tensor
def unpack(packed):
    say()
    return packed
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x.exp()
y.sum().backward()
say()
""",
    "checkpoint": """
from torch.utils.checkpoint import checkpoint
def block(x):
    say()
    return x.exp().exp()
x = torch.ones(2, requires_grad=True)
for reentrant in (True, False):
    y = checkpoint(block, x, use_reentrant=reentrant)
    y.sum().backward()
say()
""",
    "func": """
def f(x):
    say()
    return (x * x).sum()
torch.func.grad(f)(torch.ones(2))
torch.func.vmap(f)(torch.ones(2, 2))
say()
""",
}


def at(trace: Trace, tick: int) -> Step:
    """Return the innermost statement that was running at a tick."""
    return [s for s in trace.steps if s.kind == "statement" and s.began <= tick and (s.ended is None or tick <= s.ended)][-1]


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_step_says_what_torch_says(name: str, record: Record) -> None:
    trace = record(ASKS + SNIPPETS[name]).trace
    outputs = [output for output in trace.outputs if output.stream == "stdout"]
    assert len(outputs) > 1, trace.ended
    for output in outputs:
        step = at(trace, output.tick)
        dtype = f"torch.{step.autocast_dtype}" if step.autocast else None
        said = (step.grad_enabled, step.inference, dtype, step.anomaly, step.saved_tensors_hooks)
        assert " ".join(map(str, said)) == output.text.strip(), step


def test_operators_have_them_too(record: Record) -> None:
    source = """
import torch
a = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu"), torch.autograd.graph.save_on_cpu():
    b = a @ a
c = torch.optim.SGD([a], lr=0.1)
a.grad = a.detach().clone()
c.step()
with torch.autograd.detect_anomaly(check_nan=False), torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    d = a * 2
"""
    trace = record(source).trace
    operators: dict[int, list[Step]] = {}
    for step in trace.steps:
        if step.kind == "operator" and step.span is not None:
            operators.setdefault(step.span.line, []).append(step)
    mm = operators[5]
    assert {"aten::mm", "aten::_to_copy"} <= {step.name for step in mm}
    assert {(s.autocast, s.autocast_dtype, s.saved_tensors_hooks) for s in mm} == {(True, "bfloat16", "active")}
    assert {step.grad_enabled for step in operators[8] if step.name == "aten::add_"} == {False}
    assert {(step.anomaly, step.saved_tensors_hooks) for step in operators[10]} == {(True, "disabled")}


def test_a_node_runs_without_grad_unless_its_graph_is_asked_for(record: Record) -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward({})\n"
    for asked in ("", "create_graph=True"):
        trace = record(source.replace("{}", asked)).trace
        assert {step.grad_enabled for step in trace.steps if step.kind == "node"} == {bool(asked)}
