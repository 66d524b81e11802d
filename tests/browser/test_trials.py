"""The server tries out suggested fixes. A fix that works has a button; another is shown as advice or offers "Try it"."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look
from tests.browser.page import FONTS_ARE_HERE, Held, Tutor

WORKS = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.mul_(2)
y.sum().backward()
"""
FAILS = """import torch
w = torch.ones(2, requires_grad=True)
w += 1
print(w.nothing)
"""
MANY = "import torch\n" + "".join(
    f"w{n} = torch.ones(2, requires_grad=True)\nh{n} = w{n} * 2\nz{n} = (h{n} * h{n}).sum()\nh{n}.data.mul_(2)\nz{n}.backward()\n"
    for n in range(4)
)
PLACES = """() => [...document.querySelectorAll('.story, .story > *, .finding > *, .fix, .fix > *')].map((element) => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return [element.tagName, x, y, width, height].join(' ');
})"""


def ran(tutor: Tutor, source: str) -> Locator:
    """Run a snippet, go to its last step, and return the suggested fixes."""
    tutor.open()
    tutor.write(source)
    tutor.page.locator(".code-pane .act.primary").click()  # the selector works in any language
    tutor.wait_for_new()
    tutor.page.keyboard.press("End")
    return tutor.page.locator(".finding[open] .fix")


def places(page: Page) -> Any:
    """Return the positions of the elements in the explanation pane, after the fonts have loaded."""
    page.wait_for_function(FONTS_ARE_HERE)
    return page.evaluate(PLACES)


@by_look((1440, 900), (1024, 768), (1920, 1080))
def test_one_that_works_gets_its_buttons_in_the_place_that_was_kept(visit: Visit, look: Look) -> None:
    tutor = visit(**look)
    page = tutor.page
    held = Held(page, "**/api/v1/trials")
    with page.expect_request("**/api/v1/trials"):
        fixes = ran(tutor, WORKS)
    expect(fixes.first).to_have_class("fix pending")
    expect(fixes.first).to_contain_text("Trying it" if look["locale"] == "en-US" else "正在尝试")
    expect(fixes.locator("button")).to_have_count(0)
    assert violations(page) == []
    before = places(page)
    held.wait().continue_()
    first = page.locator(".finding[open] .fix.works").first
    expect(first).to_contain_text("Tested: this fix works." if look["locale"] == "en-US" else "试过了，能修好这一处。")
    assert places(page) == before
    assert violations(page) == []
    tutor.shoot(f"trials-{look['viewport']['width']}-{look['color_scheme']}")
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(first).to_be_visible()
    assert len(held) == 1, "it is asked once"
    first.get_by_role("button").first.press("Enter")
    expect(page.locator(".keep-fix")).to_be_focused()
    expect(page.locator(".verdict.of-right .well")).to_be_visible()
    assert violations(page) == []
    page.locator(".header .back").press("Enter")
    tutor.wait_for_new()
    expect(page.locator(".finding")).to_have_count(0)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_one_that_fails_is_advice_without_a_button_on_a_link_too(visit: Visit, locale: str) -> None:
    tutor = visit(locale=locale)
    page = tutor.page
    made = page.request.post(f"{tutor.url}/api/v1/snippets", data={"source": FAILS})
    held = Held(page, "**/trials")
    with page.expect_request(re.compile(r"/api/v1/snippets/\w+/trials$")):
        tutor.open(f"{made.json()['url']}#step=99")
        tutor.wait()
    fixes = page.locator(".finding[open] .fix")
    expect(fixes).to_have_class("fix pending")
    before = places(page)
    held.wait().continue_()
    expect(fixes).to_have_class("fix fails")
    words = "Tested: this fix does not repair the program." if locale == "en-US" else "试过了，不能修好这个程序。"
    expect(fixes).to_contain_text(words)
    expect(fixes.locator("button")).to_have_count(0)
    assert places(page) == before
    assert violations(page) == []


def test_one_that_was_not_tried_is_tried_beside_the_run(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    last = ran(tutor, MANY).first
    expect(last).to_have_class("fix untried")
    expect(last).to_contain_text("Not tried yet.")
    before = places(page)
    held = Held(page, "**/api/v1/trials")
    with page.expect_request("**/api/v1/trials"):
        last.get_by_role("button", name=re.compile("^Try it: ")).press("Enter")
    verdict = page.locator(".verdict.of-right").get_by_role("status")
    expect(verdict).to_have_text("Trying it …")
    height = page.locator(".verdicts").evaluate("verdicts => verdicts.offsetHeight")
    held.wait().continue_()
    expect(verdict).to_have_text("Tested: this fix works.")
    assert page.locator(".verdicts").evaluate("verdicts => verdicts.offsetHeight") == height
    assert violations(page) == []
    tutor.shoot("trials-compared")
    page.keyboard.press("F2")
    expect(last).to_have_class("fix works")
    assert places(page) == before
    assert len(held) == 1


def test_a_new_run_hangs_up_and_no_answer_means_untried(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    held = Held(page, "**/api/v1/trials")
    with page.expect_request("**/api/v1/trials"):
        fixes = ran(tutor, WORKS)
    tutor.edit()
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/api/v1/trials")):
        tutor.write(FAILS)
        tutor.run()
    page.keyboard.press("End")
    expect(fixes).to_have_class("fix pending")
    held.wait(2).abort()
    expect(fixes).to_have_class("fix untried")
    expect(fixes.get_by_role("button")).to_have_text("Try it")
    tutor.expect_no_complaint_but("net::ERR_FAILED")
