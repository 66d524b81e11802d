"""The pictures show wrong values in red until the end of the run, and never a correct value. Uses tests/js/reds.mjs."""

from pathlib import Path

import msgspec
import pytest

from tests.corpus.heads import PROGRAMS
from tests.explain.recorded import record
from tests.explain.test_no_findings import SNIPPETS
from tests.reported import reported
from tests.sampling import some


class Step(msgspec.Struct, frozen=True):
    step: int
    tick: int
    red: list[str]


class Shown(msgspec.Struct, frozen=True):
    name: str
    steps: list[Step]


DATA = (
    "import torch\nx = torch.tensor([[1.0, 2.0]])\nw1 = torch.tensor([[2.0], [1.0]], requires_grad=True)\n"
    "w2 = torch.tensor([3.0], requires_grad=True)\nd = x @ w1\nd_ = d.data\nf = d @ w2\nd_[:] = 1\nf.backward()\nprint(w2.grad)\n"
)
ZEROED = DATA + "w2.grad.zero_()\nprint(w2.grad)\n"
NAN = (
    "import torch\nm = torch.tensor([float('-inf'), 0.0])\nx = torch.tensor([0.0, 4.0], requires_grad=True)\ny = torch.sqrt(x)\n"
    "loss = torch.where(x > 0, y, torch.zeros(2)).sum()\nloss.backward()\n"
    "with torch.no_grad():\n    x -= x.grad\nprint(x)\n"
)
FORWARD = {
    "no Node": ("x = torch.tensor([0.0, 1.0])\ny = x / x\nz = (y * 2).sum()\nprint(z)\n", 2, None),
    "in place": ("x = torch.ones(3)\nx.sub_(2)\nx.sqrt_()\n", 3, None),
    "many": ("x = torch.arange(-2000.0, 3000.0)\ny = x.log()\nprint(y[0])\n", 2, None),
    "no backward": ("x = torch.tensor([-1.0], requires_grad=True)\ny = x.sqrt() + 1\nprint(y)\n", 2, "node"),
    "finite gradients": ("x = torch.tensor([-1.0], requires_grad=True)\ny = x.log()\ny.backward()\n", 2, "node"),
    "selected, and it stays": ("x = torch.tensor([-1.0, 4.0])\ny = x.log()\nz = y[:1] + y[torch.tensor([0])]\n", 2, None),
}
"""For each program: its source, the line from which on a tensor is red, and whether a Node is red."""

NOT_WRONG = {
    "written": "x = torch.tensor([float('nan'), 1.0])\ny = x * 2\n",
    "masked": "x = torch.tensor([-1.0, 4.0])\ny = x.sqrt()\nz = torch.where(x > 0, y, 0.0).sum()\n",
    "selected": "x = torch.tensor([-1.0, 4.0])\ny = x.log()\nz = y[~y.isnan()].mean()\n",
    "infinite": "x = torch.zeros(2)\ny = x.log()\nz = 1 / x\n",
}
MASKED = (
    "import torch\ns = torch.randn(3, 3, requires_grad=True)\nm = torch.triu(torch.ones(3, 3), 1).bool()\n"
    "p = s.masked_fill(m, float('-inf')).softmax(-1)\np[:, 0].sum().backward()\n"
)


def shown(sources: dict[str, str], folder: Path) -> dict[str, list[Step]]:
    return {each.name: each.steps for each in reported("reds.mjs", sources, folder, Shown, with_corrected=True)}


def test_a_wrong_gradient_is_red_from_where_it_travels_to_the_end(tmp_path: Path) -> None:
    steps = shown({"data": DATA}, tmp_path)["data"]
    pocket, chip = "pocket: self = d was stale · freed", "chip: [1.] ≠ [4.]"
    bucket, storage, cell = "bucket: w2.grad: [1.] ≠ [4.]", "storage: ≠ 4.", "cell: 1."
    assert steps[0].red == [pocket, chip]
    lasting = [pocket, bucket, storage, cell]
    assert [sorted(each.red) for each in steps[1:5]] == [sorted([*lasting, chip])] * 4
    assert [sorted(each.red) for each in steps[5:]] == [sorted(lasting)]


def test_what_was_overwritten_since_is_not_called_wrong(tmp_path: Path) -> None:
    steps = shown({"zeroed": ZEROED}, tmp_path)["zeroed"]
    assert steps[-1].red == ["pocket: self = d was stale · freed"]


def test_a_nan_is_red_and_so_is_the_node_that_made_it(tmp_path: Path) -> None:
    steps = shown({"nan": NAN}, tmp_path)["nan"]
    assert steps[0].red == ["node: returned nan", "chip: [nan, 0.25]"]
    assert sorted(steps[-1].red) == sorted(
        ["node: returned nan", "bucket: x.grad: [nan, 0.25]", *["cell: nan", "storage: 8 B"] * 2]
    )


@pytest.mark.parametrize("name", FORWARD)
def test_a_nan_of_the_forward_alone_is_red_from_its_operator_on(name: str, tmp_path: Path) -> None:
    source, line, kind = FORWARD[name]
    steps = shown({"forward": f"import torch\n{source}"}, tmp_path)["forward"]
    (trace,) = record([f"import torch\n{source}"])
    span = trace.steps[steps[0].step].span
    assert span is not None and span.line == line + 1
    assert any(item.startswith("node") for item in steps[-1].red) == (kind == "node")
    assert all(any(item.startswith(("storage", "node")) for item in each.red) for each in steps)


def test_a_nan_that_the_program_wrote_or_took_out_again_is_not_red(tmp_path: Path) -> None:
    sources = {name: f"import torch\n{source}" for name, source in NOT_WRONG.items()}
    assert {name: steps for name, steps in shown(sources, tmp_path).items() if steps} == {}


def test_a_mask_with_infinities_is_not_red(tmp_path: Path) -> None:
    assert shown({"masked": MASKED}, tmp_path)["masked"] == []


@pytest.mark.patient
def test_nothing_of_an_ordinary_program_is_red(tmp_path: Path) -> None:
    sources = {name: path.read_text("utf-8") for name, path in SNIPPETS.items()}
    sources |= {each.name: each.source for each in PROGRAMS if each.one("kind") == "ordinary"}
    sources = some(__file__, sources, "static/js/")
    found = shown(sources, tmp_path)
    assert found.keys() == sources.keys()
    assert {name: steps[0].red for name, steps in found.items() if steps} == {}
