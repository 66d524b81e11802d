"""How a question to a room looks: nothing moves on the projector but what is asked, and every screen and theme holds it."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import test_rooms
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.test_polls import SEARCHED, WRITTEN, answer, ask, lesson
from tests.browser.test_rooms import PHONE, join, projected
from tests.browser.test_small import OUTSIDE

server = test_rooms.server

PANES = """() => Object.fromEntries(['code', 'story', 'graph', 'memory', 'output'].map((name) => {
    const {x, y, width, height} = document.querySelector(`.${name}-pane`)?.getBoundingClientRect() ?? {};
    return [name, [x, y, width, height].map((each) => Math.round(each ?? -1))];
}))"""


def panes(page: Page) -> Any:
    """Where the panes are, in px."""
    return page.evaluate(PANES)


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1024, 768)])
@pytest.mark.parametrize(("source", "step", "words"), [(WRITTEN, 3, "Which cell will hold"), (SEARCHED, 8, "Search backwards")])
def test_the_panes_of_the_projector_stay_from_the_question_to_the_step_after(
    visit: Visit, width: int, height: int, source: str, step: int, words: str
) -> None:
    teacher, student = visit(), visit()
    join(student, lesson(teacher, source, step))
    window = projected(teacher)
    page = window.page
    page.set_viewport_size({"width": width, "height": height})
    window.front()
    window.shoot(f"poll-jump-{width}-{step}-0-before")
    before = panes(page)
    ask(teacher, words)
    window.front()
    expect(page.locator(".question.poll")).to_be_visible()
    window.shoot(f"poll-jump-{width}-{step}-1-asked")
    asked = panes(page)
    page.keyboard.press("v")
    expect(page.locator(".poll-hidden")).to_have_count(0)
    window.shoot(f"poll-jump-{width}-{step}-2-live")
    live = panes(page)
    page.keyboard.press("r")
    expect(page.locator(".answer-result.poll")).to_be_visible()
    window.shoot(f"poll-jump-{width}-{step}-3-revealed")
    revealed = panes(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".answer-result.poll")).to_have_count(0)
    window.shoot(f"poll-jump-{width}-{step}-4-after")
    assert [before, asked, live, revealed, panes(page)] == [before] * 5
