"""Why a value is what it is: the chain from the selection back through backward."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor


def ask(tutor: Tutor, name: str) -> None:
    """Select a name in Memory and press the key."""
    tutor.page.locator(".memory [data-label]").filter(has_text=re.compile(f"^{name}$")).first.click()
    expect(tutor.page.locator(".changes-bar")).to_be_visible()
    tutor.page.keyboard.press("Y")


def test_a_wrong_gradient_leads_back_to_the_line_that_wrote(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open()
    tutor.run()
    page.locator("body").press("End")
    ask(tutor, "w2")
    why = page.locator(".why")
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad [1.]?")
    expect(why.locator("li")).to_have_count(4)
    expect(why.locator("li").nth(1)).to_contain_text("selfᵀ @ grad")
    expect(why.locator("li").nth(2)).to_contain_text("self = d was [[4.]] when it was saved. Line 11 has changed it to [[1.]]")
    why.locator("li").nth(2).hover()
    expect(page.locator(".graph [data-saved].highlighted")).to_have_count(1)
    why.locator("li").nth(2).get_by_role("button").click()
    tutor.at_step(8)
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad [1.]?")
    expect(why.locator("li").nth(2).get_by_role("button")).to_have_attribute("aria-current", "step")
    page.keyboard.press("Y")
    expect(why).to_have_count(0)
    page.get_by_role("button", name="Why?").click()
    expect(why.get_by_role("heading")).to_have_text("Why is w2.grad None?")
    why.get_by_role("button", name="Close").click()
    expect(why).to_have_count(0)


def test_it_is_answered_in_chinese(visit: Visit) -> None:
    tutor = visit(locale="zh-CN")
    tutor.open()
    tutor.page.keyboard.press("Control+Enter")
    tutor.wait_for_new()
    tutor.page.locator("body").press("End")
    ask(tutor, "f")
    why = tutor.page.locator(".why")
    expect(why.get_by_role("heading")).to_have_text("f 为什么是 [12.]？")
    expect(why.locator("li").first).to_contain_text("第 9 行")
