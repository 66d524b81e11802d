"""Sizes in presenter mode: text is large enough, the elements of a step are visible, and panes mark content that is cut off."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as Late

from app.lessons import lessons
from tests.browser.conftest import Visit
from tests.browser.golden import FOLDER
from tests.browser.page import PATIENCE_MS, Tutor
from tests.browser.test_camera import DRAWN

LARGE, LAPTOP = {"width": 1920, "height": 1080}, {"width": 1024, "height": 768}
CELL, NAME = 40, 20
"""In CSS pixels: the minimum width and height of a cell, and the minimum font size in the pictures."""
SCROLLED = {
    "each-cell-written-once": "graph", "state-carried-with-its-graph": "graph", "a-total-keeps-the-graphs": "graph",
    "layers-in-a-list": "graph memory", "step-between-two-backwards": "graph memory",
}  # fmt: skip
"""Lessons with pictures that do not fit in their panes even in a large window. These panes scroll."""
SOME = (
    "data-hides-the-write",
    "copy-into-empty",
    "residual-added-in-place",
    "numpy-hides-the-write",
    "clipping-rewrites-the-gradient",
)
"""The lessons with the widest and highest pictures, for `make test`."""
MODELS = ("lstm-50", "resnet", "mlp", "gan", "diffusion", "gpt")
MOST_STEPS = 24
"""How many evenly spaced steps of a run are checked."""

SMALLEST = """() => Math.min(...[...document.querySelectorAll('.memory [data-cell] rect')]
    .map((cell) => cell.getBoundingClientRect()).map(({width, height}) => Math.min(width, height)))"""
# `whole` names the pictures that must fit in their panes. Other panes may scroll, but need a mark at the edge where they
# continue, and must not cut a line of text.
FAULTS = """({cell, name, whole}) => {
    const faults = [];
    const box = (element) => element.getBoundingClientRect();
    const isIn = (host, {left, right, top, bottom}, isTallOnly = false) => {
        const at = box(host);
        return top > at.top - 2 && bottom < at.top + host.clientHeight + 2 &&
            (isTallOnly || (left > at.left - 2 && right < at.left + host.clientWidth + 2));
    };
    const marks = [...document.querySelectorAll('.beyond')].map(box);
    const isMarked = (host) => marks.some(({x, y, width, height}) => {
        const {left, top, right, bottom} = box(host);
        return x < right && x + width > left && y < bottom && y + height > top - 1;
    });
    const cutIn = (host) => [host.scrollWidth - host.clientWidth, host.scrollHeight - host.clientHeight];
    for (const each of document.querySelectorAll('.memory [data-cell] rect')) {
        const {width, height} = box(each);
        if (Math.min(width, height) < cell - 0.1) faults.push(`a cell of ${width} × ${height}`);
    }
    for (const text of document.querySelectorAll('.picture svg text, .track svg text')) {
        if (text.getClientRects().length === 0) continue;
        const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
        if (size < name - 0.1) faults.push(`${text.textContent} of ${size}`);
    }
    for (const picture of ['graph', 'memory']) {
        const host = document.querySelector(`.${picture}-pane .picture`);
        const [right, below] = cutIn(host);
        if (right <= 1 && below <= 1) continue;
        if (whole.includes(picture)) faults.push(`${picture} is cut by ${right}, ${below}`);
        else if (Math.max(right, below) > 20 && !isMarked(host)) faults.push(`${picture} is cut without a mark`);
    }
    const graph = document.querySelector('.graph-pane .picture');
    for (const node of graph.querySelectorAll('[data-node].active')) {
        const name = node.querySelector('.node-name, .bucket-name');
        if (!isIn(graph, box(name ?? node))) faults.push(`${node.textContent} is out of sight`);
    }
    const memory = document.querySelector('.memory-pane .picture');
    const written = [...memory.querySelectorAll('.cell.written')];
    if (written.length > 0 && !written.some((cell) => isIn(memory, box(cell)))) faults.push('written cells are out of sight');
    const scroller = document.querySelector('.code-pane .editor').shadowRoot.querySelector('.cm-scroller');
    const lines = [...scroller.querySelectorAll('.cm-line')];
    const now = lines.findIndex((line) => line.matches('.line-now'));
    const near = lines.slice(Math.max(0, now - 1), now + 2);
    const isLong = near.reduce((all, line) => all + box(line).height, 0) > scroller.clientHeight;
    for (const line of now < 0 ? [] : isLong ? [lines[now]] : near)
        if (!isIn(scroller, box(line))) faults.push(`line ${line.textContent} is cut`);
    const row = parseFloat(getComputedStyle(scroller.querySelector('.cm-content')).lineHeight);
    const [top, foot] = [box(scroller).top, box(scroller).top + scroller.clientHeight];
    for (const line of lines)
        for (const edge of [top, foot]) {
            const above = (edge - box(line).top) % row;
            const isOver = box(line).top < edge - 1 && box(line).bottom > edge + 1;
            if (isOver && above > 6 && above < row - 6) faults.push(`half of a line of code: ${line.textContent}`);
        }
    if (cutIn(scroller)[1] > row / 2 && !isMarked(scroller)) faults.push('the code is cut without a mark');
    const story = document.querySelector('.story');
    const end = box(story).top + story.clientHeight;
    const first = story.querySelector('p');
    if (first && box(first).height < story.clientHeight && !isIn(story, box(first))) faults.push(`cut: ${first.textContent}`);
    const range = document.createRange();
    for (const texts = document.createTreeWalker(story, NodeFilter.SHOW_TEXT); texts.nextNode();) {
        if (!texts.currentNode.parentElement.checkVisibility()) continue;
        range.selectNodeContents(texts.currentNode);
        for (const {top, bottom} of range.getClientRects())
            if (top < end - 4 && bottom > end + 4) faults.push(`half of a line: ${texts.currentNode.textContent}`);
    }
    if (cutIn(story)[1] > 20 && !isMarked(story)) faults.push('the story is cut without a mark');
    const isOver = (one, other, by) => one.left < other.right - by && other.left < one.right - by &&
        one.top < other.bottom - by && other.top < one.bottom - by;
    const buttons = [...document.querySelectorAll('.pane-head button')].map(box).filter(({width}) => width > 0);
    if (marks.some((mark) => buttons.some((button) => isOver(mark, button, 0)))) faults.push('a mark is over a button');
    const boxes = [...graph.querySelectorAll('.node-box')].map(box);
    for (const chip of graph.querySelectorAll('.chip')) {
        const at = box(chip.querySelector('rect'));
        const middle = (at.left + at.right) / 2;
        if (boxes.some((node) => node.left < middle && middle < node.right && isOver(at, node, 2)))
            faults.push(`${chip.querySelector('text').textContent} is over its Node`);
    }
    const [output, pane] = ['.output', '.output-pane'].map((each) => document.querySelector(each));
    if (output && box(output).bottom > box(pane).bottom + 1) faults.push('the output is over the edge of its pane');
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) faults.push('the page scrolls');
    return faults;
}"""


def presented(visit: Visit, page: dict[str, int]) -> Tutor:
    tutor = visit(viewport=page)
    tutor.context.add_init_script("if (location.protocol !== 'about:') localStorage.setItem('stepgrad.presenting', 'on')")
    return tutor


def faults_at(page: Page, whole: str) -> list[str]:
    """Return descriptions of small text and cut content at the current step, after animations."""
    asked = {"cell": CELL, "name": NAME, "whole": whole}
    try:
        page.wait_for_function(f"(asked) => ({FAULTS})(asked).length === 0", arg=asked, timeout=PATIENCE_MS / 40)
    except Late:
        found: list[str] = page.evaluate(FAULTS, asked)
        return found[:4]
    return []


def walked(page: Page, whole: str) -> dict[int, list[str]]:
    """Return the faults by step, for at most MOST_STEPS + 1 steps."""
    last = int(page.locator(".slider").get_attribute("max") or 0)
    found = {}
    for number in sorted({round(1 + at * (last - 1) / MOST_STEPS) for at in range(MOST_STEPS + 1)}):
        page.locator(".slider").fill(str(number))
        page.evaluate(DRAWN, number)
        if faults := faults_at(page, whole):
            found[number] = faults
    return found


def faults_of(visit: Visit, slugs: list[str], size: dict[str, int]) -> dict[str, Any]:
    """Return the faults of each lesson: small text, cut content, and cells that presenter mode makes smaller."""
    found: dict[str, Any] = {}
    usual, large = visit(viewport=size), presented(visit, size)
    for slug in slugs:
        for tutor in (usual, large):
            tutor.page.goto("about:blank")
            tutor.open(f"/lessons/{slug}#step=9999")
            tutor.wait()
        scrolled = SCROLLED.get(slug, "") if size == LARGE else "graph memory"
        whole = " ".join(picture for picture in ("graph", "memory") if picture not in scrolled)
        if faults := walked(large.page, whole):
            found[slug] = faults
        sizes = [tutor.page.evaluate(SMALLEST) for tutor in (usual, large)]
        if None not in sizes and sizes[1] < sizes[0] - 0.5:
            found[f"{slug}: cells"] = f"{sizes[0]} px become {sizes[1]}"
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("size", [LARGE, LAPTOP])
def test_everybody_reads_each_step_of_the_largest_lessons(visit: Visit, size: dict[str, int]) -> None:
    assert faults_of(visit, list(SOME), size) == {}


@pytest.mark.long
@pytest.mark.parametrize("size", [LARGE, LAPTOP])
def test_everybody_reads_each_step_of_every_lesson(visit: Visit, size: dict[str, int]) -> None:
    assert faults_of(visit, [lesson.slug for lesson in lessons()], size) == {}


def faults_of_model(visit: Visit, name: str, size: dict[str, int]) -> dict[int, list[str]]:
    tutor = presented(visit, size)
    tutor.open()
    tutor.write((Path(FOLDER) / f"{name}.py").read_text("utf-8"))
    tutor.run()
    return walked(tutor.page, "")


@pytest.mark.sweep
@pytest.mark.parametrize("size", [LARGE, LAPTOP])
def test_everybody_reads_what_the_steps_of_a_model_are_about(visit: Visit, size: dict[str, int]) -> None:
    assert faults_of_model(visit, "mlp", size) == {}


@pytest.mark.long
@pytest.mark.parametrize("size", [LARGE, LAPTOP])
@pytest.mark.parametrize("name", MODELS)
def test_everybody_reads_what_the_steps_of_larger_models_are_about(visit: Visit, name: str, size: dict[str, int]) -> None:
    assert faults_of_model(visit, name, size) == {}
