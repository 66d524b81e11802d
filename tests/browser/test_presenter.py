"""Presenter mode for classes: text size, high contrast, printing, and predicting a step before it is shown."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor

DOT_IS_AT = """([x, y]) => {
    const box = document.querySelector('.dot').getBoundingClientRect();
    return Math.abs(box.x + box.width / 2 - x) < 1 && Math.abs(box.y + box.height / 2 - y) < 1;
}"""
LESSON = "/lessons/data-hides-the-write#step="
SIZE_OF = "element => parseFloat(getComputedStyle(element).fontSize)"
SMALLEST_VALUE = """() => Math.min(...[...document.querySelectorAll('.picture .cell-value')]
    .map((element) => parseFloat(getComputedStyle(element).fontSize) * element.getScreenCTM().a))"""


def opened(visit: Visit, step: int, **options: object) -> Tutor:
    tutor = visit(**options)
    tutor.open(f"{LESSON}{step}")
    tutor.wait()
    return tutor


def switch(page: Page, name: str) -> None:
    """Toggle a setting in the Display menu."""
    page.get_by_role("button", name="Display").click()
    toggle = page.get_by_role("switch", name=name)
    was = toggle.get_attribute("aria-checked")
    toggle.click()
    expect(toggle).to_have_attribute("aria-checked", "false" if was == "true" else "true")
    page.keyboard.press("Escape")
    expect(toggle).to_be_hidden()


@pytest.mark.sweep
@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (1920, 1080)])
def test_presenter_mode_has_large_type_and_a_clicker_steps(visit: Visit, size: tuple[int, int]) -> None:
    tutor = opened(visit, 1, viewport={"width": size[0], "height": size[1]})
    page = tutor.page
    usual = page.locator(".story p").first.evaluate(SIZE_OF)
    page.keyboard.press("p")
    expect(page.locator(".header")).to_be_hidden()
    least = {1024: 1.2, 1440: 1.35, 1920: 1.19}[size[0]]
    assert page.locator(".story p").first.evaluate(SIZE_OF) > least * usual
    frame = "() => [...document.querySelectorAll('.pane')].map((element) => JSON.stringify(element.getBoundingClientRect()))"
    before = page.evaluate(frame)
    for number in range(2, 9):
        page.keyboard.press("PageDown")
        expect(page.locator(".position b")).to_have_text(f"Step {number}")
        assert page.evaluate(frame) == before, "nothing moves between steps"
    expect(page.locator(".timeline")).to_be_in_viewport(ratio=1)
    assert page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == list(size)
    if size[0] >= 1440:
        assert page.evaluate(SMALLEST_VALUE) > 22
    assert violations(page) == []
    tutor.shoot(f"presenter-{size[0]}")
    page.keyboard.press("PageUp")
    expect(page.locator(".position b")).to_have_text("Step 7")
    page.keyboard.press("Escape")
    expect(page.locator(".header")).to_be_visible()
    expect(page.locator(".position b")).to_have_text("Step 7")
    page.keyboard.press("p")
    page.get_by_role("button", name="Leave presenter mode").click()
    expect(page.locator(".header")).to_be_visible()


def test_presenter_mode_has_a_button_and_is_remembered(visit: Visit) -> None:
    tutor = opened(visit, 8)
    page = tutor.page
    button = page.get_by_role("button", name="Presenter mode", exact=True, include_hidden=True)
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(page.locator(".header")).to_be_hidden()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.reload()
    tutor.wait()
    page.get_by_role("button", name="Leave presenter mode").click()
    expect(button).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(button).to_be_hidden()


def test_a_blank_screen_shows_nothing_and_ends_without_a_step(visit: Visit) -> None:
    tutor = opened(visit, 7)
    page = tutor.page
    status = page.locator(".app > [role=status].visually-hidden")
    page.keyboard.press("b")
    page.keyboard.press(".")
    tutor.at_step(8)  # these keys blank the screen only in presenter mode
    page.keyboard.press("p")
    expect(page.locator(".leave")).to_be_visible()
    page.keyboard.press(" ")
    for press in ("b", "."):
        page.keyboard.press(press)
        expect(page.locator("html[data-blank]")).to_have_count(1)
        expect(status).to_have_text("The screen is blank. Any key brings the page back.")
        seen = page.evaluate(
            "() => [...document.body.children].filter((child) => getComputedStyle(child).opacity !== '0').length"
        )
        assert seen == 0 and page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
        assert page.evaluate("() => document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.localName") in (None, "html")
        at = page.locator(".position b").inner_text()
        if press == "b":
            page.keyboard.press("PageDown")
        else:
            page.mouse.click(700, 500)
        expect(page.locator("html:not([data-blank])")).to_have_count(1)
        expect(page.locator(".position b")).to_have_text(at)
        expect(page.locator(".leave")).to_be_visible()


def test_a_dot_follows_the_mouse(visit: Visit) -> None:
    tutor = opened(visit, 8)
    page = tutor.page
    dot = page.locator(".dot")
    page.keyboard.press("d")
    page.keyboard.press("p")
    expect(page.locator(".leave")).to_be_visible()
    expect(dot).to_have_count(0)
    page.keyboard.press("d")
    expect(dot).to_have_count(1)
    while not dot.is_visible():  # before the page listens for mouse moves, they are lost
        page.mouse.move(300, 200)
        page.mouse.move(640, 480)
    page.mouse.move(640, 480)
    page.wait_for_function(DOT_IS_AT, arg=[640, 480])
    page.get_by_role("button", name="Next step").click()  # the dot lets clicks through to the button below
    tutor.at_step(9)
    page.keyboard.press("Escape")
    expect(dot).to_have_count(0)
    page.keyboard.press("d")
    expect(dot).to_be_visible()  # the dot appears at once at the position of the mouse
    page.keyboard.press("p")
    expect(dot).to_have_count(0)


def test_a_note_is_kept_for_its_step_and_sent_to_nobody(visit: Visit) -> None:
    tutor = opened(visit, 8)
    page = tutor.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.url} {request.post_data or ''}"))
    note = page.get_by_role("textbox", name="Note on step")
    page.keyboard.press("o")
    expect(note).to_be_focused()
    page.keyboard.type("ask o, p and d")
    page.keyboard.press("Escape")
    expect(note).not_to_be_focused()
    page.keyboard.press("ArrowRight")
    tutor.at_step(9)
    expect(note).to_have_value("")
    assert violations(page) == []
    page.keyboard.press("o")
    expect(note).to_have_count(0)
    page.reload()
    tutor.wait()
    expect(page.locator(".note-mark")).to_have_count(1)
    page.keyboard.press("p")
    page.keyboard.press("PageUp")
    page.get_by_role("button", name="This step has a note").click()
    expect(note).to_have_value("ask o, p and d")
    page.keyboard.press("PageDown")  # the keys of a remote control change the step even while a text field has the focus
    tutor.at_step(9)
    expect(note).to_have_value("")
    page.keyboard.press("PageUp")
    expect(note).to_have_value("ask o, p and d")
    tutor.shoot("presenter-note")
    note.fill("")
    expect(page.locator(".note-mark")).to_have_count(0)
    assert not any("ask o" in request for request in sent)
    assert json.loads(page.evaluate("() => localStorage.getItem('stepgrad.notes')")) == []


NOTE_IS_AT_STEP = """() => {
    const [note, step] = ['.note-mark', '.track .here circle'].map((each) => document.querySelector(each).getBoundingClientRect());
    const [[x, y], [stepX, stepY]] = [note, step].map((box) => [box.x + box.width / 2, box.y + box.height / 2]);
    return Math.abs(x - stepX) < 1.5 && note.bottom < stepY && stepY - y < step.height;
}"""
FLAG_IS_NEAREST_TO_STEP = """() => {
    const middle = (element) => { const {x, width} = element.getBoundingClientRect(); return x + width / 2; };
    const [flag, step] = ['.track .flag', '.track .here circle'].map((each) => middle(document.querySelector(each)));
    const others = [...document.querySelectorAll('.track .mark:not(.now)')].map(middle).filter((x) => Math.abs(x - step) > 1.5);
    return others.every((x) => Math.abs(flag - x) > Math.abs(flag - step) - 1.5);
}"""
LAST_LINE_IS_WHOLE = """() => {
    const story = document.querySelector('.story');
    const end = story.getBoundingClientRect().top + story.clientHeight;
    const range = document.createRange();
    for (const texts = document.createTreeWalker(story, NodeFilter.SHOW_TEXT); texts.nextNode();) {
        if (!texts.currentNode.parentElement.checkVisibility()) continue;
        range.selectNodeContents(texts.currentNode);
        for (const {top, bottom} of range.getClientRects()) if (top < end - 4 && bottom > end + 4) return false;
    }
    return true;
}"""


@pytest.mark.parametrize("size", [(1024, 768), (1920, 1080)])
def test_the_mark_of_a_note_stands_at_its_step(visit: Visit, size: tuple[int, int]) -> None:
    tutor = opened(visit, 8, viewport={"width": size[0], "height": size[1]})
    page = tutor.page
    for is_presented in (False, True):
        if is_presented:
            page.keyboard.press("p")
            expect(page.locator(".leave")).to_be_visible()
        page.keyboard.press("o")
        page.get_by_role("textbox", name="Note on step").fill("ask why" if is_presented else "say why")
        page.keyboard.press("Escape")
        expect(page.locator(".note-mark")).to_have_count(1)
        page.wait_for_function(NOTE_IS_AT_STEP)
        assert page.evaluate(FLAG_IS_NEAREST_TO_STEP)
        if is_presented:
            page.wait_for_function(LAST_LINE_IS_WHOLE)
        tutor.shoot(f"note-mark-{size[0]}-{is_presented}")
        page.keyboard.press("o")
        expect(page.locator(".note")).to_have_count(0)


def test_the_size_of_text_is_chosen_and_remembered(visit: Visit) -> None:
    tutor = opened(visit, 8)
    page = tutor.page
    usual = page.locator(".story p").first.evaluate(SIZE_OF)
    page.get_by_role("button", name="Display").click()
    assert violations(page) == []
    for percent in (115, 130, 150):
        page.get_by_role("button", name="Larger text").click()
        expect(page.locator(".display output")).to_have_text(f"{percent} %")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("button", name="Larger text")).to_be_disabled()
    page.reload()
    tutor.wait()
    assert page.locator(".story p").first.evaluate(SIZE_OF) == pytest.approx(1.5 * usual)
    tutor.shoot("text-size-150")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_high_contrast_by_switch_and_by_preference(visit: Visit, theme: str) -> None:
    tutor = opened(visit, 8, color_scheme=theme)
    page = tutor.page
    expect(page.locator("html")).to_have_attribute("data-contrast", "off")
    switch(page, "High contrast")
    expect(page.locator("html")).to_have_attribute("data-contrast", "on")
    assert violations(page, enhanced=True) == []
    tutor.shoot(f"contrast-{theme}")
    wanted = opened(visit, 10, color_scheme=theme, contrast="more")
    expect(wanted.page.locator("html")).to_have_attribute("data-contrast", "on")
    assert violations(wanted.page, enhanced=True) == []
    switch(wanted.page, "High contrast")
    wanted.page.reload()
    expect(wanted.page.locator("html")).to_have_attribute("data-contrast", "off")


def test_a_step_prints_as_it_is_seen_on_white_as_pictures_and_as_text(visit: Visit) -> None:
    tutor = opened(visit, 8, color_scheme="dark", viewport={"width": 1047, "height": 718})
    expect_print(tutor.page, is_text=False)
    tutor.page.emulate_media(media="screen")
    tutor.page.keyboard.press("t")
    expect(tutor.page.locator(".stage.as-text")).to_have_count(1)
    expect_print(tutor.page, is_text=True)


def expect_print(page: Page, *, is_text: bool) -> None:
    page.emulate_media(media="print")
    for selector in ("html", ".pane", ".story"):
        assert page.locator(selector).first.evaluate("element => getComputedStyle(element).backgroundColor") in (
            "rgb(255, 255, 255)",
            "rgba(0, 0, 0, 0)",
        )
    ink = page.locator(".story p").first.evaluate("element => getComputedStyle(element).color")
    assert ink == "rgb(20, 24, 31)"
    for hidden in (".header", ".transport", ".act"):
        expect(page.locator(hidden)).to_be_hidden()
    for shown in (".code-pane", ".story-pane", ".graph-pane", ".memory-pane", ".position"):
        expect(page.locator(shown)).to_be_visible()
    cut = "element => element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY !== 'visible'"
    for whole in (".story", ".graph-pane .outline" if is_text else ".graph-pane .picture", ".editor", ".output"):
        assert not page.locator(whole).evaluate(cut), f"{whole} is cut off"
    ends = "() => ['.story', '.timeline'].map((element) => document.querySelector(element).getBoundingClientRect())"
    story, timeline = page.evaluate(ends)
    assert story["bottom"] <= timeline["top"], "nothing lies over anything"
    page.screenshot(path="build/screenshots/print.png", full_page=True)
    paper = page.pdf(prefer_css_page_size=True)
    assert paper.startswith(b"%PDF") and paper.count(b"/Type /Page\n") <= 3


def test_a_step_is_predicted_before_it_is_shown(visit: Visit) -> None:
    tutor = opened(visit, 1)
    page = tutor.page
    switch(page, "Predict before each step")
    page.locator(".slider").fill("7")
    tutor.at_step(7)
    expect(page.locator(".timeline .flag")).to_have_count(0)
    assert page.locator(".mark.write, .mark.node, .mark.exception").count() == 0, "the timeline tells nothing of what will be"
    shown = tutor.picture()
    page.locator("body").press("ArrowRight")
    expect(page.locator("#story-title")).to_have_text("Step 8: what will happen?")
    expect(page.locator(".question pre")).to_contain_text("d_[:] = 1")
    expect(page.locator(".app > [role=status].visually-hidden")).to_contain_text("what will happen? Line 11 runs next")
    expect(page.locator(".position b")).to_have_text("Step 7")
    assert tutor.picture() == shown and tutor.cells("d") == ["4."]
    expect(page.locator(".finding")).to_have_count(0)
    assert violations(page) == []
    tutor.shoot("predict")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#story-title")).to_have_text("Step 7: what just happened")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".position b")).to_have_text("Step 8")
    assert tutor.cells("d") == ["1."]
    expect(page.locator(".finding[open]")).to_be_visible()
    expect(page.locator(".timeline .flag")).to_have_count(1)
    page.locator("body").press(".")
    expect(page.locator(".question")).to_contain_text("A Node runs next, in the backward of line 12")
    expect(page.locator(".question")).not_to_contain_text("MvBackward0")
    page.get_by_role("button", name="Next step").click()
    expect(page.locator(".chip.fresh").first).to_be_visible()
