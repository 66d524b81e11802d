"""Programs that torch's Python code rejects with an exception. The finding names the lines and the argument in the message."""

import pytest

from app.explain import explain
from app.explain.reading.signatures import SIGNATURES
from app.trace.index import Index
from tests.explain.oracles.messages import contradiction
from tests.explain.recorded import record
from tests.explain.signatures import table
from tests.explain.test_real import told

PROGRAMS = {
    "kernel size left out": (
        "call_arguments 3",
        """import torch
from torch import nn
conv = nn.Conv2d(3, 8)
print(conv(torch.randn(1, 3, 9, 9)).shape)
""",
    ),
    "file name for a state dict": (
        "wrong_argument 4",
        """import torch
from torch import nn
net = nn.Linear(3, 3)
net.load_state_dict("weights.pt")
""",
    ),
    "scheduler of a model": (
        "wrong_argument 4",
        """import torch
from torch import nn
net = nn.Linear(2, 1)
sched = torch.optim.lr_scheduler.StepLR(net, step_size=10)
""",
    ),
    "closure left out": (
        "call_arguments 7",
        """import torch
x = torch.tensor([3.0], requires_grad=True)
opt = torch.optim.LBFGS([x])
for _ in range(3):
    opt.zero_grad()
    ((x - 1) ** 2).sum().backward()
    opt.step()
""",
    ),
    "images and labels of other counts": (
        "loader_refused 4",
        """import torch
from torch.utils.data import TensorDataset
images, labels = torch.randn(10, 3), torch.zeros(8)
ds = TensorDataset(images, labels)
""",
    ),
    "loader of nothing": (
        "loader_refused 5",
        """import torch
from torch.utils.data import DataLoader
rows = [r for r in range(10) if r > 50]
print(len(rows))
loader = DataLoader(rows, batch_size=2, shuffle=True)
""",
    ),
    "batches of one tensor unpacked": (
        "loader_refused 5",
        """import torch
from torch.utils.data import DataLoader
xs = torch.randn(9, 4)
loader = DataLoader(xs, batch_size=3)
for inputs, targets in loader:
    print(inputs.shape)
""",
    ),
    "autocast without its device": (
        "call_arguments 4",
        """import torch
from torch import nn
net = nn.Linear(4, 4)
with torch.amp.autocast():
    y = net(torch.randn(1, 4))
""",
    ),
    "action that there is not": (
        "out_of_domain 3 4",
        """import torch
from torch.distributions import Categorical
d = Categorical(logits=torch.zeros(3)); a = torch.tensor(4)
print(d.log_prob(a))
""",
    ),
    "bias initialized like a matrix": (
        "wrong_shape 3 4",
        """import torch
from torch import nn
layer = nn.Linear(4, 3)
nn.init.xavier_uniform_(layer.bias)
""",
    ),
    "layer initialized for its weight": (
        "wrong_argument 4",
        """import torch
from torch import nn
conv = nn.Conv2d(3, 4, 3)
nn.init.kaiming_normal_(conv)
""",
    ),
    "weight for too few labels": (
        "weight_mismatch 2 3 4",
        """import torch, torch.nn as nn
logits, goal = torch.randn(4, 3), torch.zeros(4, 3)
lossf = nn.BCEWithLogitsLoss(pos_weight=torch.ones(2))
print(lossf(logits, goal))
""",
    ),
    "buffer named like an attribute": (
        "module_name 6",
        """import torch
from torch import nn
class Norm(nn.Module):
    def __init__(self):
        super().__init__(); self.scale = 1.0
        self.register_buffer("scale", torch.ones(3))
Norm()
""",
    ),
    "number for a name of a module": (
        "module_name 4",
        """import torch
from torch import nn
heads = nn.ModuleDict()
heads[3] = nn.Linear(4, 2)
""",
    ),
    "weight misspelt": (
        "no_attribute 5",
        """import torch
from torch import nn
lin = nn.Linear(2, 2)
with torch.no_grad():
    lin.weights.fill_(0.5)
""",
    ),
    "pooling of a matrix": (
        "wrong_shape 3 4",
        """import torch
from torch import nn
flat = torch.rand(4, 64)
pooled = nn.MaxPool2d(2)(flat)
""",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_was_refused_is_told(name: str) -> None:
    expected, source = PROGRAMS[name]
    [trace] = record([source])
    document = explain(trace)
    assert [told(document, finding) for finding in document.findings] == [expected]
    assert [contradiction(trace, Index(trace), finding) for finding in document.findings] == [None]


def test_the_table_of_signatures_is_that_of_the_installed_torch() -> None:
    """Only required parameters are compared, because versions of torch differ in optional parameters and lack some functions."""
    installed = {
        name: {each for each in taken.split(", ") if each and each[-1] != "=" and each[0] != "*"}
        for name, taken in table().items()
    }
    known = {name: set(SIGNATURES[name].needed) for name in installed.keys() & SIGNATURES.keys()}
    assert len(known) > 500
    assert known == {name: installed[name] for name in known}
