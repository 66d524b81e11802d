"""Pasted text: what is offered, and that nothing is said about text that is fine. Adding a case is adding a line to a table."""

import msgspec
import pytest

from app.explain import explain
from app.explain.reading.snippet import if_python
from app.trace.chunks import Trace
from app.trace.ends import Ended, Finished, Raised
from tests.trace.header import HEADER


def ended(kind: str, line: int | None = None, message: str = "") -> Raised:
    return Raised(type=kind, message=message, line=line)


SYNTAX = ended("SyntaxError", 1)
NAME = ended("NameError", 1)
EOF = ended("EOFError", 1)
COMPILER = ended("torch._inductor.exc.InductorError", 4)

OFFERED: list[tuple[str, Ended, str, str]] = [
    (">>> x = 1\n>>> x\n1\n", SYNTAX, "pasted_prompts", "x = 1\nx\n"),
    (">>> for i in range(2):\n...     print(i)\n...\n0\n1\n", SYNTAX, "pasted_prompts", "for i in range(2):\n    print(i)\n\n"),
    ("    >>> x = 1\n    >>> y = 2\n", SYNTAX, "pasted_prompts", "x = 1\ny = 2\n"),
    ("In [1]: x = 1\n\nIn [2]: if x:\n   ...:     y = 2\nOut[2]: 3\n", NAME, "pasted_prompts", "x = 1\nif x:\n    y = 2\n"),
    ("Try this:\n>>> x = 1\n", SYNTAX, "pasted_prompts", "x = 1\n"),
    ("  x = 1\n  y = 2\n", ended("IndentationError", 1), "pasted_indentation", "x = 1\ny = 2\n"),
    ("x = 1\n    y = 2\n    if y:\n        z = 3\n", SYNTAX, "pasted_indentation", "x = 1\ny = 2\nif y:\n    z = 3\n"),
    ("!pip install x\nx = 1\n", SYNTAX, "shell_lines", "# !pip install x\nx = 1\n"),
    ("%matplotlib inline\npip install y\nx = 1\n", SYNTAX, "shell_lines", "# %matplotlib inline\n# pip install y\nx = 1\n"),
    ("if True:\n    %time x = 1\n", SYNTAX, "shell_lines", "if True:\n    pass  # %time x = 1\n"),
    ("x = torch.ones(1)\n", NAME, "missing_import", "import torch\nx = torch.ones(1)\n"),
    ("y = np.ones(1)\nx = F.relu(nn.p)\n", NAME, "missing_import", "import numpy as np\nfrom torch import nn\nimport torch.nn"),
    (
        '"""Doc."""\nfrom __future__ import annotations\nx = torch.ones(1)\n',
        ended("NameError", 3),
        "missing_import",
        "annotations\nimport torch\nx",
    ),
    ("n = int(input('\u7b54\u6848? ')) + 1\n", EOF, "keyboard_input", 'n = int("1") + 1\n'),
    (
        "d = DataLoader(s, num_workers=4)\nnext(iter(d))\n",
        ended("FileNotFoundError", 2),
        "worker_processes",
        "num_workers=0)\n",
    ),
    (
        "import matplotlib.pyplot as plt\nx = 1\nplt.plot(\n    x)\nplt.show()\n",
        ended("ModuleNotFoundError", 1),
        "absent_package",
        "# import matplotlib.pyplot as plt\nx = 1\n# plt.plot(\n    # x)\n# plt.show()\n",
    ),
    ("import torch\nf = torch.compile(net)\n\nf(x)\n", COMPILER, "compiler", 'torch.compile(net, backend="eager")\n'),
    (
        "@torch.compile(fullgraph=True, mode='max-autotune', options={})\ndef f(x): return x\n\nf(x)\n",
        COMPILER,
        "compiler",
        '@torch.compile(fullgraph=True, backend="eager")\ndef',
    ),
    (
        "import re, torch\n@torch.compile\ndef f(x): return re.compile('a')\nf(x)\n",
        COMPILER,
        "compiler",
        "@torch.compile(backend=\"eager\")\ndef f(x): return re.compile('a')\n",
    ),
    ("from torch import compile as c\n\n@c\nclass A: pass\n", COMPILER, "compiler", '@c(backend="eager")\n'),
    ("net.compile(backend='inductor')\n", COMPILER, "compiler", 'net.compile(backend="eager")\n'),
]

