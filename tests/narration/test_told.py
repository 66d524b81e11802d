"""Programs about which the plain text or the page once contained a false sentence."""

import json
import subprocess
from functools import cache
from pathlib import Path

import msgspec
import pytest

from app.explain import explain
from app.report.transcript import story
from app.trace.ends import Finished
from app.words import LANGUAGES, sentence
from tests.explain.recorded import record

SPOKEN = Path(__file__).parents[1] / "js/spoken.js"

PROGRAMS = {
    "a view of a tensor without a name": "import torch\nfor chunk in torch.zeros(2, 3):\n    pass\n",
    "values of a sparse tensor": "import torch\ns = torch.eye(2).to_sparse()\nv = s.values()\nv.mul_(2)\n",
    "out= that grows": "import torch\nx = torch.ones(2)\nout = torch.empty(0)\ntorch.cat([x, x], out=out)\n",
    "a storage emptied": "import torch\nx = torch.ones(2)\nx.untyped_storage().resize_(0)\nx.untyped_storage().resize_(8)\n",
    "swapped": "import torch\na, b = torch.ones(2), torch.zeros(2)\ntorch.utils.swap_tensors(a, b)\n",
    "a deep copy": "import copy\nimport torch\na = torch.ones(2)\nb = copy.deepcopy(a)\n",
    "a nested gradient": (
        "import torch\nw = torch.ones(1, requires_grad=True)\n"
        "n = torch.nested.as_nested_tensor([w, w * 2])\np = n.to_padded_tensor(0.0)\np.sum().backward()\n"
    ),
    "made and written": "import torch\nt = torch.zeros(2)\nt[[0]] += 1\n",
    "create_graph": (
        "import torch\nx = torch.ones(1, requires_grad=True)\n(g,) = torch.autograd.grad((x * x).sum(), x, create_graph=True)\n"
    ),
    "packed": (
        "import torch\n\n\ndef pack(t):\n    return t.detach().numpy().copy()\n\n\n"
        "def unpack(p):\n    return torch.from_numpy(p)\n\n\n"
        "x = torch.ones(2, requires_grad=True)\nwith torch.autograd.graph.saved_tensors_hooks(pack, unpack):\n    y = x.exp()\n"
    ),
    "suppressed": (
        "from contextlib import suppress\nimport torch\n\n\ndef load(x):\n    with suppress(RuntimeError, KeyError):\n"
        "        return x.view(7)\n    return None\n\n\ndef deeper(x):\n    return x.view(8)\n\n\nx = torch.ones(3)\na = load(x)\n"
        "with suppress(Exception), torch.no_grad():\n    deeper(x)\nwith suppress(AttributeError):\n    b = hasattr(x, 'c')\n"
    ),
    "not suppressed": (
        "from contextlib import suppress\n\n\nclass Held:\n    @property\n    def value(self):\n"
        "        raise AttributeError('none')\n\n\n"
        "with suppress(AttributeError):\n    found = hasattr(Held(), 'value')\n"
        "try:\n    with suppress(KeyError):\n        [][0]\nexcept IndexError:\n    pass\n"
    ),
    "a kept gradient": "import torch\nw = torch.ones(1, requires_grad=True)\n(w * 2).backward()\nkept = [w.grad]\n",
    "an operator of the snippet's": (
        "import torch\n\n\n@torch.library.custom_op('told::twice', mutates_args={'x'})\ndef twice(x: torch.Tensor) -> None:\n"
        "    x.mul_(2)\n\n\ny = torch.ones(2)\ntwice(y)\ny.mul_(1)\n"
    ),
    "a generator": "def numbers():\n    yield 1\n\n\nnext(numbers())\n",
    "an ordered dict": "import collections\nd = collections.OrderedDict(a=1)\ne = {}\n",
    "a large offset": "import torch\nv = torch.zeros(9000)[5000:]\n",
    "on meta": "import torch\nm = torch.empty(2, device='meta', requires_grad=True)\n",
    "an attribute of a caller": (
        "import torch\n\n\nclass Runner:\n    def __init__(self):\n        self.w = torch.ones(1)\n        self.kept = [self.w]\n"
        "        self.reset()\n\n    def reset(self):\n        self.w = torch.zeros(1)\n\n\nRunner()\n"
    ),
    "a transposed leaf": (
        "import torch\nw = torch.arange(4.0).reshape(2, 2).t().requires_grad_()\n" + "(w * w).sum().backward()\n" * 2
    ),
    "a hook on a leaf": (
        "import torch\nx = torch.ones(2, requires_grad=True)\nx.register_hook(lambda grad: grad * 10)\n(x * 2).sum().backward()\n"
        "y = torch.ones(1, requires_grad=True)\ny.register_hook(print)\n(y * 2).sum().backward()\n"
    ),
    "a backward that raises": (
        "import torch\n\n\nclass Swing(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n        return x.sin()\n\n    @staticmethod\n    def backward(ctx, grad):\n"
        "        raise ValueError('no')\n\n\nx = torch.tensor(0.5, requires_grad=True)\ntry:\n"
        "    Swing.apply(x).backward()\nexcept ValueError:\n    pass\n"
    ),
    "a case": "match [1]:\n    case [x]:\n        print(x)\n",
}

