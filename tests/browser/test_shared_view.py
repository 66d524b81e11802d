"""A link can contain the view of its creator: zoom, folded groups, pinned tensors and language. Visitors can change it."""

from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.browser.test_graph import ROUNDS, open_rounds
from tests.web.server import hosted, running

STORED = "() => [{...localStorage}, {...sessionStorage}]"
FOLDS = """() => {
    const keys = (which) => [...document.querySelectorAll(`.picture ${which}`)].map((box) => box.dataset.fold ?? box.dataset.group);
    return {folded: keys('[data-fold]').sort(), open: keys('.group-frame').sort()};
}"""
SCALE = "() => document.querySelector('.graph .node').getBoundingClientRect().width"


def folds(page: Page) -> dict[str, Any]:
    """Return the keys of the folded groups and of the open groups."""
    found: dict[str, Any] = page.evaluate(FOLDS)
    return found


def choose(page: Page, name: str, button: str) -> None:
    """Select a variable in Memory, and press a button on its card."""
    page.locator(f'.memory [data-name="{name}"]').first.click()
    page.get_by_role("button", name=button, exact=True).click()


def seen_by(tutor: Tutor) -> str:
    """Return a link to the current step that includes the view."""
    page = tutor.page
    page.locator(".header .share").click()
    page.get_by_role("checkbox", name="保持我现在看到的样子").check()
    link = page.get_by_role("textbox", name="链接", exact=True).input_value()
    page.keyboard.press("Escape")
    return link.removeprefix(tutor.url)


def test_a_fresh_browser_shows_the_step_as_its_sharer_saw_it(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    page.keyboard.press("End")
    for number in (11, 4):
        page.locator(".node.group").nth(number).click()
    expect(page.locator(".group-frame")).to_have_count(2)
    choose(page, "loss", "Pin it on top, or unpin it (k)")
    choose(page, "h", "Hide it (h)")
    page.get_by_role("button", name="Larger (+)").click()
    page.get_by_role("button", name="Larger (+)").click()
    page.get_by_role("button", name="中文").click()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".position b")).to_contain_text("步")
    link = seen_by(tutor)
    assert "step=" in link and "lang=zh-CN" in link and "zoom=" in link and "pin=loss" in link and "hide=h" in link

    other = visit(viewport=page.viewport_size)  # in a window of another size, the default scale would differ
    other.open("/")
    stored = other.page.evaluate(STORED)
    other.open(link)
    other.wait()
    expect(other.page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(other.page.locator(".position b")).to_have_text(page.locator(".position b").inner_text())
    expect(other.page.locator(".story")).to_have_text(page.locator(".story").inner_text(), use_inner_text=True)
    wide = page.evaluate(SCALE)
    other.page.wait_for_function(f"() => Math.abs(({SCALE})() - {wide}) < 1")
    assert folds(other.page) == folds(page)
    assert other.positions() == tutor.positions()
    now = other.page.evaluate(STORED)
    for kept, before in zip(now, stored, strict=True):
        for name in ("language", "walk", "wishes", "text", "size"):
            assert kept.get(f"stepgrad.{name}") == before.get(f"stepgrad.{name}")
    other.open("/")
    expect(other.page.locator("html")).to_have_attribute("lang", "en")


def test_after_the_server_was_killed_a_fresh_browser_shows_the_same_picture_at_the_same_step(browser: Browser) -> None:
    with running() as server:
        tutor = Tutor(browser, server.url)
        tutor.open("/lessons/data-hides-the-write")
        tutor.run()
        tutor.step_to(8)
        link = tutor.share().removeprefix(server.url)
        shown = tutor.positions(), tutor.picture(), tutor.page.locator(".story").inner_text()
        server.kill()
        tutor.context.close()
        with hosted(data=str(server.data)) as again:
            other = Tutor(browser, again.url)
            other.open(link)
            other.wait()
            other.at_step(8)
            expect(other.page.locator(".story")).to_have_text(shown[2], use_inner_text=True)
            assert (other.positions(), other.picture()) == shown[:2]
            assert other.complaints == []
            other.context.close()


HOSTILE = (
    "lang=%3Cscript%3E&zoom=1e999&folds=__proto__&open=c1,&rows=-&pin=%3Cimg%20src%3Dx%20onerror%3D%22window.owned%3D1%22%3E",
    "lang=zh-TW&lang=zh-CN&zoom=NaN&open=" + "r0." + "9" * 5000 + "&hide=" + "x" * 100_000,
    "zoom=-5&open=c99,m98.7&rows=lr0.1&folds=all&pin=" + "&pin=".join(str(number) for number in range(5000)),
    "zoom=0.0000001&open=%00&rows=%FF%FE&pin=%ED%A0%80&hide=constructor&step=-3&by=%00&on=gpu",
)


def test_what_an_address_says_that_cannot_be_is_left_out(visit: Visit) -> None:
    tutor = open_rounds(visit)
    link = tutor.share().removeprefix(tutor.url)
    shown, where = folds(tutor.page), tutor.positions()
    for hostile in HOSTILE:
        other = visit()
        other.open(f"{link}&{hostile}")
        other.wait()
        expect(other.page.locator(".position b")).to_have_text(tutor.page.locator(".position b").inner_text())
        assert folds(other.page) == shown
        assert other.positions() == where
        assert other.page.evaluate("window.owned") is None
        assert other.complaints == []
        other.page.close()


def test_a_link_that_holds_the_code_shows_its_first_run_so(visit: Visit) -> None:
    tutor = visit(locale="zh-CN")
    page = tutor.page
    tutor.open("/")
    tutor.write(ROUNDS)
    page.locator(".code-pane").get_by_role("button", name="运行").click()
    tutor.wait_for_new()
    page.keyboard.press("End")
    page.locator(".node.group").nth(5).click()
    expect(page.locator(".group-frame")).to_have_count(1)
    page.locator(".header .share").click()
    page.get_by_role("checkbox", name="保持我现在看到的样子").check()
    page.get_by_text("自带代码的链接").click()
    link = page.get_by_label("自带代码的链接").input_value()
    page.keyboard.press("Escape")
    shown = folds(page)
    other = visit()
    other.open(link.removeprefix(tutor.url))
    expect(other.page.locator(".notice")).to_contain_text("这段代码来自链接，还没有运行过。")
    other.page.locator(".code-pane").get_by_role("button", name="运行").click()
    other.wait_for_new()
    other.page.wait_for_function(
        "count => document.querySelectorAll('.picture .group-frame').length === count", arg=len(shown["open"])
    )
    assert folds(other.page) == shown
