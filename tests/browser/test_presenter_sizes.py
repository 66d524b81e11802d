"""What the last row reads: in presenter mode cells and names are large, the pictures of a lesson whole, and nothing smaller."""

from typing import Any

import pytest
from playwright.sync_api import TimeoutError as Late

from app.lessons import lessons
from tests.browser.conftest import Visit
from tests.browser.page import PATIENCE_MS

PAGE = {"width": 1920, "height": 1080}
CELL, NAME = 40, 20
"""Px: the least height and width of a cell, and of the letters of a name."""
SCROLLED = {
    "gradients-nobody-cleared": "graph", "residual-added-in-place": "graph", "each-cell-written-once": "graph",
    "state-carried-with-its-graph": "graph", "a-total-keeps-the-graphs": "graph", "layers-in-a-list": "graph memory",
    "step-between-two-backwards": "graph memory",
}  # fmt: skip
"""Lessons whose pictures are larger than the panes at these sizes, and which of them: these scroll to what a step is about."""
LEAST_NAME = 15.5
"""Where a whole picture has room for no larger letters, or memory for no larger cells."""
SOME = (
    "data-hides-the-write",
    "copy-into-empty",
    "residual-added-in-place",
    "numpy-hides-the-write",
    "clipping-rewrites-the-gradient",
)
"""The widest and highest, for every day."""

SMALLEST = """() => Math.min(...[...document.querySelectorAll('.memory [data-cell] rect')]
    .map((cell) => cell.getBoundingClientRect()).map(({width, height}) => Math.min(width, height)))"""
FAULTS = """({cell, name, least, scrolled}) => {
    const faults = [];
    for (const each of document.querySelectorAll('.memory [data-cell] rect')) {
        const {width, height} = each.getBoundingClientRect();
        if (Math.min(width, height) < cell - 0.1) faults.push(`a cell of ${width} × ${height}`);
    }
    const letters = (selector, bound) => {
        for (const text of document.querySelectorAll(selector)) {
            const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
            if (size < bound - 0.1) faults.push(`${text.textContent} of ${size}`);
        }
    };
    const isTight = (picture) => {
        const box = document.querySelector(`.${picture}-pane .picture`);
        const svg = box.querySelector('svg');
        if (svg === null) return false;
        const {width, height} = svg.getBoundingClientRect();
        return width > box.clientWidth - 8 || height > box.clientHeight - 8;
    };
    letters('.line-number, .band text', name);
    letters('.memory .name-tag text, .memory .tensor-shape:not(.long)', isTight('memory') ? least : name);
    letters('.graph .node-name, .graph .bucket-name', isTight('graph') ? least : name);
    for (const picture of ['graph', 'memory']) {
        const box = document.querySelector(`.${picture}-pane .picture`);
        if (box === null || scrolled.includes(picture)) continue;
        const [right, below] = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
        if (right > 1 || below > 1) faults.push(`${picture} is cut by ${right}, ${below}`);
    }
    const page = document.documentElement;
    if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight) faults.push('the page scrolls');
    return faults;
}"""


def faults_of(visit: Visit, slugs: list[str]) -> dict[str, Any]:
    """What is too small or cut in these lessons at their last step, where all is drawn that is ever there."""
    found: dict[str, Any] = {}
    usual, presented = visit(viewport=PAGE), visit(viewport=PAGE)
    presented.context.add_init_script("if (location.protocol !== 'about:') localStorage.setItem('stepgrad.presenting', 'on')")
    for slug in slugs:
        for tutor in (usual, presented):
            tutor.page.goto("about:blank")
            tutor.open(f"/lessons/{slug}#step=9999")
            tutor.wait()
        asked = {"cell": CELL, "name": NAME, "least": LEAST_NAME, "scrolled": SCROLLED.get(slug, "")}
        try:
            presented.page.wait_for_function(f"(asked) => ({FAULTS})(asked).length === 0", arg=asked, timeout=PATIENCE_MS / 8)
        except Late:
            found[slug] = presented.page.evaluate(FAULTS, asked)[:4]
        sizes = [tutor.page.evaluate(SMALLEST) for tutor in (usual, presented)]
        if None not in sizes and sizes[1] < sizes[0] - 0.5:
            found.setdefault(slug, []).append(f"cells shrink from {sizes[0]} to {sizes[1]}")
    return found


def test_everybody_reads_the_pictures_of_the_largest_lessons(visit: Visit) -> None:
    assert faults_of(visit, list(SOME)) == {}


@pytest.mark.long
def test_everybody_reads_the_pictures_of_every_lesson(visit: Visit) -> None:
    assert faults_of(visit, [lesson.slug for lesson in lessons()]) == {}
