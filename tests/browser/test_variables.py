"""The Variables pane: active function calls, the values of their variables, and what changed at a step."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor

CALLS = """import torch
def scaled(x, factor):
    y = x * factor
    return y
x = torch.ones(2)
rate = 0.5
for number in range(3):
    x = scaled(x, number)
rate = "<b>done</b>"
"""


def open_variables(tutor: Tutor) -> None:
    """Select the Variables tab, which is not selected by default."""
    tutor.page.locator("#lower-variables").click()


def test_frames_and_what_their_variables_hold(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(CALLS)
    tutor.run()
    tutor.to_start()
    page, pane = tutor.page, tutor.page.locator(".output-pane")
    open_variables(tutor)
    pane.get_by_role("button", name="More room").click()
    boxes = tutor.boxes()
    frames = pane.locator(".frame")
    expect(frames).to_have_count(1)
    tutor.step_to(6)
    expect(frames).to_have_count(2)
    expect(frames.nth(0).locator("h3")).to_have_text("module line 8")
    inner = frames.nth(1)
    expect(inner.locator("h3")).to_contain_text("scaled line 3 · call 1 of 3")
    expect(inner.locator("li")).to_have_text(["factor0new", "x(2,)new", "y(2,)new"])
    expect(frames.nth(0).locator("li")).to_have_text(["x(2,)", "rate0.5", "number0"])
    expect(pane.locator(".badge-count > [aria-hidden]")).to_have_text("3")
    assert violations(page) == []
    tutor.shoot("variables")
    inner.get_by_role("button", name="y").click()
    expect(page.locator(".changes-bar .subject")).to_have_text("y · scaled")
    page.keyboard.press("End")
    expect(frames.locator("li.fresh")).to_have_text(["rate'<b>done</b>'was 0.5"])
    assert {name: box for name, box in tutor.boxes().items() if "H2" not in name and "H3" not in name} == {
        name: box for name, box in boxes.items() if "H2" not in name and "H3" not in name
    }, "no pane has moved"
    page.keyboard.press("t")
    words = page.locator(".memory-pane .calls-words li li.fresh")
    expect(words).to_have_text("rate = '<b>done</b>' (str), was 0.5")


LONG = """import torch
class Run: pass
run = Run()
run.an_attribute_with_quite_a_long_name = Run()
run.an_attribute_with_quite_a_long_name.weight = torch.ones(2)
"""


def test_a_path_without_room_keeps_its_last_part(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(LONG)
    tutor.run()
    open_variables(tutor)
    tutor.step_to(6)
    chip = tutor.page.locator(".frame .name-chip")
    expect(chip).to_have_text("run.an_attribute_with_quite_a_long_name.weight")
    shown = chip.evaluate(
        "chip => { const right = (e) => e.getBoundingClientRect().right; const [begin, end] = chip.children;"
        " return [begin.scrollWidth > begin.clientWidth, right(end) <= right(chip), end.textContent]; }"
    )
    assert shown == [True, True, ".weight"]


PLAIN = """import torch
a_tensor_with_a_name_that_is_wider_than_any_column_of_this_pane = torch.ones(2)
x = torch.ones(2)
"""


@pytest.mark.parametrize("width", [390, 1440])
def test_a_name_that_is_cut_is_whole_where_the_focus_is(visit: Visit, width: int) -> None:
    tutor = visit(viewport={"width": width, "height": 900})
    page = tutor.page
    for source in (PLAIN, LONG):
        tutor.open("/")
        tutor.write(source)
        tutor.run()
        page.keyboard.press("End")
        if width < 500:
            tutor.show("variables")
        else:
            open_variables(tutor)
        chip = page.locator(".frame .name-chip").first
        name = chip.text_content() or ""
        assert len(name) > 40
        chip.focus()
        page.keyboard.press("Shift+Tab")
        expect(chip).not_to_be_focused()
        page.keyboard.press("Tab")
        expect(chip).to_be_focused()
        told, shown, left, most = chip.evaluate(
            "chip => { const look = getComputedStyle(chip, '::after');"
            " return [look.content, look.position, parseFloat(look.left), parseFloat(look.left) + parseFloat(look.width)]; }"
        )
        assert (told, shown) == (f'"{name}"', "fixed")
        assert left >= 0 and most <= width
        assert violations(page) == []


def test_a_name_that_has_room_is_not_said_twice(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(PLAIN)
    tutor.run()
    open_variables(tutor)
    tutor.page.keyboard.press("End")
    long, short = tutor.page.locator(".frame .name-chip").all()
    long.focus()
    expect(long).to_have_attribute("data-whole", long.text_content() or "")
    tutor.page.keyboard.press("Tab")
    expect(short).to_be_focused()
    assert short.get_attribute("data-whole") is None


def test_output_and_variables_stand_behind_tabs(visit: Visit) -> None:
    tutor = visit(color_scheme="dark", locale="zh-CN")
    tutor.open("/lessons/clone-adds-up#step=5")
    tutor.wait()
    page = tutor.page
    output, variables = page.locator("#lower-output"), page.locator("#lower-variables")
    expect(output).to_have_attribute("aria-selected", "true")
    output.press("ArrowRight")
    expect(variables).to_be_focused()
    expect(page.locator(".calls")).to_be_visible()
    assert violations(page) == []
    page.reload()
    expect(variables).to_have_attribute("aria-selected", "true")


def test_a_small_screen_has_a_tab_of_its_own(visit: Visit) -> None:
    tutor = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    tutor.open("/lessons/clone-adds-up#step=5")
    tutor.wait()
    tutor.show("variables")
    expect(tutor.page.locator(".variables-pane .frame.innermost")).to_be_visible()
    assert violations(tutor.page) == []


def test_what_is_put_away_comes_back_and_what_is_kept_on_top_comes_first(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    page = tutor.page
    rows, bar = page.locator(".memory [data-row]"), page.locator(".changes-bar")
    before = rows.count()
    page.locator('.memory [data-name="x"] .name-tag').click()
    page.keyboard.press("h")
    expect(page.locator('.memory [data-name="x"]')).to_have_count(0)
    expect(rows).to_have_count(before - 1)
    expect(bar).to_have_count(0)
    page.locator('.memory [data-name="d_"] .name-tag').click()
    bar.get_by_role("button", name="Pin it on top").click()
    expect(rows.first.locator('[data-name="d_"]')).to_have_count(1)
    places = tutor.positions()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    for _ in range(7):
        page.keyboard.press(".")
    expect(page.locator(".position b")).to_have_text("Step 8")
    assert tutor.positions() == places, "it is laid out once"
    tutor.shoot("pins")
    page.locator(".code-pane .act").click()
    tutor.run()
    expect(page.locator(".code-pane").get_by_role("button", name="Edit")).to_be_visible()
    page.locator("body").press("End")
    expect(page.locator(".position b")).to_have_text("Step 15")
    expect(page.locator('.memory [data-name="x"]')).to_have_count(0)
    page.locator(".pins-button").click()
    assert violations(page) == []
    page.get_by_role("button", name="Show again: x").click()
    expect(page.locator('.memory [data-name="x"]')).to_have_count(1)
    page.get_by_role("button", name="Unpin: d_").click()
    expect(page.locator(".pins-button")).to_have_count(0)
    expect(rows.first.locator('[data-name="x"]')).to_have_count(1)


def test_what_is_pointed_at_is_lit_in_every_pane(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    page = tutor.page
    places = tutor.positions()
    page.locator(".story code", has_text="S3").first.hover()
    expect(page.locator('.memory [data-storage="3"].highlighted')).to_have_count(1)
    expect(page.locator(".memory .tensor.highlighted")).to_have_count(2)
    expect(page.locator('.graph .name-tag.highlighted[data-name="d"]')).to_have_count(1)
    expect(page.locator(".graph .pocket.highlighted")).to_have_count(1)
    expect(page.locator(".timeline .highlighted-mark")).not_to_have_count(0)
    assert tutor.positions() == places, "nothing moves"
    page.locator(".graph .node-name", has_text="MmBackward0").hover()
    expect(page.locator(".code-pane .highlighted-line")).to_contain_text("d = torch.matmul(x, w1)")
    expect(page.locator('.memory [data-name="d"].highlighted')).to_have_count(1)
    tutor.shoot("highlighted")
    page.locator(".code-pane .cm-line", has_text="f = torch.matmul").hover()
    expect(page.locator('.graph [data-node].highlighted:has-text("MvBackward0")')).to_have_count(1)
    page.locator(".header .logo").hover()
    expect(page.locator(".highlighted")).to_have_count(0)
    page.locator(".memory-pane .picture").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".memory .tensor.highlighted")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".highlighted")).to_have_count(0)
    page.locator('.graph .name-tag[data-name="d"]').click()
    expect(page.locator(".changes-bar .subject")).to_have_text("d")