SAID = {
    "a view of a tensor without a name": [
        "`chunk` is a new tensor of shape (3,) and a view of a tensor without a name, in storage `S0`."
    ],
    "values of a sparse tensor": ["`v` is a new tensor of shape (2,) and a view of `s`, in storage `S1`."],
    "out= that grows": ["Storage `S1` now has 16 B; it was empty."],
    "a storage emptied": ["Storage `S0` released its memory; it had 8 B.", "Storage `S0` now has 8 B; it was empty."],
    "swapped": ["`a` now uses storage `S1` instead of `S0`.", "`b` now uses storage `S0` instead of `S1`."],
    "a nested gradient": ["a gradient with unknown values"],
    "create_graph": ["Its saved tensors are kept for another backward."],
    "packed": ["Autograd recorded `ExpBackward0`."],
    "suppressed": [
        "`suppress` caught the `RuntimeError` of line 7. The program continues after the `with` block.",
        "`suppress` caught the `RuntimeError` of line 12. The program continues after the `with` block.",
        "`deeper` raised `RuntimeError` on line 12, which ended this statement.",
    ],
    "a kept gradient": ["`kept[0]` is another name for `w.grad`: the same tensor, not a copy."],
    "an operator of the snippet's": ["`y` also uses `S0`, so it is now `[2., 2.]`."],
    "a generator": ["Line 5 started or resumed `numbers`."],
    "an ordered dict": ["`d` now holds an `OrderedDict` with one item.", "`e` now holds an empty `dict`."],
    "an attribute of a caller": ["`self.kept[0] · Runner.reset` now refers to a tensor that line 6 created."],
    "a transposed leaf": [
        "[[0., 4.], [1., 9.]]",
        "`w.grad` was created: `[[0., 4.], [2., 6.]]` in storage",
        "`w.grad` is now `[[0., 4.], [2., 6.]]` + `[[0., 4.], [2., 6.]]` = `[[0., 8.], [4., 12.]]`: backward added",
    ],
    "a hook on a leaf": [
        "The `AccumulateGrad` of `x` received the gradient `[2., 2.]`.",
        "A hook changed it to `[20., 20.]`.",
    ],
    "on meta": ["`m` is a new tensor of shape (2,) on `meta`, a leaf that requires grad, with its own storage `S0`."],
}
"""Correct sentences, or parts of sentences, about these programs."""

NEVER = {
    "a view of a tensor without a name": ["with its own storage"],
    "values of a sparse tensor": ["`v` is a new tensor of shape (2,) with its own storage"],
    "swapped": ["still use"],
    "a deep copy": ["instead of"],
    "a nested gradient": ["a scalar gradient to"],
    "create_graph": ["Its saved tensors were freed"],
    "packed": ["`ExpBackward0`, which saved no tensor"],
    "a hook on a leaf": ["A hook changed it to `[2.]`"],
    "a backward that raises": ["Backward is complete", "kept for another backward", "It sent no gradient."],
    "suppressed": ["caught the `AttributeError`"],
    "not suppressed": ["caught"],
    "an ordered dict": ["a `OrderedDict`"],
    "an attribute of a caller": ["`self.kept[0] · Runner.reset` is another name"],
}
"""False sentences that must not appear."""


@cache
def documents() -> dict[str, object]:
    traces = dict(zip(PROGRAMS, record(list(PROGRAMS.values())), strict=True))
    assert all(isinstance(trace.ended, Finished) for trace in traces.values())
    return {name: explain(trace) for name, trace in traces.items()}


@cache
def text(name: str) -> str:
    """Return the English text of a program without backticks."""
    return "\n".join(story(documents()[name], "en"))  # type: ignore[arg-type]


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
            said[files[line["file"]]] += line["said"][0] + "\n"
    return said


@pytest.mark.parametrize("name", SAID)
def test_it_is_said(name: str, page: dict[str, str]) -> None:
    for each in SAID[name]:
        assert each in page[name].replace("\u2060", ""), page[name]
        assert each.replace("`", "") in text(name), text(name)


@pytest.mark.parametrize("name", NEVER)
def test_nothing_false_is_said(name: str, page: dict[str, str]) -> None:
    for each in NEVER[name]:
        assert each not in page[name].replace("\u2060", "")
        assert each.replace("`", "") not in text(name), text(name)


def test_a_tensor_without_a_name_is_told_with_the_values_that_it_was_made_with() -> None:
    assert "shape (1,) without a name was created in a new storage, S2: [0.]." in text("made and written"), text(
        "made and written"
    )


def test_what_an_operator_calls_may_write_other_values() -> None:
    """The function that the operator calls has recorded the write, so the operator must not be described as writing equal
    values.
    """
    lines = text("an operator of the snippet's").splitlines()
    same = "    Storage S0 was written with the values it already had."
    assert lines.count(same) == 1 and lines.index(same) > lines.index("line 11: y.mul_(1)")


def test_the_text_writes_an_offset_and_a_case_as_the_program_does() -> None:
    assert "storage offset 5000" in text("a large offset")
    assert "line 2: case [x]:" in text("a case")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_row_may_be_longer_than_what_is_filled_in_by_fluent(language: str) -> None:
    names = [f"model.blocks[{number}].attention.weight" for number in range(400)]
    marked = ["\ue000next\ue001" * 200, *names]
    for row in (names, marked):
        before = ", ".join(row)
        assert sentence(language, "phrase-row-last", before=before, next="y").startswith(before)
        assert len(sentence(language, "phrase-row-last", before=before, next=before)) < 2 * len(before) + 10
