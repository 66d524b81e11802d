"""Corrected gradients are shown next to wrong gradients, also for links. If a gradient cannot be corrected, the page says why."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Held

WRONG = """import torch
x = torch.tensor([[1.0, 2.0]])
w1 = torch.tensor([[2.0], [1.0]], requires_grad=True)
w2 = torch.tensor([[3.0]], requires_grad=True)
d = x @ w1
f = d @ w2
d_ = d.data
d_[:] = 1
f.backward()
"""
ROWS = [["w2.grad", "≠ [[1.]]", "[[4.]]"], ["w1.grad", "[[3.], [6.]]", "the same"]]


def test_it_comes_after_the_document_into_the_room_that_is_there(visit: Visit) -> None:
    tutor = visit()
    held = Held(tutor.page, "**/api/v1/right")
    tutor.open()
    tutor.write(WRONG)
    with tutor.page.expect_request("**/api/v1/right"):
        tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    card = page.locator(".finding.error .corrected")
    expect(card).to_have_attribute("aria-busy", "true")
    source = page.locator(".finding.error .after").first
    expect(source).to_contain_text("a second run with the same seed, in which the backward on line 9 reads the saved values")
    expect(card.locator("tbody tr")).to_have_text([re.compile("…"), re.compile("…")])
    before, height = tutor.positions(), card.evaluate("card => card.offsetHeight")
    held.wait().continue_()
    expect(card).to_have_attribute("aria-busy", "false")
    assert [row.locator("th, td").all_inner_texts() for row in card.locator("tbody tr").all()] == ROWS
    assert card.evaluate("card => card.offsetHeight") == height, "what can be done about it stays where it is"
    assert tutor.positions() == before
    assert violations(page) == []
    tutor.shoot("right")
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(card.locator("tbody tr")).to_have_count(2)
    assert len(held) == 1, "it is asked for once"


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_link_shows_it_too(visit: Visit, locale: str) -> None:
    tutor = visit(locale=locale)
    made = tutor.page.request.post(f"{tutor.url}/api/v1/snippets", data={"source": WRONG})
    tutor.open(f"{made.json()['url']}#step=99")
    tutor.wait()
    row = tutor.page.locator(".finding.error .corrected tbody tr").first
    expect(row).to_contain_text("[[4.]]")
    assert row.locator("th, td").all_inner_texts() == ROWS[0]


def test_where_it_is_unknown_a_sentence_says_why_and_a_new_run_hangs_up(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    page.route("**/api/v1/right", lambda route: route.fulfill(json={"kind": "unknown", "reason": "hooks"}))
    tutor.open()
    tutor.write(WRONG)
    tutor.run()
    page.keyboard.press("End")
    expect(page.locator(".corrected")).to_contain_text("was saved by hooks of the snippet")
    page.unroute("**/api/v1/right")
    Held(page, "**/api/v1/right")
    tutor.edit()
    with page.expect_request("**/api/v1/right"):
        tutor.write(WRONG + "# again\n")
        tutor.run()
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/api/v1/right")):
        tutor.edit()
        tutor.write("import torch\n")
        tutor.run()
    expect(page.locator(".corrected")).to_have_count(0)
