"""The page on a phone: panes are behind tabs, all controls work by touch, and nothing overflows."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look, name_of
from tests.browser.page import Tutor
from tests.browser.test_page import TOO_SMALL

TABS = ("code", "story", "graph", "memory", "variables", "output")
OUTSIDE = """() => {
    const scrolled = '.picture, .outline, .output, .story, .cm-scroller, .visually-hidden, .skip, dialog';
    return [...document.querySelectorAll('.app *')]
        .filter((element) => !element.closest(scrolled) && !element.closest('svg') && element.getClientRects().length)
        .filter((element) => {
            const box = element.getBoundingClientRect();
            return box.left < -0.5 || box.right > innerWidth + 0.5 || box.top < -0.5 || box.bottom > innerHeight + 0.5;
        })
        .map((element) => `${element.tagName}.${element.className} ${JSON.stringify(element.getBoundingClientRect())}`);
}"""
FRAME = """() => ['.header', '.tabs', '.main', '.timeline', '.tab', '.transport .next'].map((selector) =>
    JSON.stringify(document.querySelector(selector).getBoundingClientRect()))"""


@by_look((360, 740), (390, 844))
def test_one_pane_at_a_time(visit: Visit, look: Look) -> None:
    tutor = visit(**look, has_touch=True, is_mobile=True)
    tutor.open("/")
    assert tutor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.page.reload()
    tutor.wait()
    page = tutor.page
    expect(page.locator(".story-pane")).to_be_in_viewport(ratio=1)
    for pane in TABS:
        page.locator(f"#tab-{pane}").tap()
        expect(page.locator(f".{pane}-pane")).to_be_in_viewport(ratio=1)
        expect(page.locator(".main .pane:visible")).to_have_count(1)
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == list(
            look["viewport"].values()
        )
        assert page.evaluate(TOO_SMALL) == []
        assert violations(page) == []
        tutor.shoot(f"phone-{pane}-{name_of(look)}")


def test_a_lesson_by_touch_alone(visit: Visit) -> None:
    tutor = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    tutor.open("/lessons/data-hides-the-write")
    page = tutor.page
    page.get_by_role("button", name="Run", exact=True).tap()
    tutor.wait()
    page.get_by_role("tab", name="Memory").tap()
    tutor.to_start()
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
    expect(page.get_by_role("tab", name="Step")).to_have_attribute("aria-selected", "true")


def test_tabs_by_keyboard(visit: Visit) -> None:
    tutor = visit(viewport={"width": 390, "height": 844})
    tutor.open("/lessons/detach-tells-on-the-write#step=1")
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


TOO_NARROW = """() => [...document.querySelectorAll('.app :is(button, select, summary, a, [role=switch])')]
    .filter((element) => element.getClientRects().length && !element.closest('.visually-hidden, .skip'))
    .map((element) => [element.getBoundingClientRect(), element])
    .filter(([box]) => box.width < 31.5 || box.height < 31.5)
    .map(([box, {className, tagName, textContent}]) =>
        `${className || tagName} ${textContent.slice(0, 20)} ${box.width}x${box.height}`)"""


def stroke(tutor: Tutor, selector: str, across: int, down: int = 0) -> None:
    """Swipe with one finger, starting at the centre of an element."""
    box = tutor.page.locator(selector).first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 60)
    device = tutor.context.new_cdp_session(tutor.page)
    for kind, share in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0), ("touchEnd", 1.0)):
        points = [] if kind == "touchEnd" else [{"x": x + across * share, "y": y + down * share}]
        device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.mark.sweep
@pytest.mark.parametrize(("size", "locale"), [((844, 390), "en-US"), ((740, 360), "zh-CN"), ((390, 844), "en-US")])
def test_on_its_side_too_and_every_target_is_as_large_as_a_finger(visit: Visit, size: tuple[int, int], locale: str) -> None:
    tutor = visit(viewport={"width": size[0], "height": size[1]}, locale=locale, has_touch=True, is_mobile=True)
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    page = tutor.page
    assert page.evaluate("() => document.querySelector('meta[name=viewport]').content") == "width=device-width, initial-scale=1"
    for name in TABS:
        page.locator(f"#tab-{name}").tap()
        expect(page.locator(f".{name}-pane")).to_be_in_viewport(ratio=1)
        box = page.locator(f".{name}-pane").bounding_box()
        assert box is not None and box["height"] > 190
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate(TOO_SMALL) == []
        assert page.evaluate(TOO_NARROW) == []
        tutor.shoot(f"phone-{name}-{size[0]}x{size[1]}-{locale}")


def test_a_swipe_steps_unless_what_is_under_it_can_scroll(visit: Visit) -> None:
    tutor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    number = tutor.page.locator(".position b")
    tutor.show("story")
    stroke(tutor, ".story", -120)
    expect(number).to_have_text("Step 9")
    stroke(tutor, ".story", 120, 20)
    expect(number).to_have_text("Step 8")
    stroke(tutor, ".story", -80, -160)
    stroke(tutor, ".just-ran", -120)
    expect(number).to_have_text("Step 9")
    tutor.show("graph")
    picture = tutor.page.locator(".graph-pane .picture")
    for _ in range(4):
        tutor.page.get_by_role("button", name="Larger").tap()
    picture.evaluate("(element) => { element.scrollLeft = 0; }")
    tutor.page.wait_for_function("(host) => host.scrollWidth > host.clientWidth + 40", arg=picture.element_handle())
    stroke(tutor, ".graph-pane .picture", -120)
    stroke(tutor, ".just-ran", -120)
    expect(number).to_have_text("Step 10")


def test_text_reflows_on_a_page_that_was_enlarged_four_times(visit: Visit) -> None:
    tutor = visit(viewport={"width": 320, "height": 256})
    tutor.open("/")
    assert tutor.page.evaluate("() => document.documentElement.scrollWidth") <= 320
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.page.reload()
    tutor.wait()
    for name in TABS:
        tutor.page.locator(f"#tab-{name}").click()
        assert tutor.page.evaluate("() => document.documentElement.scrollWidth") <= 320
        box = tutor.page.locator(f".{name}-pane").bounding_box()
        assert box is not None and box["height"] > 200
    tutor.page.get_by_role("button", name="Next step").click()
    expect(tutor.page.locator(".position b")).to_have_text("Step 9")


KINDS = {
    "the editor": "/",
    "a lesson before its run": "/lessons/data-hides-the-write",
    "a run": "/lessons/data-hides-the-write#step=8",
    "a comparison": "/?compare=data-hides-the-write,detach-tells-on-the-write#step=9",
    "the course": "/lessons",
    "nothing": "/nothing-here",
}


@pytest.mark.sweep
@pytest.mark.parametrize("size", [(720, 450), (320, 640)], ids=["1440x900-at-200-percent", "320"])
def test_no_kind_of_page_scrolls_sideways_or_loses_a_button(visit: Visit, size: tuple[int, int]) -> None:
    tutor = visit(viewport={"width": size[0], "height": size[1]})
    page = tutor.page
    for kind, address in KINDS.items():
        page.goto("about:blank")
        page.goto(f"{tutor.url}{address}")
        if "#step" in address:
            tutor.wait()
        expect(page.locator("main").first).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0], kind
        cut = page.evaluate("""() => [...document.querySelectorAll('header :is(button, a), .transport button, .tab')]
            .filter((each) => each.getClientRects().length && !each.matches('.skip'))
            .filter((each) => { const box = each.getBoundingClientRect(); return box.left < -0.5 || box.right > innerWidth + 0.5; })
            .map((each) => each.className)""")
        assert cut == [], kind
    tutor.complaints[:] = [each for each in tutor.complaints if "404" not in each]
    tutor.open("/lessons/data-hides-the-write#step=8")
    tutor.wait()
    for opened in ("Help", "Share"):
        page.locator("header").get_by_role("button", name=opened).last.click()
        box = page.get_by_role("dialog").bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= size[0], opened
        close = page.get_by_role("dialog").get_by_role("button", name="Close").first
        expect(close).to_be_in_viewport()
        close.click()
        expect(page.get_by_role("dialog")).to_have_count(0)


@by_look((390, 844), (320, 640))
def test_a_run_shows_at_once_what_is_wrong_and_its_card_is_a_tap_away(visit: Visit, look: Look) -> None:
    tutor = visit(**look, has_touch=True, is_mobile=True)
    page = tutor.page
    tutor.open("/")
    page.locator(".code-pane .act").tap()
    tutor.wait()
    card = page.locator(".finding.error[open] summary")
    expect(card).to_be_in_viewport(ratio=1)
    told = page.locator(".story-pane .summary-part.warned")
    expect(told).to_be_in_viewport(ratio=1)
    expect(told).to_contain_text("1")
    sentence = told.inner_text()
    tutor.shoot(f"phone-found-{name_of(look)}")
    strip = page.locator(".right-of-tabs .summary-part")
    expect(strip).to_have_count(0)
    for pane in ("code", "graph", "memory"):
        page.locator(f"#tab-{pane}").tap()
        expect(strip).to_have_text(sentence)
        expect(strip).to_be_in_viewport(ratio=1)
        assert page.evaluate(OUTSIDE) == [] and page.evaluate(TOO_SMALL) == [] and page.evaluate(TOO_NARROW) == []
        assert violations(page) == []
        page.locator("body").press("Home")
        expect(page.locator(".position b")).to_contain_text("1")
        before = page.evaluate(FRAME)
        page.locator(".transport .next").tap()
        expect(page.locator(".position b")).to_contain_text("2")
        assert page.evaluate(FRAME) == before, "nothing moves between steps"
        strip.tap()
        expect(page.locator("#tab-story")).to_have_attribute("aria-selected", "true")
        expect(card).to_be_in_viewport(ratio=1)


def test_a_run_without_a_finding_shows_the_pane_shown_last_and_no_strip(visit: Visit) -> None:
    tutor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tutor.open("/")
    tutor.write("import torch\n\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n")
    tutor.page.locator(".code-pane .act").tap()
    tutor.wait()
    expect(tutor.page.locator("#tab-memory")).to_have_attribute("aria-selected", "true")
    expect(tutor.page.locator(".right-of-tabs .summary-part")).to_have_count(0)
