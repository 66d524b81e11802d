"""Findings about shape errors show both shapes dimension by dimension, and mark the dimensions that differ."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit

NEEDED = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
CASES = {
    "matmul": ("a = torch.randn(7, 2, 3)\nb = torch.randn(4, 5)\nc = a @ b\n", ["a 7 2 ≠ 3", "b ≠ 4 5"]),
    "broadcast": ("a = torch.randn(4, 3)\nb = torch.randn(4)\nc = a + b\n", ["a 4 ≠ 3", "b ≠ 4"]),
    "join": ("a = torch.ones(2, 3)\nb = torch.ones(5, 4)\nc = torch.cat([a, b])\n", ["a 2 ≠ 3", "b 5 ≠ 4"]),
    "view": ("a = torch.ones(3, 1)\nb = a.expand(2, 4)\n", ["a ≠ 3 1", "asked for ≠ 2 4"]),
    "layer": ("fc = nn.Linear(30, 10)\nx = torch.randn(8, 20)\ny = fc(x)\n", ["x 8 ≠ 20", "taken by fc any ≠ 30"]),
    "target": ("p = torch.randn(8, 5)\nt = torch.zeros(7).long()\nF.cross_entropy(p, t)\n", ["p ≠ 8 5", "t ≠ 7"]),
    "state": (
        "gru = nn.GRU(3, 5)\nx = torch.zeros(7, 2, 3)\nh = torch.zeros(1, 4, 5)\ngru(x, h)\n",
        ["h 1 ≠ 4 5", "taken by gru 1 ≠ 2 5"],
    ),
    "einsum": ("a = torch.ones(2, 3)\nb = torch.ones(4, 5)\ntorch.einsum('ij,jk', a, b)\n", ["a 2 ≠ 3", "b ≠ 4 5"]),
    "loss": ("p = torch.randn(8, 1)\nt = torch.randn(8)\nF.mse_loss(p, t)\n", ["p ≠ 8 ≠ 1", "t ≠ 8"]),
}


@pytest.mark.parametrize("cases", [["matmul", "layer"], pytest.param([*CASES], marks=pytest.mark.long)], ids=["some", "all"])
def test_both_shapes_stand_side_by_side(visit: Visit, cases: list[str]) -> None:
    tutor = visit()
    tutor.open()
    rows = tutor.page.locator(".finding[open] .shapes tr")
    for case in cases:
        snippet, shown = CASES[case]
        tutor.write(NEEDED + snippet)
        tutor.run()
        tutor.page.keyboard.press("End")
        expect(rows).to_have_count(2)
        assert [" ".join(" ".join(row.locator("th, td").all_inner_texts()).split()) for row in rows.all()] == shown, case
        assert violations(tutor.page) == []
        tutor.edit()


def test_what_does_not_fit_is_marked_on_the_tensors_themselves(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    tutor.write("import torch\nx = torch.ones(2, 3)\nw = torch.ones(4, 5)\nc = x @ w\n")
    tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    marks = page.locator(".memory .clash")
    expect(marks).to_have_count(2)
    for name, text in (("x", "3 ≠ 4"), ("w", "4 ≠ 3")):
        expect(tutor.named(name).locator(".clashes")).to_have_text(text)
    frame, card = (tutor.named("x").locator(each).bounding_box() for each in (".clash rect", ".tensor-card"))
    assert frame is not None and card is not None
    assert card["x"] < frame["x"] and frame["x"] + frame["width"] < card["x"] + card["width"]
    expect(page.locator(".legend-clash")).to_have_count(1)
    page.keyboard.press("t")
    outline = page.locator(".memory-pane .outline")
    expect(outline).to_contain_text("Its dimension 1 does not fit: 3 ≠ 4.")
    assert violations(page) == []
    page.keyboard.press("t")
    page.keyboard.press("ArrowLeft")
    expect(marks).to_have_count(0)
