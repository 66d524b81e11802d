"""Programs that raise an exception that resembles another mistake. Such programs have no finding about the other mistake."""

import msgspec
import pytest

from app.explain import explain
from tests.explain.recorded import record

BEGUN = """import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.ones(3, 4)
shape = [2, 3]
"""
PROGRAMS = {
    "a size is a list, and the value is missing": "torch.full(shape)",
    "a size is a list, and the bounds are missing": "torch.randint(shape)",
    "a layer gets a list beside its input": "nn.Linear(4, 2)(x, shape)",
    "a keyword that a function does not have": "F.relu(x, rate=shape)",
    "a method that a list does not have": "shape.push(3)",
    "a key that a dict does not have": "{'a': x}['b']",
    "a number divided by zero": "rate = 1\nrate / (rate - 1)",
    "a module's own error": (
        "class Net(nn.Module):\n    def forward(self, x):\n        raise NotImplementedError('later')\nNet()(x)"
    ),
    "a module's own check": (
        "class Net(nn.Module):\n    def forward(self, x):\n        if x.shape[1] != 3:\n            raise ValueError('three')\n"
        "Net()(x)"
    ),
    "an attribute that a module does not have": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.size.width = 3\nNet()"
    ),
    "a text unpacked": "a, b = 'abc'",
    "a list indexed beyond its end": "shape[5]",
    "a loss of a wrong reduction": "nn.MSELoss(reduction='most')(x, x)",
    "a layer that takes a number": "nn.Linear('4', 2)",
    "an optimizer without a rate that it can use": "torch.optim.SGD([nn.Parameter(x)], lr=-1.0)",
    "a wrong mode": "F.interpolate(x[None, None], size=(2, 2), mode='cubic')",
    "a bound of a range that is a text": "torch.linspace(0, 'x', 3)",
    "the inverse of whole numbers": "torch.linalg.inv(torch.ones(3, 3, dtype=torch.int64))",
    "the largest along a dimension of no rows": "torch.ones(0, 3).max(dim=0)",
    "a mapped function's own error": "def f(row):\n    raise ValueError('later')\ntorch.vmap(f)(x)",
    "a hook's own error": "y = x.requires_grad_() * 2\ny.register_hook(lambda grad: grad + 'x')\ny.sum().backward()",
    "a product with what a dict does not hold": "x * {'a': 1}.get('b')",
    "an item of a dataset asked for by its index": (
        "class Rows(torch.utils.data.Dataset):\n    def __init__(self):\n        self.x = x\n"
        "    def __len__(self):\n        return 3\n"
        "    def __getitem__(self, i):\n        return self.x[i]\nrows = Rows()\ntorch.utils.data.DataLoader(rows)\nrows[3]"
    ),
    "a property in which something is missing": (
        "class Net(nn.Module):\n    @property\n    def width(self):\n        return [].width\nNet().width"
    ),
    "a class that inherits its constructor": (
        "class Base:\n    def __init__(self, n):\n        self.n = n + shape\nclass Net(Base):\n    pass\nNet(3)"
    ),
    "a method given as a function": "def twice(f, y):\n    return f(y) + f\ntwice(x.add, x)",
    "a file written in a folder that is not there": "with open('no-such-folder/x.txt', 'w') as file:\n    file.write(str(x))",
    "a file opened in a way that is computed": "way = 'w'\nopen('no-such-folder/x.txt', way)",
    "a file that the program itself misses": "def read(name):\n    raise FileNotFoundError(name)\nread('x.pt')",
    "a file removed that is not there": "import os\nos.remove('x.pt')",
    "a list of files indexed beyond its end": "import glob, os\nfiles = [os.curdir, *glob.glob('*.no')]\nfiles[1]",
    "a list that is empty, and one of files": "import glob\nfiles = glob.glob('*.no')\n[][0]",
    "an average over no numbers, and a check of it": "assert x.mean() > 2",
}


BLAMED = {
    "a size is a list, and the value is missing": "refused_input",
    "the inverse of whole numbers": "dtype_refused",
    "a layer gets a list beside its input": "call_arguments",
    "a keyword that a function does not have": "call_arguments",
    "an attribute that a module does not have": "no_attribute",
    "a layer that takes a number": "wrong_argument",
    "an optimizer without a rate that it can use": "wrong_argument",
}
"""Programs with a finding, and the kind of the finding."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_said_of_what_is_not_to_blame(name: str) -> None:
    [trace] = record([BEGUN + PROGRAMS[name] + "\n"])
    assert getattr(trace.ended, "message", None) is not None
    assert [finding.kind for finding in explain(trace).findings if finding.severity != "hint"] == (
        [BLAMED[name]] if name in BLAMED else []
    )


@pytest.mark.parametrize("text", ["torch.load('x.pt')", "import glob\nfiles = glob.glob('*.no')\nfiles[0]"])
def test_files_are_missed_in_the_sandbox_alone(text: str) -> None:
    """A program that records itself runs outside the sandbox and can open its files."""
    [trace] = record([BEGUN + text + "\n"])
    assert [finding.kind for finding in explain(trace).findings] == ["absent_file"]
    in_process = msgspec.structs.replace(trace.header, in_process=True)
    assert explain(msgspec.structs.replace(trace, header=in_process)).findings == []
