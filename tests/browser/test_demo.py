"""The animated example on the start page shows a write, a stale saved tensor, and the flow of the wrong gradient."""

import gzip
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.poster import LANGUAGES, drawn, look, path_of

MOST_BYTES = 6 * 1024
READ = """() => [...document.querySelectorAll('.demo:not(.poster) .demo-caption p')].map((line) => line.innerText)"""


PLAYER = ".demo:not(.poster)"


def test_where_less_motion_is_preferred_the_poster_stays_in_the_language_of_the_page(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    page.clock.install()
    tutor.open()
    page.clock.run_for(3000)
    poster = page.locator(".start-demo")
    expect(poster).to_contain_text("STALE")
    expect(poster).to_contain_text("Wrong gradients without an error")
    assert page.locator(PLAYER).count() == 0
    page.get_by_role("button", name="中文").click()
    expect(poster).to_contain_text("第 11 行")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_poster_is_what_the_page_plays_and_small(visit: Visit, language: str) -> None:
    kept = path_of(language).read_text("utf-8")
    tutor = visit(is_new=True, **look(language))
    assert drawn(tutor) == kept, "make poster"
    boxes = tutor.page.locator(".demo").evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().toJSON())")
    assert len(boxes) == 2 and boxes[0] == boxes[1], "nothing jumps where the player takes its place"
    expect(tutor.page.locator(".poster")).to_be_hidden()
    assert len(gzip.compress(kept.encode())) <= MOST_BYTES


def test_it_plays_in_a_loop_until_it_is_paused(visit: Visit) -> None:
    tutor = visit(is_new=True, reduced_motion="no-preference")
    page = tutor.page
    page.clock.install()
    tutor.open()
    page.clock.run_for(2000)
    expect(page.locator(f"{PLAYER} .demo-caption")).to_be_visible()
    first = page.evaluate(READ)
    assert "line 11" in first[0]
    lines = [first[0], *(_next(page) for _ in range(4)), _next(page, 3050)]
    assert [re.findall(r"line (\d+)", line) for line in lines] == [["11"], ["12"], ["12"], ["12"], ["12"], ["9"]]
    page.clock.run_for(1450)
    expect(page.locator(f"{PLAYER} .demo-caption")).to_contain_text("line 11")
    page.locator(PLAYER).get_by_role("button", name="Pause").click()
    page.clock.run_for(9000)
    assert page.evaluate(READ) == first


def _next(page: Page, after_ms: int = 1450) -> str:
    """Go to the next step, and return the line that the page highlights."""
    before = page.evaluate(READ)
    page.clock.run_for(after_ms)
    page.wait_for_function(f"(before) => JSON.stringify(({READ})()) !== JSON.stringify(before)", arg=before)
    [line, _] = page.evaluate(READ)
    return str(line)


def test_a_run_takes_its_place(visit: Visit) -> None:
    tutor = visit(is_new=True, reduced_motion="no-preference")
    tutor.open()
    expect(tutor.page.locator(f"{PLAYER} .demo-caption")).to_be_visible()
    tutor.run()
    expect(tutor.page.locator(".demo")).to_have_count(0)
