"""Backward on a tensor without a graph: findings name the line that cut the graph. If an optimizer gets a tensor that is not
a leaf, the finding offers a fix.
"""

from functools import cache

import pytest

from app.explain import explain
from app.explain.finding import Finding
from app.trace.chunks import Trace
from app.words import LANGUAGES, sentence
from tests.explain.recorded import record, reworded
from tests.explain.test_sentences import scars

HEAD = "import copy\nimport torch\nfrom torch import nn\nx = torch.ones(2, 3)\n"
NET = f"{HEAD}net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))\n"
LEAF = f"{HEAD}w = torch.ones(3, requires_grad=True)\nother = torch.ones(3, requires_grad=True)\n"
CUSTOM = f"""{HEAD}class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.head = nn.Linear(3, 1)
    def forward(self, x):
        return self.head(self.body(x))
net = Net()
"""
FREEZE = "def freeze(module):\n    for p in module.parameters():\n        p.requires_grad = False\n"
OTHERS = " and of 3 more tensors. Nothing else"
EXP = "rate = other.exp()\ntorch.optim.SGD([rate])"

SAID = {
    # A line turns off `requires_grad` of a leaf.
    f"{NET}net.requires_grad_(False)\nnet(x).mean().backward()": f"Line 6 turned off `requires_grad` of `net[0].weight`{OTHERS}",
    f"{NET}{FREEZE}freeze(net)\nnet(x).mean().backward()": f"Line 8 turned off `requires_grad` of `net[0].weight`{OTHERS}",
    f"{NET}target = copy.deepcopy(net)\ntarget.requires_grad_(False)\ntarget(x).mean().backward()": (
        f"Line 7 turned off `requires_grad` of `target[0].weight`{OTHERS}"
    ),
    f"{CUSTOM}net.body.requires_grad_(False)\nnet.head.requires_grad_(False)\nnet(x).mean().backward()": (
        "Line 14 turned off `requires_grad` of `net.head.weight` and of one more tensor, and other lines did so for the rest."
    ),
    f"{LEAF}def double(a):\n    b = a * 2\n    return b\nw.requires_grad = False\ndouble(w).sum().backward()": (
        "Line 10 turned off `requires_grad` of `w`. Nothing else that `double(w).sum()` was computed from requires grad"
    ),
    f"{LEAF}w.requires_grad = False\nw.sum().backward()": "Line 7 turned off `requires_grad` of `w`. Nothing else",
    f"{HEAD}v = torch.ones(1, requires_grad=True)\nv.requires_grad_(False)\nv.backward()": "off `requires_grad` of `v`. So `v` has",
    f"{LEAF}y = (w * 2).sum()\ny.detach_()\ny.backward()": "Line 8 calls `detach_()`, which removes `y` itself from the graph",
    # Here, turning off `requires_grad` is not the cause: the leaf never required grad, or another tensor was detached.
    f"{HEAD}w = torch.ones(3, requires_grad=False)\nw.sum().backward()": "No tensor in this run requires grad, not even `w`",
    f"{LEAF}w.requires_grad = False\ny = w.sum()\nw.requires_grad = True\ny.backward()": "Line 9 sets `requires_grad` on `w` only",
    f"{LEAF}w.requires_grad = False\n(w * other.detach()).sum().backward()": "`.detach()` on line 8 returns the values of `other`",
    # The finding contains the expression of the detached tensor. A Module is no tensor.
    f"{NET}(net(x).sigmoid() > 0.5).float().mean().backward()": "computes booleans from `net(x).sigmoid()`, which",
    f"{NET}net(x).sign().gt(0).float().mean().backward()": "computes booleans from `net(x).sign()`, which",
    f"{NET}torch.isclose(net(x), x[:, :1]).float().mean().backward()": "computes booleans from `net(x)`, which",
    f"{CUSTOM}(net(x) > 0.5).float().mean().backward()": "computes booleans from `net(x)`, which",
    f"{CUSTOM}torch.tensor(net(x).mean().item()).backward()": "converts `net(x).mean()` to plain Python numbers",
    f"{CUSTOM}a = net(x).detach().numpy()\ntorch.from_numpy(a).sum().backward()": "converts `net(x)` to a NumPy array",
    f"{NET}torch.tensor([net(x).mean(), x.mean()]).sum().backward()": "values of `[net(x).mean(), x.mean()]`; it",
    f"{LEAF}h = w * 2\n(h > 1).float().mean().backward()": "computes booleans from `h`, which",
    # The fix passes this leaf to the optimizer.
    f"{LEAF}{EXP}": "To train `other`, from which it was computed, give the optimizer `other` and compute `rate` again",
    f"{NET}rate = net(x)\ntorch.optim.SGD([rate])": "the leaves that it was computed from, such as `net[0].weight`, give",
}
UNDONE = {
    f"{LEAF}w.requires_grad = False\nw.sum().backward()": None,
    f"{LEAF}{EXP}": None,
    f"{HEAD}w = torch.ones(3, requires_grad=True) * 2\ntorch.optim.SGD([w])": "w = w.detach().requires_grad_()",
    f"{LEAF}w = w * 2\ntorch.optim.SGD([w])": "w = w.detach().requires_grad_()",
    f"{HEAD}w = torch.ones(3, requires_grad=False)\nw.sum().backward()": "w = torch.ones(3, requires_grad=True)",
    f"{NET}net(x).detach().mean().backward()": "net(x).mean().backward()",
}
"""A line of the first fix. None if a fix would undo what the program intends, or train the wrong tensor."""


@cache
def recordings() -> dict[str, Trace]:
    sources = list(dict.fromkeys([*SAID, *UNDONE]))
    return dict(zip(sources, record(sources), strict=True))


def the_error(trace: Trace) -> Finding:
    (finding,) = [each for each in explain(trace).findings if each.severity == "error"]
    return finding


@pytest.mark.parametrize("source", SAID)
def test_the_reason(source: str) -> None:
    finding = the_error(recordings()[source])
    said = [sentence(language, f"finding-{finding.kind}", **finding.arguments) for language in LANGUAGES]
    assert SAID[source] in said[0]
    assert [scars(each, f"finding-{finding.kind}") for each in said] == [[], []]
    assert the_error(reworded(recordings()[source])) == finding


@pytest.mark.parametrize("source", UNDONE)
def test_the_fix(source: str) -> None:
    fixes = the_error(recordings()[source]).fixes
    line = UNDONE[source]
    assert ([] if line is None else [line]) == [line for fix in fixes for line in fix.source.splitlines() if line not in source]
