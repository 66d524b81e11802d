"""Resize panes with the mouse and the keyboard, remember their sizes, and maximise one pane."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.test_rooms import ADAM

LESSON = "/lessons/data-hides-the-write#step=8"
COUNT_DRAWN = """() => {
    window.drawn = 0;
    const observer = new MutationObserver((changes) => window.drawn += changes.length);
    const all = {attributes: true, subtree: true, childList: true};
    for (const svg of document.querySelectorAll('.picture > svg')) observer.observe(svg, all);
}"""


def splitter(page: Page, name: str) -> Locator:
    return page.get_by_role("separator", name=name)


def width(page: Page, pane: str) -> float:
    box = page.locator(pane).bounding_box()
    assert box is not None
    return box["width"]


def value(bar: Locator) -> int:
    return int(bar.get_attribute("aria-valuenow") or 0)


def about(percent: int) -> re.Pattern[str]:
    """Return a regular expression for a number and its two neighbours, because the page rounds sizes."""
    return re.compile(f"^({percent - 1}|{percent}|{percent + 1})$")


def drag(page: Page, bar: Locator, across: float, down: float) -> None:
    """Move the pressed mouse by `x` and `y` pixels in ten steps."""
    box = bar.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across, y + down, steps=10)


def test_a_splitter_is_dragged_and_remembered(visit: Visit) -> None:
    tutor = visit()
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    graph, memory = width(page, ".graph-pane"), width(page, ".memory-pane")
    bar = splitter(page, "Width of the graph")
    page.evaluate(COUNT_DRAWN)
    drag(page, bar, -120, 0)
    assert width(page, ".graph-pane") == pytest.approx(graph - 120, abs=1.5)
    assert width(page, ".memory-pane") == pytest.approx(memory + 120, abs=1.5)
    assert page.evaluate("() => window.drawn") == 0, "pictures rest while it is dragged"
    page.mouse.up()
    page.wait_for_function("() => window.drawn > 0")
    expect(page.locator(".position b")).to_have_text("Step 8")
    share = page.evaluate("() => localStorage.getItem('stepgrad.split-pictures')")
    assert float(share) == pytest.approx((graph - 120) / (graph + memory), abs=0.01)
    lower = splitter(page, "Height of the pictures")
    drag(page, lower, 0, -90)
    page.mouse.up()
    code = splitter(page, "Height of the code")
    drag(page, code, 0, 70)
    page.mouse.up()
    panes = [page.locator(pane).bounding_box() for pane in (".code-pane", ".graph-pane", ".memory-pane", ".output-pane")]
    page.reload()
    tutor.wait()
    assert [
        page.locator(pane).bounding_box() for pane in (".code-pane", ".graph-pane", ".memory-pane", ".output-pane")
    ] == panes
    bar.dblclick()
    expect(page.locator(".graph-pane")).to_have_js_property("offsetWidth", round(graph))


def test_a_splitter_by_keys(visit: Visit) -> None:
    tutor = visit()
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    for name, back in (
        ("Width of the code", "ArrowLeft"),
        ("Height of the pictures", "ArrowUp"),
    ):
        bar = splitter(page, name)
        bar.focus()
        usual = value(bar)
        page.keyboard.press(back)
        expect(bar).to_have_attribute("aria-valuenow", about(usual - 2))
        page.keyboard.press(f"Shift+{back}")
        expect(bar).to_have_attribute("aria-valuenow", about(usual - 12))
        page.keyboard.press("Home")
        expect(bar).to_have_attribute("aria-valuenow", bar.get_attribute("aria-valuemin") or "")
        assert violations(page) == []
        page.keyboard.press("End")
        expect(bar).to_have_attribute("aria-valuenow", bar.get_attribute("aria-valuemax") or "")
        assert violations(page) == []
        page.keyboard.press("Enter")
        expect(bar).to_have_attribute("aria-valuenow", str(usual))
        expect(bar).to_be_focused()
    tutor.at_step(8)


STRANGE = [("", "banana", "NaN", "1e-1"), ("0.99", "-0.5", '{"columns":0.5}', "0.5px; color: red")]
STORE = """(texts) => {
    for (const [at, split] of ['columns', 'pictures', 'code', 'lower'].entries())
        localStorage.setItem(`stepgrad.split-${split}`, texts[at]);
}"""


def test_whatever_is_stored_in_the_place_of_a_share_the_panes_stand_as_usual(visit: Visit) -> None:
    tutor = visit()
    tutor.open(LESSON)
    tutor.wait()
    usual = tutor.boxes()
    for texts in STRANGE:
        tutor.page.evaluate(STORE, texts)
        tutor.page.reload()
        tutor.wait()
        assert tutor.boxes() == usual


def test_one_pane_alone(visit: Visit) -> None:
    tutor = visit()
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    usual = tutor.boxes()
    for pane, entry in (
        ("graph", ".picture"),
        ("memory", ".picture"),
        ("story", ".story"),
        ("output", "[role=tab]"),
        ("code", ".maximise"),
    ):
        box = page.locator(f".{pane}-pane")
        box.locator(entry).first.focus()
        page.keyboard.press("m")
        expect(page.locator(".main .pane:visible")).to_have_count(1)
        expect(box).to_be_visible()
        expect(box.get_by_role("button", name="Show only this pane")).to_have_attribute("aria-pressed", "true")
        expect(box.locator(entry).first).to_be_focused()
        expect(page.locator(".app > [role=status]")).to_contain_text("Only this pane is shown")
        page.keyboard.press(".")
        expect(page.locator(".app > [role=status]")).not_to_contain_text("Only this pane")
        assert violations(page) == []
        page.keyboard.press(",")
        page.keyboard.press("m" if pane == "graph" else "Escape")
        expect(page.locator(".main .pane:visible")).to_have_count(5)
    tutor.at_step(8)
    assert tutor.boxes() == usual
    page.locator(".code-pane .maximise").click()
    tutor.edit()
    tutor.run()
    expect(page.locator(".memory-pane")).to_be_visible()


SIDEWAYS = """() => ['html', '.picture', '.story', '.cm-scroller', '.output', '.calls', '.timeline', '.header']
    .flatMap((selector) => [...document.querySelectorAll(selector)])
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => `${element.className} ${element.scrollWidth} > ${element.clientWidth}`)"""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("lesson", "is_stacked"),
    [("step-between-two-backwards", True), ("data-hides-the-write", True), ("copy-into-a-leaf", False)],
)
def test_nothing_is_scrolled_sideways_on_a_narrow_page(visit: Visit, lesson: str, is_stacked: bool) -> None:
    tutor = visit(viewport={"width": 1024, "height": 768})
    tutor.open(f"/lessons/{lesson}#step=1")
    tutor.wait()
    page = tutor.page
    expect(page.locator(".stage.stacked")).to_have_count(int(is_stacked))
    for number in range(1, int(page.locator(".slider").get_attribute("max") or 0) + 1, 3):
        page.locator(".slider").fill(str(number))
        tutor.at_step(number)
        assert page.evaluate(SIDEWAYS) == []
    tutor.shoot(f"narrow-{lesson}")


def test_pictures_one_above_the_other_have_a_splitter(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1024, "height": 768})
    tutor.open(LESSON)
    tutor.wait()
    page = tutor.page
    bar = splitter(page, "Height of the graph")
    bar.focus()
    usual = value(bar)
    page.keyboard.press("Shift+ArrowDown")
    expect(bar).to_have_attribute("aria-valuenow", about(usual + 10))
    assert violations(page) == []
    page.reload()
    tutor.wait()
    expect(bar).to_have_attribute("aria-valuenow", about(usual + 10))
    bar.focus()
    page.keyboard.press("Enter")
    expect(bar).to_have_attribute("aria-valuenow", about(usual))
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(splitter(page, "Width of the graph")).to_be_visible()


PANES = "() => [...document.querySelectorAll('.pane')].map((pane) => JSON.stringify(pane.getBoundingClientRect()))"
WITHOUT_NODES = "import torch\nx = torch.arange(12).reshape(3, 4)\ny = x.T\ny[0] = 7\nprint(x)\n"
WITHOUT_TENSORS = "for word in 'ab':\n    print(word * 3)\n"


def test_a_picture_without_anything_leaves_its_room_from_the_first_step_on(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    tutor.write(WITHOUT_NODES)
    tutor.run()
    page = tutor.page
    page.locator("body").press("Home")
    tutor.at_step(1)
    boxes = page.evaluate(PANES)
    graph, memory = page.locator(".graph-pane").bounding_box(), page.locator(".memory-pane").bounding_box()
    assert graph is not None and memory is not None
    assert graph["height"] < 90 < memory["height"] and graph["width"] == memory["width"]
    expect(page.locator(".graph-pane .empty").first).to_contain_text("No operation recorded a Node")
    expect(page.locator(".legend-entry")).to_have_text(["no grad", "v0version", "just written", "elements used", "one counter"])
    assert violations(page) == []
    page.locator("body").press("End")
    tutor.at_step(5)
    assert page.evaluate(PANES) == boxes, "no pane has moved"
    tutor.edit()
    tutor.write(WITHOUT_TENSORS)
    tutor.run()
    output, pictures = page.locator(".output-pane").bounding_box(), page.locator(".stage").bounding_box()
    assert output is not None and pictures is not None
    assert output["height"] > 3 * pictures["height"]
    expect(page.locator(".pane.legend")).to_have_count(0)
    assert violations(page) == []


def test_memory_of_a_model_with_its_optimizer_is_not_cut(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open()
    tutor.write(ADAM)
    tutor.run()
    page = tutor.page
    memory = page.locator(".memory-pane .picture")
    expect(page.locator(".stage")).to_be_visible()
    expect(page.locator(".stage.stacked")).to_have_count(0)
    widths = memory.evaluate("(host) => [host.scrollWidth, host.clientWidth]")
    assert widths[0] <= widths[1]


COMPARED = "/?compare=data-hides-the-write,detach-tells-on-the-write#step=8"


def test_splitters_of_a_comparison_divide_both_runs_and_are_remembered(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open(COMPARED)
    expect(tutor.page.locator(".timeline.pair")).to_be_visible()
    tutor.wait()
    page = tutor.page
    memories = [f".of-{side} .memory-pane" for side in ("left", "right")]
    usual = width(page, memories[0])
    assert width(page, memories[1]) == pytest.approx(usual, abs=1.5)
    drag(page, page.locator(".of-right .half + .splitter + .half > .splitter"), -60, 0)
    for memory in memories:
        assert width(page, memory) == pytest.approx(usual + 60, abs=1.5), "that of the other run follows"
    page.mouse.up()
    bar = splitter(page, "Height of the code and the story")
    before = value(bar)
    bar.focus()
    page.keyboard.press("Shift+ArrowDown")
    expect(bar).to_have_attribute("aria-valuenow", about(before + 10))
    sides = splitter(page, "Width of run A")
    sides.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(sides).to_have_attribute("aria-valuenow", about(60))
    assert violations(page) == []
    page.reload()
    expect(page.locator(".timeline.pair")).to_be_visible()
    tutor.wait()
    expect(sides).to_have_attribute("aria-valuenow", about(60))
    expect(bar).to_have_attribute("aria-valuenow", about(before + 10))
    page.set_viewport_size({"width": 800, "height": 900})
    expect(page.locator(".splitter")).to_have_count(0)
