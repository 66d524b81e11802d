"""If sizes or dtypes do not match, findings mark the values that torch's message contains. Findings mark nothing if torch
accepts the sizes and dtypes.
"""

import re

import pytest

from app.explain import explain
from app.trace.chunks import Trace
from app.trace.query import value_at
from tests.explain.recorded import record

BEGUN = """import torch
import torch.nn.functional as F
from torch import nn

x = torch.ones(2, 3)
"""
LONG = "dtype=torch.long"
CLASHES = {
    "w = torch.ones(4, 5)\nx @ w": {"x 1: 3 ≠ 4", "w 0: 4 ≠ 3"},
    "w = torch.ones(4)\ntorch.mv(x, w)": {"x 1: 3 ≠ 4", "w 0: 4 ≠ 3"},
    "w = torch.ones(7, 3, 5)\nv = torch.ones(6, 2, 3)\nv @ w": {"v 0: 6 ≠ 7", "w 0: 7 ≠ 6"},
    "x @ x": {"x 1: 3 ≠ 2", "x 0: 2 ≠ 3"},
    "b = torch.ones(4)\nx + b": {"x 1: 3 ≠ 4", "b 0: 4 ≠ 3"},
    "b = torch.ones(5, 3)\nx.mul_(b)": {"x 0: 2 ≠ 5", "b 0: 5 ≠ 2"},
    "b = torch.ones(4, 1, 4)\ntorch.maximum(x, b)": {"x 1: 3 ≠ 4", "b 2: 4 ≠ 3"},
    "b = torch.ones(3, 4)\ntorch.cat([x, b])": {"x 1: 3 ≠ 4", "b 1: 4 ≠ 3"},
    "b = torch.ones(2, 4)\ntorch.stack([x, b])": {"x 1: 3 ≠ 4", "b 1: 4 ≠ 3"},
    "fc = nn.Linear(4, 5)\nfc(x)": {"x 1: 3 ≠ 4", "fc.weight 1: 4 ≠ 3"},
    "w = torch.ones(5, 4)\nF.linear(x, w)": {"x 1: 3 ≠ 4", "w 1: 4 ≠ 3"},
    "c = nn.Conv2d(3, 6, 1)\ni = torch.ones(2, 4, 8, 8)\nc(i)": {"i 1: 4 ≠ 3", "c.weight 1: 3 ≠ 4"},
    "c = nn.Conv2d(4, 6, 1, groups=2)\ni = torch.ones(2, 6, 8, 8)\nc(i)": {"i 1: 6 ≠ 4"},
    "c = nn.ConvTranspose1d(3, 6, 1)\ni = torch.ones(2, 4, 8)\nc(i)": {"i 1: 4 ≠ 3", "c.weight 0: 3 ≠ 4"},
    "n = nn.BatchNorm1d(4)\nn(x)": {"x 1: 3 ≠ 4", "n.weight 0: 4 ≠ 3"},
    "r = nn.GRU(4, 5)\nr(x)": {"x 1: 3 ≠ 4", "r.weight_ih_l0 1: 4 ≠ 3"},
    f"y = torch.zeros(5, {LONG})\nF.cross_entropy(x, y)": {"x 0: 2 ≠ 5", "y 0: 5 ≠ 2"},
    "m = torch.ones(2, 4) > 0\nx[m]": {"x 1: 3 ≠ 4", "m 1: 4 ≠ 3"},
    "w = torch.ones(3, 2).double()\nx @ w": {"x: float32 ≠ float64", "w: float64 ≠ float32"},
    "fc = nn.Linear(3, 5)\nd = x.double()\nfc(d)": {"d: float64 ≠ float32", "fc.weight: float32 ≠ float64"},
    "y = torch.zeros(2)\nF.cross_entropy(x, y)": {"y: float32 ≠ int64"},
    # torch's message contains sizes that no tensor has, or does not compare single sizes
    "b = torch.ones(5, 5)\nx.t() @ b": {"b 0: 5 ≠ 2"},
    "s = torch.ones(4, 4)\nb = torch.ones(3, 4)\ns.t() @ b": {"b 0: 3 ≠ 4"},
    "b = torch.ones(3)\nb += x": set(),
    "x.view(5, 5)": set(),
    "torch.mm(x, torch.ones(3))": set(),
}
SPOKEN = {"float32": "float", "float64": "double", "int64": "long"}


@pytest.mark.parametrize("source", CLASHES)
def test_what_does_not_fit_is_what_torch_names(source: str) -> None:
    (trace,) = record([f"{BEGUN}{source}\n"])
    message = getattr(trace.ended, "message", "")
    assert message, "torch accepts it"
    told = _told(trace)
    assert {text for text, _ in told} == CLASHES[source]
    numbers = set(re.findall(r"\d+", message))
    for _, values in told:
        for value in values:
            assert value in numbers or SPOKEN.get(value, "?") in message.lower(), (value, message)


def test_what_torch_accepts_or_the_program_caught_is_not_marked() -> None:
    fitting = ["x @ x.t()", "x + torch.ones(1, 3)", "nn.Linear(3, 4)(x)", "torch.cat([x, torch.ones(2, 4)], 1)"]
    caught = "w = torch.ones(4, 5)\ntry:\n    x @ w\nexcept RuntimeError:\n    pass"
    for trace in record([f"{BEGUN}{source}\n" for source in [*fitting, caught]]):
        assert _told(trace) == []


def _told(trace: Trace) -> list[tuple[str, tuple[str, str]]]:
    """Return for each mark a text such as "x 1: 3 ≠ 4", and both values."""
    told = []
    for finding in explain(trace).findings:
        for clash in finding.clashes:
            geometry = value_at(trace.tensors[clash.tensor].geometry, finding.tick)
            assert geometry is not None
            value = geometry.dtype if clash.dimension is None else str(geometry.shape[clash.dimension])
            (name, *_) = [name.path for name in trace.names if value_at(name.tensor, finding.tick) == clash.tensor]
            place = "" if clash.dimension is None else f" {clash.dimension}"
            told.append((f"{name}{place}: {value} ≠ {clash.other}", (value, clash.other)))
    return told
