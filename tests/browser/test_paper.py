"""Pictures for papers show what the page shows at that step: the same Nodes, names, values and places."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.lessons import by_name
from tests.browser.conftest import Visit
from tests.browser.page import Tutor

pygraphviz = pytest.importorskip("pygraphviz")

MODEL = """import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
loss = model(torch.ones(2, 3)).pow(2).mean()
loss.backward()
"""
RECURRENT = """import torch
from torch import nn

cell, state = nn.GRUCell(2, 3), torch.zeros(1, 3)
for step in range(3):
    state = cell(torch.ones(1, 2), state)
state.sum().backward()
"""
LESSONS = ("detach-writes-the-original", "backward-through-detach")

SEEN = """() => {
    const texts = (element) => [...element.querySelectorAll(':scope > text')].map((text) => text.textContent).filter(Boolean);
    const box = (element) => {
        const { x, y, width, height } = element.getBBox();
        return [x + width / 2, y + height / 2];
    };
    const all = (selector) => document.querySelectorAll(`.picture ${selector}`);
    const found = {};
    const note = (kind, element, shape) => {
        const id = `${kind}${element.dataset[kind]}`;
        (found[id] ??= []).push({ at: box(shape), texts: texts(element) });
    };
    for (const each of all('[data-node]')) note('node', each, each.querySelector('.node-box'));
    for (const each of all('[data-saved]')) note('saved', each, each.querySelector('.pocket-line'));
    for (const each of all('[data-tensor]')) note('tensor', each, each.querySelector('.tensor-card'));
    const cells = [...document.querySelectorAll('.picture :is(.cell-value, .cells-between text)')].map((text) => text.textContent);
    const names = [...document.querySelectorAll('.picture .name-tag text')].map((text) => text.textContent);
    return { found, cells: cells.sort(), names: names.sort() };
}"""


def texts_of(label: str) -> list[str]:
    return [re.sub("&#x27;", "'", text) for text in re.findall(r">([^<>]+)</(?:B|FONT)>", label or "")]


def exported(tutor: Tutor, which: str, folder: Path) -> Any:
    """The DOT of the step that the page shows, parsed."""
    page = tutor.page
    page.get_by_role("radio", name=which, exact=True).check()
    with page.expect_download() as saved:
        page.get_by_role("button", name="DOT for a paper", exact=True).click()
    path = folder / saved.value.suggested_filename
    saved.value.save_as(path)
    return pygraphviz.AGraph(str(path))


def compare(tutor: Tutor, folder: Path) -> None:
    tutor.page.get_by_role("button", name="Export", exact=True).click()
    seen = tutor.page.evaluate(SEEN)
    drawn = {which: exported(tutor, which, folder) for which in ("graph", "memory")}
    tutor.page.keyboard.press("Escape")
    boxes: dict[str, list[Any]] = {}
    for graph in drawn.values():
        for node in graph.nodes():
            if kind := re.fullmatch(r"((?:node|saved|tensor)\d+)(_\d+)?", node):
                boxes.setdefault(kind[1], []).append(node)
    assert boxes.keys() == seen["found"].keys()
    for graph in drawn.values():
        pairs = [
            ((shown["at"]), tuple(map(float, node.attr["pos"].split(","))))
            for key, places in seen["found"].items()
            for shown, node in zip(places, boxes[key], strict=True)
            if graph.has_node(node)
        ]
        if pairs:  # one shift for the whole picture; up is down
            first = pairs[0]
            shift = first[1][0] - first[0][0], first[1][1] + first[0][1]
            for (x, y), (left, low) in pairs:
                assert abs(x + shift[0] - left) < 4 and abs(shift[1] - y - low) < 4
    for key, places in seen["found"].items():
        for shown, node in zip(places, boxes[key], strict=True):
            said = texts_of(node.attr["label"])
            assert all(any(text in whole or whole in text for whole in said) for text in shown["texts"][:1]), (key, shown, said)
    labels = [node.attr["label"] for graph in drawn.values() for node in graph.nodes()]
    cells = [texts_of(cell)[0] for label in labels if label for cell in re.findall(r"<TD[^>]*PORT=.*?</TABLE></TD>", label)]
    assert sorted(cells) == seen["cells"]
    tags = [
        text for graph in drawn.values() for node in graph.nodes() if "_name" in node for text in texts_of(node.attr["label"])
    ]
    assert sorted(tags) == seen["names"]


@pytest.mark.parametrize("source", [MODEL, RECURRENT], ids=["layers", "recurrent"])
def test_models(visit: Visit, tmp_path: Path, source: str) -> None:
    tutor = visit(viewport={"width": 1920, "height": 1200})
    tutor.open()
    tutor.write(source)
    tutor.run()
    tutor.page.keyboard.press("End")
    compare(tutor, tmp_path)


@pytest.mark.parametrize("slug", LESSONS)
def test_lessons(visit: Visit, tmp_path: Path, slug: str) -> None:
    found = by_name(slug)
    assert found is not None
    tutor = visit(viewport={"width": 1920, "height": 1200})
    tutor.open()
    tutor.write(found.snippet.source)
    tutor.run()
    for _ in range(2):
        compare(tutor, tmp_path)
        tutor.page.keyboard.press("ArrowRight")
