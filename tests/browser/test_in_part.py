"""If the findings of a run are incomplete, the page says so next to them."""

import pytest
from playwright.sync_api import Route, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit

STALE = """import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


@pytest.mark.parametrize(("locale", "said"), [("en-US", "3 checks did not finish"), ("zh-CN", "有 3 项检查没有完成")])
def test_a_run_that_is_explained_in_part_says_so(visit: Visit, locale: str, said: str) -> None:
    tutor = visit(locale=locale)
    made = tutor.page.request.post(f"{tutor.url}/api/v1/snippets", data={"source": STALE})

    def cut(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["document"]["unfinished"] = 3
        route.fulfill(response=answer, json=body)

    tutor.open(f"{made.json()['url']}#step=99")
    tutor.wait()
    expect(tutor.page.locator(".finding")).to_have_count(1)
    expect(tutor.page.locator(".in-part")).to_have_count(0)
    tutor.page.route("**/api/v1/snippets/*", cut)
    tutor.page.reload()
    tutor.wait()
    expect(tutor.page.locator(".story .in-part")).to_contain_text(said)
    expect(tutor.page.locator(".finding")).to_have_count(1)
    assert violations(tutor.page) == []
