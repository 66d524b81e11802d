"""Pictures for papers (DOT and TikZ) contain the same Nodes, names, values and positions as the page at that step."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import expect

from app.explain import Document
from app.export import Wanted, draw
from app.lessons import by_name
from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.recordings import chunks, folded

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
LARGE = """import torch

x = torch.randn(40, 30, requires_grad=True)
whole = torch.zeros(24, 24)
y = torch.zeros(8, 4, requires_grad=True)
loss = torch.nn.functional.mse_loss(y, torch.ones(8, 4)) + (x * x).sum()
mse = torch.nn.functional.mse_loss(y, torch.ones(8, 4))
loss.backward()
"""
STALE = """import torch

w = torch.ones(3, requires_grad=True)
y = w.exp()
y.add_(1)
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
    const squares = [...all('.summary-level')].flatMap((each) => each.getAttribute('d').match(/h(?=\\d)[^v]*/g));
    const area = squares.reduce((sum, side) => sum + Number(side.slice(1)) ** 2, 0);
    const unread = [...all('.cells-unread text')].map((text) => text.textContent);
    return { found, cells: cells.sort(), names: names.sort(), area, unread };
}"""


def texts_of(label: str) -> list[str]:
    return [re.sub("&#x27;", "'", text) for text in re.findall(r">([^<>]+)</(?:B|FONT)>", label or "")]


def exported(tutor: Tutor, which: str, folder: Path) -> Any:
    """Export the picture of the current step as DOT, and return the parsed graph."""
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
        if pairs:  # the positions may differ by a constant offset, and the y axis is inverted
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
    memory = drawn["memory"]
    levels = [node for node in memory.nodes() if node.attr["penwidth"] == "0" and not node.attr["label"]]
    area = sum(float(node.attr["width"]) * float(node.attr["height"]) * 72**2 for node in levels)
    assert area == pytest.approx(seen["area"], rel=0.05)
    said = [text for label in labels if label for text in texts_of(label)]
    assert [text for text in said if re.fullmatch(r"\+\d{2,}", text)] == seen["unread"]


@pytest.mark.sweep
@pytest.mark.parametrize("source", [MODEL, RECURRENT, LARGE], ids=["layers", "recurrent", "large"])
def test_models(visit: Visit, tmp_path: Path, source: str) -> None:
    tutor = visit(viewport={"width": 1920, "height": 1200})
    tutor.open()
    tutor.write(source)
    tutor.run()
    tutor.page.keyboard.press("End")
    compare(tutor, tmp_path)


@pytest.mark.sweep
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


def test_lines_from_stale_saved_tensors(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1920, "height": 1200})
    tutor.open()
    tutor.write(STALE)
    tutor.run()
    tutor.page.keyboard.press("End")
    expect(tutor.page.locator(".links .link")).to_have_count(1)
    document = msgspec.json.encode(Document(trace=folded(STALE, chunks(STALE))))
    colour = "#8a2f75"  # the color --saved in tokens.css
    for wanted in (
        Wanted(which="both", format="dot"),
        Wanted(which="graph", format="dot"),
        Wanted(which="memory", format="dot"),
    ):
        with ThreadPoolExecutor(1) as beside:  # in another thread, because Playwright runs an event loop in this thread
            drawn = beside.submit(asyncio.run, draw(document, wanted)).result().content.decode()
        lines = re.findall(rf'ink -> ink \[[^\]]*color="{colour}"', drawn)
        assert len(lines) == (wanted.which == "both")
