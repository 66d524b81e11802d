"""No text in the pictures is wider than its box, measured in a browser at usual scales."""

import pytest

from tests.browser.conftest import Visit
from tests.browser.golden import FOLDER
from tests.browser.page import TWO_FRAMES

LESSONS = ("data-hides-the-write", "residual-added-in-place", "layers-in-a-list", "step-between-two-backwards")
PROGRAMS = ("mlp", "gpt", "u-net")

# Returns texts that extend beyond their box, with the left and right end of both in SVG units.
OVER = """() => {
    const boxes = {'.pocket': 'path', '.name-tag': 'rect', '.chip': 'rect', '.pill': 'rect', '.nameless': 'rect',
        '.retained': 'rect', '.fold': 'rect', '.node:not(.bucket)': 'rect.node-box', '.bucket': 'path', '.tensor': 'rect'};
    const lean = {'bucket-name': 6, 'bucket-grad': 12};
    return [...document.querySelectorAll('.picture svg text:not(.group-gradient)')].flatMap((text) => {
        const near = [text.parentElement, text.parentElement.parentElement];
        const kinds = near.flatMap((each) => Object.keys(boxes).filter((name) => each.matches(name)).map((name) => [each, name]));
        const shape = kinds[0]?.[0].querySelector(`:scope > ${boxes[kinds[0][1]]}`);
        if (!shape || text.textContent === '') return [];
        const [ink, box] = [text.getBBox(), shape.getBBox()];
        const by = lean[text.classList[0]] ?? 0;
        const [left, right] = [box.x + by, box.x + box.width - by];
        const isOver = ink.x < left - 1.5 || ink.x + ink.width > right + 1.5;
        return isOver ? [`${text.textContent}: ${[ink.x, ink.x + ink.width, left, right].map(Math.round)}`] : [];
    });
}"""


@pytest.mark.sweep
@pytest.mark.parametrize("width", [1024, 1440, 1920])
def test_no_text_is_wider_than_its_box(visit: Visit, width: int) -> None:
    tutor = visit(viewport={"width": width, "height": 900})
    page = tutor.page
    for name in (*LESSONS, *PROGRAMS):
        if name in LESSONS:
            tutor.open(f"/lessons/{name}#step=1")
            tutor.wait()
        else:
            tutor.open("/")
            tutor.write((FOLDER / f"{name}.py").read_text("utf-8"))
            tutor.run()
        last = int(page.locator(".slider").get_attribute("max") or 0)
        for step in sorted({last // 3, 2 * last // 3, last}):
            page.locator(".slider").fill(str(step))
            page.evaluate(f"() => new Promise({TWO_FRAMES})")
            assert page.evaluate(OVER) == [], f"{name}, step {step}"
