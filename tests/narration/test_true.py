"""Ordinary programs about which the plain text or the page once contained a false sentence."""

import json
import subprocess
from functools import cache
from pathlib import Path

import msgspec
import pytest

from app.explain import Document, explain
from app.report.transcript import story
from app.trace.ends import Finished
from tests.explain.recorded import record

SPOKEN = Path(__file__).parents[1] / "js/spoken.js"

GRAD = "import torch\nx = torch.ones(2, requires_grad=True)\n"

PROGRAMS = {
    "parts of a tensor without a name": "import torch\ntotal = sum(c.sum() for c in torch.ones(2, 4).unsafe_chunk(2, 1))\n",
    "a parameter": "import torch\np = torch.nn.Parameter(torch.ones(2))\n",
    "empty and filled": (
        "import torch\ny = torch.empty(2).copy_(torch.tensor([3.0, 4.0])) + 1\nz = torch.empty(2) * 0\n"
        "v = torch.full((3,), 7.0).to_sparse().to_dense()\n"
    ),
    "no_grad": GRAD + "with torch.no_grad():\n    y = x * 2\nprint(torch.is_grad_enabled())\n",
    "no_grad at the end": GRAD
    + "def f():\n    with torch.no_grad():\n        return x * 2\nf()\nwith torch.no_grad():\n    f()\n",
    "enable_grad": GRAD + "with torch.no_grad():\n    with torch.enable_grad():\n        y = x * 2\n    z = x * 2\n",
    "set_grad_enabled": GRAD + "torch.set_grad_enabled(False)\ny = x * 2\ntorch.set_grad_enabled(True)\ny = x * 2\n",
    "inference_mode": GRAD + "with torch.inference_mode():\n    y = x * 2\n",
    "a number": (
        "import torch\nx = torch.tensor(1.0, requires_grad=True)\n(x * 2).backward()\nwith torch.no_grad():\n    x.add_(1)\n"
    ),
    "a layer": "import torch\nlayer = torch.nn.Linear(2, 2)\n",
    "a result called result": GRAD + "result = torch.sigmoid(x)\n",
    "two Nodes of one name": GRAD + "((x * 2) * (x * 2)).sum().backward()\n(x + x).sum().backward()\n",
    "checkpoint": (
        GRAD + "from torch.utils.checkpoint import checkpoint\nlayer = torch.nn.Linear(2, 2)\n"
        "def block(v):\n    return layer(v).sigmoid()\ncheckpoint(block, x, use_reentrant=False).sum().backward()\n"
    ),
    "an optimizer in backward": (
        GRAD + "def hook(p):\n    with torch.no_grad():\n        p.sub_(p.grad)\n    p.grad = None\n"
        "x.register_post_accumulate_grad_hook(hook)\n(x * 2).sum().backward()\n"
    ),
    "vmap": "import torch\ndef f(v):\n    w = v * 2\n    return w\nr = torch.vmap(f)(torch.ones(5))\n",
    "it raises": GRAD + "try:\n    (x * 2).view(7)\nexcept RuntimeError:\n    pass\n",
}

SAID = {
    "parts of a tensor without a name": ["A tensor of shape (2, 2) without a name was created; it uses storage `S0`."],
    "no_grad": ["Grad mode is on again: autograd records operations."],
    "a number": [
        "received the gradient `1.0`.",
        "sent the gradient `2.0` to the `AccumulateGrad` of `x`.",
        "`x.grad` was created: `2.0` in storage",
        "through `x`: `1.0` became `2.0`.",
        "which saved `other = 2` for backward.",
    ],
    "a layer": ["`layer.weight` is a new tensor of shape (2, 2), a leaf that requires grad, with its own storage"],
    "a result called result": ["which saved `result` at `v0` for backward."],
    "two Nodes of one name": [
        "Autograd recorded 2 Nodes `MulBackward0`, each of which saved `other = 2` for backward.",
        "It sent the gradient `[2., 2.]` to each of 2 Nodes `MulBackward0` of line 3.",
        "It sent the gradient `[1., 1.]` to the `AccumulateGrad` of `x`, twice.",
    ],
    "an optimizer in backward": ["gradients reached `x`."],
    "vmap": [
        "`w · f` is a scalar tensor of a `torch.func` transform: within `vmap` it stands for one such tensor of each example."
    ],
    "checkpoint": ["A saved-tensor hook got `mat1` and `mat2`: torch keeps what the hook returned."],
}
"""Correct sentences, or parts of sentences, about these programs."""

NEVER = {
    "parts of a tensor without a name": ["(2, 2) without a name was created in a new storage"],
    "a number": ["`[1.]`", "`[2.]`", "`2.`", "`1.`", "`other` at `v0`"],
    "a result called result": ["result = result"],
    "two Nodes of one name": ["`MulBackward0` of line 3, twice"],
    "checkpoint": ["which saved `mat1`", "_StopRecomputationError"],
    "vmap": ["`w · f` is a new scalar tensor"],
}
"""False sentences that must not appear."""


@cache
def documents() -> dict[str, Document]:
    traces = dict(zip(PROGRAMS, record(list(PROGRAMS.values())), strict=True))
    assert all(isinstance(trace.ended, Finished) for trace in traces.values())
    return {name: explain(trace) for name, trace in traces.items()}