TOLD: list[tuple[str, Ended, str]] = [
    ("import pandas as pd\nx = pd.DataFrame()\n", ended("ModuleNotFoundError", 1), "absent_package"),
    ("__import__('jax')\n", ended("ModuleNotFoundError", 1, "No module named 'jax'"), "absent_package"),
    (
        "import importlib\njax = importlib.import_module('jax.numpy')\n",
        ended("ModuleNotFoundError", 2, "other words"),
        "absent_package",
    ),
    ("open('/new', 'w')\n", ended("PermissionError", 1, "other words"), "sealed"),
    ("plt.plot(1)\n", NAME, "absent_package"),
    ("m = torch.hub.load('a', 'b')\n", ended("RuntimeError", 1), "download"),
    ("d = datasets.MNIST('.', download=True)\n", ended("urllib.error.URLError", 1), "download"),
    ("import urllib.request\nurllib.request.urlopen('http://x')\n", ended("urllib.error.URLError", 2), "download"),
    ("import requests\nrequests.get('http://x')\n", ended("requests.exceptions.ConnectionError", 2), "download"),
]

QUIET: list[tuple[str, Ended]] = [
    ("x = given\ny = torch.ones(1)\n", NAME),  # torch is missing, too, but that raised nothing
    ('"""Like this:\n\n>>> x = 1\n"""\nx = 1\n', Finished()),
    ("x = (7\n  % 2)\n", Finished()),
    ("x = (7\n  % 2)\ny = missing\n", NAME),
    ("from torch import *\nx = nn.Linear(1, 1)\n", NAME),
    ("def torch():\n    return np\nnp = 1\n", NAME),
    ("def input(): return 1\ninput()\n", EOF),
    ("DataLoader(s, num_workers=0)\nf(download=False)\n", ended("FileNotFoundError", 1)),
    ("d = DataLoader(s, num_workers=4)\nm = torch.hub.load('a', 'b')\nfetch(download=True)\n", Finished()),
    ("d = DataLoader(s, num_workers=4)\nfetch(download=True)\nx = 1 / 0\n", ended("ZeroDivisionError", 3)),
    ("x = )\n", SYNTAX),
    ("raise PermissionError('not yours')\n", ended("PermissionError", 1, "not yours")),
    ("f = torch.compile(net, backend='aot_eager')\nf(x)\n", COMPILER),
    ("f = torch.compile(net)\nf(x)\n", ended("RuntimeError", 2)),
    ("", Finished()),
    ("a" * 70_000, SYNTAX),
]


def findings(source: str, end: Ended) -> list[tuple[str, str]]:
    document = explain(Trace(source=source, header=HEADER, ended=end))
    return [(finding.kind, finding.fixes[0].source if finding.fixes else "") for finding in document.findings]


@pytest.mark.parametrize(("source", "end", "kind", "fixed"), OFFERED)
def test_offered(source: str, end: Ended, kind: str, fixed: str) -> None:
    found = dict(findings(source, end))
    assert kind in found
    assert fixed in found[kind]
    assert if_python(found[kind]) is not None


@pytest.mark.parametrize(("source", "end", "kind"), TOLD)
def test_told_without_a_fix(source: str, end: Ended, kind: str) -> None:
    assert (kind, "") in findings(source, end)


@pytest.mark.parametrize(("source", "end"), QUIET)
def test_quiet(source: str, end: Ended) -> None:
    assert findings(source, end) == []


def test_a_package_that_is_needed_cannot_be_left_out() -> None:
    source = "import matplotlib.pyplot as plt\nfigure = plt.figure()\nplt.show()\n"
    assert findings(source, ended("ModuleNotFoundError", 1)) == [("absent_package", "")]


@pytest.mark.parametrize(("source", "end", "kind"), [*((source, end, kind) for source, end, kind, _ in OFFERED), *TOLD])
def test_what_a_sandbox_lacks_is_not_told_of_a_program_that_recorded_itself(source: str, end: Ended, kind: str) -> None:
    """A package, a network or other processes are as its machine has them."""
    trace = Trace(source=source, header=msgspec.structs.replace(HEADER, in_process=True), ended=end)
    expected = {"pasted_prompts", "pasted_indentation", "shell_lines", "missing_import"}
    assert kind in expected or explain(trace).findings == []
