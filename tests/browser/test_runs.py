"""The page while a run is in progress: its status, the Stop button, and recovery from failures."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look, name_of
from tests.browser.page import Tutor
from tests.browser.test_page import TOO_SMALL
from tests.web.server import running

ENDLESS = """\
import time
import torch
total = torch.zeros(2)
while True:
    total.add_(1)
    time.sleep(0.01)
"""

WATCH = """() => {
    window.seen = [];
    const note = () => {
        if (document.querySelector('.notice')) window.seen.push('notice');
        if (document.querySelector('.act.stop')) window.seen.push('stop');
        if (document.querySelector('.app.running')) window.seen.push('dim');
    };
    new MutationObserver(note).observe(document.body, {subtree: true, childList: true, attributes: true});
}"""


def test_an_endless_loop_is_stopped_and_shows_its_steps(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(ENDLESS)
    page = tutor.page
    before = tutor.boxes()
    tutor.begin()
    expect(page.locator(".notice.progress")).to_contain_text("Running: line ")
    count = page.locator(".notice .count")
    expect(count).to_have_text(re.compile("^[1-9][0-9]* operators? so far$"))
    expect(count).not_to_have_text(count.inner_text())
    expect(page.locator(".visually-hidden[role=status][aria-live]")).to_have_text("The snippet is running. Escape stops it.")
    assert tutor.boxes() == before, "nothing moves when a run begins"
    stop = page.locator(".code-pane").get_by_role("button", name="Stop")
    expect(stop).to_be_focused()
    tutor.shoot("running")
    stop.click()
    tutor.wait()
    expect(page.locator(".end.stopped")).to_contain_text("The run was stopped")
    expect(page.locator(".notice")).to_have_count(0)
    assert int(page.locator(".slider").get_attribute("max") or 0) > 5
    assert tutor.version("total") != "v0"
    page.keyboard.press("Home")
    expect(page.locator(".position b")).to_have_text("Step 1")


@pytest.mark.parametrize("key", ["Escape", "Control+Enter"])
def test_a_run_is_stopped_by_keyboard_whether_one_is_shown_or_not(visit: Visit, key: str) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(ENDLESS)
    tutor.page.keyboard.press("Control+Enter")
    expect(tutor.page.locator(".notice .count")).to_be_visible()
    tutor.page.keyboard.press(key)
    expect(tutor.page.locator(".end.stopped")).to_be_visible()
    tutor.page.keyboard.press("Control+Enter")
    expect(tutor.page.locator(".notice .count")).to_be_visible()
    tutor.page.keyboard.press("Home")
    tutor.page.keyboard.press(key)
    expect(tutor.page.locator(".position b")).not_to_have_text("Step 1")
    expect(tutor.page.locator(".end.stopped")).to_be_visible()


def test_of_a_quick_run_nothing_is_said(visit: Visit) -> None:
    """The page's clock stands still, so that even a run on a busy machine counts as quick."""
    tutor = visit()
    page = tutor.page
    page.clock.install()
    tutor.open("/lessons/data-hides-the-write")
    tutor.stop_clock()
    page.evaluate(WATCH)
    page.locator(".code-pane").get_by_role("button", name="Run").click()
    expect(page.get_by_role("button", name="Edit")).to_be_visible()
    assert page.evaluate("() => window.seen") == []

    page.clock.resume()
    tutor.edit()
    tutor.write(ENDLESS)
    tutor.stop_clock()
    page.locator(".code-pane").get_by_role("button", name="Run").click()
    page.clock.run_for(299)
    assert page.evaluate("() => window.seen") == []
    page.clock.run_for(1)
    expect(page.locator(".notice.progress")).to_be_visible()
    assert page.evaluate("() => new Set(window.seen).size") == 3