@cache
def text(name: str) -> str:
    """Return the English text of a program without backticks."""
    return "\n".join(story(documents()[name], "en"))


def below(name: str, headline: str) -> list[list[str]]:
    """Return the lines of text about each execution of a statement."""
    found: list[list[str]] = []
    lines = text(name).splitlines()
    for number, line in enumerate(lines):
        if line == headline:
            end = next((other for other in range(number + 1, len(lines)) if lines[other].startswith("line ")), len(lines) - 1)
            found.append([each.strip() for each in lines[number + 1 : end]])
    return found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the page's sentences about the steps of each program."""
    folder = tmp_path_factory.mktemp("documents")
    files = {f"{number:02}.json": name for number, name in enumerate(PROGRAMS)}
    for file, name in files.items():
        (folder / file).write_bytes(msgspec.json.encode(documents()[name]))
    run = subprocess.run(["node", str(SPOKEN), str(folder)], capture_output=True, text=True, check=True, timeout=120)
    said: dict[str, str] = dict.fromkeys(PROGRAMS, "")
    for line in map(json.loads, run.stdout.splitlines()):
        if line["granularity"] != "finding":
            said[files[line["file"]]] += f"{line['granularity']} {line['k']}: {line['said'][0]}\n".replace("\u2060", "")
    return said


@pytest.mark.parametrize("name", SAID)
def test_it_is_said(name: str, page: dict[str, str]) -> None:
    for each in SAID[name]:
        assert each.replace("`", "") in text(name), text(name)
        assert each in page[name] or each.startswith("A tensor"), page[name]


@pytest.mark.parametrize("name", NEVER)
def test_nothing_false_is_said(name: str, page: dict[str, str]) -> None:
    for each in NEVER[name]:
        assert each not in page[name]
        assert each.replace("`", "") not in text(name) or each.strip("`").endswith("."), text(name)
    assert "gradient 2. " not in text(name) and "became 2.\n" not in text(name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_storage_is_new_once(name: str) -> None:
    new = [
        line.split("storage", 1)[1].strip(" ,.").split(":")[0] for line in text(name).splitlines() if "in a new storage" in line
    ]
    assert len(new) == len(set(new)), text(name)


def test_memory_that_nobody_set_is_told_with_what_filled_it() -> None:
    (filled,) = below("empty and filled", "line 2: y = torch.empty(2).copy_(torch.tensor([3.0, 4.0])) + 1")
    assert any("in a new storage" in line and line.endswith(": [3., 4.].") for line in filled)
    (unset,) = below("empty and filled", "line 3: z = torch.empty(2) * 0")
    assert unset[0] == "A tensor of shape (2,) without a name was created in a new storage, S3."


ON = "Grad mode is on again: autograd records operations."
OFF = "Grad mode is off here: autograd records nothing."


def test_leaving_no_grad_says_that_grad_mode_is_on() -> None:
    assert below("no_grad", "line 3: with torch.no_grad():") == [[], [ON]]
    assert below("no_grad at the end", "line 4: with torch.no_grad():")[1] == [ON]
    assert ON not in below("no_grad at the end", "line 4: with torch.no_grad():")[3], "the caller switched it off, too"
    assert below("no_grad at the end", "line 7: with torch.no_grad():") == [[], [ON]]
    assert below("enable_grad", "line 4: with torch.enable_grad():") == [[ON], []]
    assert below("enable_grad", "line 6: z = x * 2")[0][0] == OFF
    assert below("set_grad_enabled", "line 5: torch.set_grad_enabled(True)") == [[ON]]
    assert below("inference_mode", "line 3: with torch.inference_mode():") == [[], [ON]]


def test_the_page_says_it_at_the_same_step(page: dict[str, str]) -> None:
    for name, places in {"no_grad": [4], "enable_grad": [3, 7], "set_grad_enabled": [4], "inference_mode": [4]}.items():
        told = [line for line in page[name].splitlines() if line.startswith("line ") and line.endswith(ON)]
        assert told == [f"line {place}: {ON}" for place in places], page[name]


def test_what_a_statement_did_is_told_before_what_it_raised(page: dict[str, str]) -> None:
    (lines,) = below("it raises", "line 4: (x * 2).view(7)")
    assert [line.split()[0] for line in lines] == ["A", "Autograd", "Line"]
    said = [line for line in page["it raises"].splitlines() if line.startswith("line 3: ")]
    assert said[0].startswith("line 3: Autograd recorded") and said[1].startswith("line 3: Line 4 raised")


def test_what_an_accumulation_made_is_not_told_of_the_hook_that_it_calls(page: dict[str, str]) -> None:
    name = "an optimizer in backward"
    assert not any("grad was created" in line or "x.grad" in line for line in below(name, "line 4: with torch.no_grad():")[0])
    (hook,) = [
        line for line in page[name].splitlines() if line.startswith("node ") and line.endswith("Backward called `hook`.")
    ]
    place = hook.split(":")[0]
    assert not any("`x.grad`" in line for line in page[name].splitlines() if line.startswith(f"{place}:")), page[name]
