"""Numbers that autograd Nodes save, such as an exponent, equal those that torch reports without a recorder."""

from typing import Any

import msgspec
import pytest
import torch

from app.trace.records import Node
from tests.explain.recorded import record

STARTS = "import torch\nF = torch.nn.functional\na = torch.linspace(0.1, 1.2, 12).reshape(3, 4).requires_grad_()\n"
SCALARS: dict[str, dict[str, Any]] = {
    "a ** 2": {"exponent": 2},
    "a ** float('nan')": {"exponent": "nan"},
    "a.sum(-1)": {"dim": [-1], "keepdim": False},
    "a.mean((0, 1), keepdim=True)": {"dim": [0, 1], "keepdim": True},
    "a.softmax(-1)": {"dim": -1},
    "a.log_softmax(0)": {"dim": 0},
    "torch.add(a, a, alpha=3)": {"alpha": 3},
    "torch.sub(a, 1, alpha=0.5)": {"alpha": 0.5},
    "F.leaky_relu(a, 0.2)": {"negative_slope": 0.2},
    "F.elu(a, 0.5)": {"alpha": 0.5, "input_scale": 1, "scale": 1},
    "F.gelu(a, approximate='tanh')": {"approximate": "tanh"},
    "F.softplus(a, 2, 10)": {"beta": 2, "threshold": 10},
    "F.hardtanh(a, -0.5, 0.5)": {"min_val": -0.5, "max_val": 0.5},
    "a.clamp(0.25, 0.75)": {"min": 0.25, "max": 0.75},
    "a.transpose(0, 1)": {"dim0": 0, "dim1": 1},
    "a.permute(1, 0)": {"dims": [1, 0]},
    "a.unsqueeze(0)": {"dim": 0},
    "a[1]": {"dim": 0, "index": 1},
    "a.max(1)[0]": {"dim": 1, "keepdim": False},
    "a.sort()[0]": {"dim": -1},
    "a.cumsum(1)": {"dim": 1},
    "torch.cat([a, a], 1)": {"dim": 1},
    "torch.linalg.vector_norm(a, float('inf'))": {"keepdim": False, "ord": "inf"},
    "a.std(0)": {"dim": [0], "keepdim": False, "correction": 1},
    "F.layer_norm(a, (4,))": {"normalized_shape": [4]},
    "F.batch_norm(a, None, None, training=True)": {"eps": 1e-05, "training": True},
    "F.mse_loss(a, torch.ones(3, 4))": {"reduction": 1},
    "F.nll_loss(a, torch.tensor([0, 1, 2]))": {"ignore_index": -100, "reduction": 1},
    "F.conv1d(a[None], torch.ones(2, 3, 2), stride=2)": {"stride": [2], "padding": [0], "groups": 1, "transposed": False},
    "a * a": {},
}
"""Some of the numbers that the Node of each expression saves in torch 2.13."""


def saved_by_torch(expression: str) -> dict[str, Any]:
    """Return the Node's `_saved_*` attributes that are not tensors, in the format of a trace."""
    names: dict[str, Any] = {}
    exec(STARTS, names)
    node = eval(expression, names).grad_fn
    found = {name: getattr(node, name) for name in dir(node) if name.startswith("_saved_") and "_sym_" not in name}
    scalars = {name.removeprefix("_saved_"): each for name, each in found.items() if not isinstance(each, torch.Tensor)}
    return {name: _written(each) for name, each in scalars.items() if each is not None}


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_written(each) for each in value]
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return value - 2**64 if type(value) is int and value >= 2**63 else value


@pytest.mark.parametrize("expression", SCALARS)
def test_recorded_scalars_are_those_that_torch_saved(expression: str) -> None:
    [trace] = record([f"{STARTS}y = {expression}\n"])
    [name] = [name for name in trace.names if name.path == "y"]
    tensor = trace.tensors[name.tensor[-1][1] or 0]
    grad_fn: Any = tensor.grad_fn[-1][1]
    recorded = trace.nodes[grad_fn.node].scalars
    assert recorded == saved_by_torch(expression)
    assert SCALARS[expression].items() <= recorded.items()


FUNCTION = """import torch

class Double(torch.autograd.Function):
    _saved_evil = property(lambda ctx: print("read"))

    @staticmethod
    def forward(ctx, x):
        ctx._saved_dim = 3
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

y = Double.apply(torch.ones(2, requires_grad=True))
y.sum().backward()
"""


def test_the_attributes_of_a_custom_function_are_not_read() -> None:
    [trace] = record([FUNCTION])
    [double] = [node for node in trace.nodes if node.name == "DoubleBackward"]
    assert double.scalars == {} and trace.outputs == []


@pytest.mark.parametrize(
    "scalars",
    [{"text": "x" * 33}, {"sizes": [0] * 9}, {str(each): 0 for each in range(9)}, {"n": 2**53 + 1}, {"n": [0.5]}, {"n": None}],
)
def test_a_forged_node_has_no_more(scalars: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"id": 0, "name": "Add", "born": 0, "made_by": None, "sequence_nr": 0, "edges": [], "inputs": []}
    assert msgspec.convert(plain, Node).scalars == {}, "an older recording has none"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(plain | {"scalars": scalars}, Node)
