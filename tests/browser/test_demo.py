"""The start page plays the first example: its writes, what becomes stale, and the path of the wrong gradient."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit

READ = """() => [...document.querySelectorAll('.demo-caption p')].map((line) => line.innerText)"""


def test_nothing_plays_where_less_motion_is_preferred(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    expect(tutor.page.locator(".start")).to_be_visible()
    assert tutor.page.locator(".start-demo").count() == 0


def test_it_plays_in_a_loop_until_it_is_paused(visit: Visit) -> None:
    tutor = visit(is_new=True, reduced_motion="no-preference")
    page = tutor.page
    page.clock.install()
    tutor.open()
    page.clock.run_for(2000)
    expect(page.locator(".demo-caption")).to_be_visible()
    first = page.evaluate(READ)
    assert "line 9" in first[0]
    lines = [first[0], *(_next(page) for _ in range(5))]
    assert [re.findall(r"line (\d+)", line) for line in lines] == [["9"], ["11"], ["12"], ["12"], ["12"], ["12"]]
    page.clock.run_for(3100)
    expect(page.locator(".demo-caption")).to_contain_text("line 9")
    page.locator(".demo").get_by_role("button", name="Pause").click()
    page.clock.run_for(9000)
    assert page.evaluate(READ) == first


def _next(page: Page) -> str:
    """Go to the next step, and return its line."""
    before = page.evaluate(READ)
    page.clock.run_for(1450)
    page.wait_for_function(f"(before) => JSON.stringify(({READ})()) !== JSON.stringify(before)", arg=before)
    [line, _] = page.evaluate(READ)
    return str(line)


def test_a_run_takes_its_place(visit: Visit) -> None:
    tutor = visit(is_new=True, reduced_motion="no-preference")
    tutor.open()
    expect(tutor.page.locator(".demo-caption")).to_be_visible()
    tutor.run()
    expect(tutor.page.locator(".demo")).to_have_count(0)