def test_two_tabs_of_one_visitor_and_a_third_that_is_refused(visit: Visit) -> None:
    first = visit()
    second, third, fourth = (first.another_tab() for _ in range(3))
    third.page.clock.install()
    for tutor in (first, second, third, fourth):
        tutor.open("/")
        tutor.write(ENDLESS)
    first.begin()
    second.begin()
    expect(second.page.locator(".notice.progress")).to_have_text("Waiting: you are next")
    second.shoot("waiting")

    before = third.boxes()
    third.front()
    third.stop_clock()
    third.page.locator(".code-pane").get_by_role("button", name="Run").click()
    expect(third.page.get_by_role("alert")).to_contain_text("Two of your runs are already running or waiting")
    retry = third.page.locator(".retry")
    expect(retry).to_be_disabled()
    expect(retry).to_have_text(re.compile(r"^Try again in \d+ s$"))
    assert third.boxes() == before, "nothing moves when a run is refused"
    asked: list[str] = []
    third.page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    third.page.keyboard.press("Control+Enter")
    third.page.get_by_role("button", name="Close").click()
    third.page.locator(".code-pane").get_by_role("button", name="Run").click()
    expect(retry).to_be_disabled()
    assert asked == [], "nothing is asked before its time"
    third.page.clock.resume()
    third.shoot("refused")
    third.page.clock.fast_forward(70_000)
    expect(retry).to_have_text("Try again")
    assert asked == [], "and nothing by itself"

    second.front().get_by_role("button", name="Stop").click()
    expect(second.page.locator(".notice")).to_have_text("The run was stopped before it started.")
    expect(second.page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    third.front()
    retry.click()
    expect(third.page.locator(".notice.progress")).to_have_text("Waiting: you are next")
    first.front().get_by_role("button", name="Stop").click()
    expect(first.page.locator(".end.stopped")).to_be_visible()
    expect(third.page.locator(".notice.progress")).to_contain_text("Running")
    third.page.close()
    fourth.write("import torch\n")
    fourth.run()
    first.expect_no_complaint_but("429")


def leave_by_closing(tutor: Tutor) -> None:
    tutor.page.close()


def leave_by_going_elsewhere(tutor: Tutor) -> None:
    tutor.page.goto("about:blank")


def leave_by_a_lesson(tutor: Tutor) -> None:
    tutor.front().get_by_role("link", name="Lessons", exact=True).click()
    expect(tutor.page).to_have_url(f"{tutor.url}/lessons")


@pytest.mark.parametrize("leave", [leave_by_closing, leave_by_going_elsewhere, leave_by_a_lesson])
def test_who_leaves_cancels_the_run(visit: Visit, leave: Callable[[Tutor], None]) -> None:
    tutor = visit()
    other = tutor.another_tab()
    for tab in (tutor, other):
        tab.open("/")
        tab.write(ENDLESS)
    tutor.begin()
    other.begin()
    expect(other.page.locator(".notice.progress")).to_have_text("Waiting: you are next")
    leave(tutor)
    expect(other.page.locator(".notice.progress")).to_contain_text("Running")


def test_a_server_that_dies_leaves_what_was_on_the_screen(browser: Browser) -> None:
    with running() as server:
        tutor = Tutor(browser, server.url)
        tutor.open("/lessons/data-hides-the-write")
        tutor.run()
        picture = tutor.picture()
        tutor.edit()
        tutor.write(ENDLESS)
        tutor.begin()
        server.kill()
        expect(tutor.page.get_by_role("alert")).to_have_text("The connection broke before the run ended: try again.")
        assert tutor.picture() == picture
        expect(tutor.page.locator(".timeline")).to_be_visible()
        expect(tutor.page.locator(".cm-content")).to_contain_text("total.add_(1)")
        tutor.shoot("broken")
        tutor.page.get_by_role("button", name="Try again").click()
        expect(tutor.page.get_by_role("alert")).to_have_text(
            "The server cannot be reached: check the connection and try again."
        )
        assert tutor.picture() == picture
        tutor.expect_no_complaint_but("ERR_")
        assert tutor.complaints == []
        tutor.context.close()


def test_a_server_without_its_sandbox_says_so_and_may_be_asked_again(visit: Visit) -> None:
    tutor = visit(locale="zh-CN")
    tutor.open("/")
    answer = {"error": "sandbox_unavailable", "message": "The zygote died.", "hint": "Wait."}

    def refuse(route: Route) -> None:
        route.fulfill(status=503, headers={"Retry-After": "5"}, content_type="application/json", body=json.dumps(answer))

    tutor.page.clock.install()
    tutor.page.route("**/api/v1/traces", refuse)
    tutor.page.locator(".code-pane .act").click()
    expect(tutor.page.get_by_role("alert")).to_have_text("服务器现在无法运行代码：请稍后再试。")
    expect(tutor.page.locator(".retry")).to_have_text(re.compile("^[5-9] 秒后可再试$"))
    tutor.page.unroute("**/api/v1/traces")
    tutor.page.clock.fast_forward(10_000)
    tutor.page.locator(".retry").click()
    tutor.wait()
    tutor.expect_no_complaint_but("503")


def test_a_link_that_was_refused_is_tried_again(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write")
    tutor.run()
    link = tutor.share()
    other = visit()
    other.page.route("**/api/v1/snippets/*", lambda route: route.fulfill(status=503, json={"error": "sandbox_unavailable"}))
    other.open(link.removeprefix(tutor.url))
    expect(other.page.get_by_role("alert")).to_contain_text("The server cannot run snippets right now")
    other.page.unroute("**/api/v1/snippets/*")
    other.page.get_by_role("button", name="Try again").click()
    other.wait()
    expect(other.page.locator(".cm-content")).to_contain_text("d_[:] = 1")
    other.expect_no_complaint_but("503")


def test_a_key_held_down_is_one_press(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write")
    asked: list[str] = []
    tutor.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/api/v1/traces") else None)
    for place in (".cm-content", ".brand"):
        asked.clear()
        if place == ".brand":
            tutor.edit()
        tutor.page.locator(place).focus()
        tutor.page.keyboard.down("Control")
        for _ in range(5):
            tutor.page.keyboard.down("Enter")
        tutor.page.keyboard.up("Enter")
        tutor.page.keyboard.up("Control")
        tutor.wait_for_new()
        assert len(asked) == 1, place


def test_the_page_says_what_may_be_imported(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    line = tutor.page.locator(".imports")
    expect(line).to_have_text("Snippets can import the standard library, torch and numpy.")
    tutor.page.get_by_role("button", name="中文").click()
    expect(line).to_have_text("代码可以导入标准库、torch 和 numpy。")


@pytest.mark.sweep
@by_look((1440, 900), (1024, 768), (1920, 1080), (360, 740))
def test_it_looks_right(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    tabs = [tutor, tutor.another_tab(), tutor.another_tab()]
    for tab in tabs:
        tab.open("/lessons/data-hides-the-write#step=8")
        tab.wait()
        tab.front()
        tab.show("code")
        tab.page.locator(".code-pane .act").click()
        tab.write(ENDLESS)
    for tab, awaited in zip(tabs, (".notice .count:has-text('1')", ".notice.progress", ".notice.failure"), strict=True):
        before = tab.boxes()
        tab.front().locator(".code-pane .act").click()
        expect(tab.page.locator(awaited)).to_be_in_viewport()
        assert {key: box for key, box in tab.boxes().items() if before.get(key) != box} == {}
        assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert tab.page.evaluate(TOO_SMALL) == []
    for tab, state in zip(tabs, ("running", "waiting", "refused"), strict=True):
        tab.front()
        tab.shoot(f"{state}-{name_of(look)}")
    tutor.front().locator(".code-pane .act").click()
    expect(tutor.page.locator(".end.stopped")).to_be_visible()
    tutor.shoot(f"stopped-{name_of(look)}")
    tutor.expect_no_complaint_but("429")
