"""The page on a phone: one pane at a time behind tabs, all of it by touch, and nothing overflows."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.test_page import TOO_SMALL

TABS = ("code", "story", "graph", "memory", "output")
PHONES = [
    ((360, 740), "en-US", "light"),
    ((390, 844), "zh-CN", "dark"),
    ((360, 740), "zh-CN", "light"),
    ((390, 844), "en-US", "dark"),
]
OUTSIDE = """() => {
    const scrolled = '.picture, .outline, .output, .story, .cm-scroller, .unseen, .skip, dialog';
    return [...document.querySelectorAll('.app *')]
        .filter((own) => !own.closest(scrolled) && !own.closest('svg') && own.getClientRects().length)
        .filter((own) => {
            const box = own.getBoundingClientRect();
            return box.left < -0.5 || box.right > innerWidth + 0.5 || box.top < -0.5 || box.bottom > innerHeight + 0.5;
        })
        .map((own) => `${own.tagName}.${own.className} ${JSON.stringify(own.getBoundingClientRect())}`);
}"""
FRAME = """() => ['.header', '.tabs', '.main', '.timeline', '.tab', '.transport .next'].map((selector) =>
    JSON.stringify(document.querySelector(selector).getBoundingClientRect()))"""


@pytest.mark.parametrize(("size", "locale", "theme"), PHONES)
def test_one_pane_at_a_time(visit: Visit, size: tuple[int, int], locale: str, theme: str) -> None:
    viewport = {"width": size[0], "height": size[1]}
    tutor = visit(viewport=viewport, locale=locale, color_scheme=theme, has_touch=True, is_mobile=True)
    tutor.open("/")
    assert tutor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    tutor.open("/?lesson=21a-data-hides-the-write#step=8")
    tutor.page.reload()
    tutor.wait()
    page = tutor.page
    expect(page.locator(".memory-pane")).to_be_in_viewport(ratio=1)
    for name in TABS:
        page.locator(f"#tab-{name}").tap()
        expect(page.locator(f".{name}-pane")).to_be_in_viewport(ratio=1)
        expect(page.locator(".main .pane:visible")).to_have_count(1)
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == list(
            size
        )
        assert page.evaluate(TOO_SMALL) == []
        assert violations(page) == []
        tutor.shoot(f"phone-{name}-{size[0]}-{theme}-{locale}")


def test_a_lesson_by_touch_alone(visit: Visit) -> None:
    tutor = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    tutor.open("/?lesson=21a-data-hides-the-write")
    page = tutor.page
    page.get_by_role("button", name="Run", exact=True).tap()
    tutor.wait()
    frame = page.evaluate(FRAME)
    for number in range(2, 12):
        page.get_by_role("button", name="Next step").tap()
        expect(page.locator(".position b")).to_have_text(f"Step {number}")
        assert page.evaluate(FRAME) == frame, "nothing moves between steps"
        if number == 8:
            assert tutor.cells("d") == ["1."]
            expect(tutor.named("d_")).to_be_in_viewport(ratio=1)
            expect(page.locator(".just-ran")).to_contain_text("d_[:] = 1")
    page.get_by_role("tab", name="Graph").tap()
    expect(page.locator(".node.active .node-box")).to_be_in_viewport(ratio=1)
    track = page.locator(".track").bounding_box()
    assert track is not None
    page.touchscreen.tap(track["x"] + 20, track["y"] + 37)
    expect(page.locator(".position b")).to_have_text("Step 1")
    page.get_by_role("tab", name="Code").tap()
    page.get_by_role("button", name="Edit").tap()
    expect(page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
    page.get_by_role("button", name="Run", exact=True).tap()
    expect(page.get_by_role("tab", name="Graph")).to_have_attribute("aria-selected", "true")


def test_tabs_by_keyboard(visit: Visit) -> None:
    tutor = visit(viewport={"width": 390, "height": 844})
    tutor.open("/?lesson=21b-detach-tells-on-the-write#step=1")
    tutor.wait()
    page = tutor.page
    story = page.get_by_role("tab", name="Step")
    expect(story).to_have_attribute("aria-selected", "true")
    story.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Graph")).to_be_focused()
    expect(page.locator(".graph-pane")).to_be_visible()
    expect(page.locator(".position b")).to_have_text("Step 1")
    page.keyboard.press(".")
    expect(page.locator(".position b")).to_have_text("Step 2")
