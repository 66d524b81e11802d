"""Findings and fixes for pasted text that is not plain Python, such as prompts or shell lines. Correct text has no findings.

To add a case, add a row to a table.
"""

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
ABSENT = ended("ModuleNotFoundError", 1)

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
        "import matplotlib.pyplot as plt\nx = 1\nplt.plot(\n    x)\nplt.show()\n",
        ended("ModuleNotFoundError", 1),
        "absent_package",
        "# import matplotlib.pyplot as plt\nx = 1\n# plt.plot(\n    # x)\n# plt.show()\n",
    ),
    (
        "from tqdm import tqdm\nfor x in tqdm(xs, desc='x'):\n    tqdm.write(str(x))\n",
        ABSENT,
        "absent_package",
        "# from tqdm import tqdm\nfor x in xs:\n    print(str(x))\n",
    ),
    (
        "import tqdm\nbar = tqdm.tqdm(enumerate(xs), total=3)\nfor i, x in bar:\n    bar.set_description(f'{i}')\nbar.close()\n",
        ABSENT,
        "absent_package",
        "bar = enumerate(xs)\nfor i, x in bar:\n    pass  # bar.set_description(f'{i}')\n# bar.close()\n",
    ),
    (
        "from tqdm.auto import tqdm, trange\nwith tqdm(xs) as bar:\n    for x in bar: bar.set_postfix(x=x)\n"
        "for i in trange(2, 5): f(i)\n",
        ABSENT,
        "absent_package",
        "with contextlib.nullcontext(xs) as bar:\n    for x in bar: pass\nfor i in range(2, 5): f(i)\n",
    ),
    (
        "from tqdm import tqdm\nwith tqdm(total=2) as bar:\n    f()\n    bar.update(1)\n"
        "for x in (bars := tqdm(xs)):\n    bars.set_postfix(x=x)\n",
        ABSENT,
        "absent_package",
        "with contextlib.nullcontext() as bar:\n    f()\n    pass  # bar.update(1)\nfor x in (bars := xs):\n    pass  # bars",
    ),
    (
        "import matplotlib.pyplot as plt\nfig, axes = plt.subplots(1, 2)\nax = axes[0]; y = 1\nax.plot(y)\nplt.rcParams['x'] = 3\n",
        ABSENT,
        "absent_package",
        "# fig, axes = plt.subplots(1, 2)\npass; y = 1\n# ax.plot(y)\n# plt.rcParams['x'] = 3\n",
    ),
    (
        "import matplotlib.pyplot as plt\nfig, axes = plt.subplots(2)\n"
        "for i, (ax, x) in enumerate(zip(axes.flat, xs)):\n    ax.plot(x)\n"
        "    if i:\n        ax.legend()\nfor i in range(3):\n    f(i)\n",
        ABSENT,
        "absent_package",
        "# for i, (ax, x) in enumerate(zip(axes.flat, xs)):\n    # ax.plot(x)\n"
        "    # if i:\n        # ax.legend()\nfor i in range(3):\n    f",
    ),
    (
        "import os, matplotlib.pyplot as plt, torch as t; x = 1\nplt.plot(x)\nt.ones(1)\n",
        ABSENT,
        "absent_package",
        "import os, torch as t; x = 1\n# plt.plot(x)\nt.ones(1)\n",
    ),
    (
        "from torch.utils.tensorboard import SummaryWriter\nlog = SummaryWriter()\nlog.add_scalar('x', 1)\nf()\n",
        ended("ModuleNotFoundError", 1, "No module named 'tensorboard'"),
        "absent_package",
        "# from torch.utils.tensorboard import SummaryWriter\n# log = SummaryWriter()\n# log.add_scalar('x', 1)\nf()\n",
    ),
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
    ("x = given\ny = torch.ones(1)\n", NAME),  # torch is also missing, but importing it raised nothing
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


NEEDED = [
    "import matplotlib.pyplot as plt\nfigure = plt.figure()\nplt.show()\n",  # without this line, the program would be empty
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot(1)\nx = torch.tensor(fig.dpi)\n",
    "import matplotlib.pyplot as plt\nfig, axes = plt.subplots(2)\nfor ax in axes:\n    ax.plot(1)\n    x = f()\nprint(x)\n",
    "import pandas as pd\ntable = pd.read_csv('x.csv')\ntable.head()\nx = torch.tensor(table['x'].values)\n",
    "import gymnasium as gym\ngame = gym.make('x')\nseen, _ = game.reset()\nx = torch.tensor(seen)\n",
    "from einops import reduce\nx = f()\nloss = reduce(x, 'a b -> ', 'sum')\nloss.backward()\n",
    "from lion_pytorch import Lion\nnet = f()\nopt = Lion(net.parameters())\nopt.zero_grad()\n",
    "import seaborn as sns\ndef f(ax):\n    ax.add(1)\nax = sns.lineplot()\nax.set(title='x')\nf(w)\n",
    "from tqdm import tqdm\nbar = tqdm(xs)\nfor x in bar:\n    print(bar.n)\n",
    "from tqdm import tqdm\nxs = {}\nxs.update(f())\nxs = tqdm(xs)\nfor x in xs:\n    print(x)\n",
    "from pylab import *\nplot(1)\nx = 1\n",
]


@pytest.mark.parametrize("source", NEEDED)
def test_a_package_that_is_needed_cannot_be_left_out(source: str) -> None:
    assert findings(source, ABSENT) == [("absent_package", "")]


@pytest.mark.parametrize(("source", "end", "kind"), [*((source, end, kind) for source, end, kind, _ in OFFERED), *TOLD])
def test_what_a_sandbox_lacks_is_not_told_of_a_program_that_recorded_itself(source: str, end: Ended, kind: str) -> None:
    """A program that records itself runs outside the sandbox, with its machine's packages and network."""
    trace = Trace(source=source, header=msgspec.structs.replace(HEADER, in_process=True), ended=end)
    expected = {"pasted_prompts", "pasted_indentation", "shell_lines", "missing_import"}
    assert kind in expected or explain(trace).findings == []
