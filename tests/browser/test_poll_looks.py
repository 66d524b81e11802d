"""The layout of a poll in a room: it fits every screen and theme, and no other element moves on the projector."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.test_polls import SEARCHED, WRITTEN, answer, ask, lesson
from tests.browser.test_rooms import PHONE, join, projected
from tests.browser.test_small import OUTSIDE

PANES = """() => Object.fromEntries(['code', 'story', 'graph', 'memory', 'output'].map((name) => {
    const {x, y, width, height} = document.querySelector(`.${name}-pane`)?.getBoundingClientRect() ?? {};
    return [name, [x, y, width, height].map((each) => Math.round(each ?? -1))];
}))"""
"""Returns the positions and sizes of the panes in CSS pixels."""


@pytest.mark.sweep
@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1024, 768)])
@pytest.mark.parametrize(
    ("source", "step", "words"), [(WRITTEN, 3, "Which cell will change"), (SEARCHED, 8, "Search backwards")]
)
def test_the_panes_of_the_projector_stay_from_the_question_to_the_step_after(
    visit: Visit, width: int, height: int, source: str, step: int, words: str
) -> None:
    teacher = visit()
    lesson(teacher, source, step)
    window = projected(teacher)
    page = window.page
    page.set_viewport_size({"width": width, "height": height})
    window.front().reload()  # updates the layout for the new window size now, so that it does not count as a move later
    window.wait()
    window.at_step(step)
    ask(teacher, words)
    window.front()
    expect(page.locator(".question.poll")).to_be_visible()
    seen = {}

    def look(name: str) -> None:
        window.shoot(f"poll-panes-{width}-{step}-{name}")
        seen[name] = page.evaluate(PANES)

    look("asked")
    page.keyboard.press("v")
    expect(page.locator(".poll-hidden")).to_have_count(0)
    look("live")
    teacher.front().keyboard.press("y")
    teacher.page.keyboard.type("5")
    teacher.page.keyboard.press("Enter")
    window.front()
    expect(page.locator(".poll-bars .poll-votes").first).to_have_text("5")
    look("voted")
    page.keyboard.press("r")
    expect(page.locator(".answer-result.poll")).to_be_visible()
    look("revealed")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    expect(page.locator(".answer-result.poll")).to_have_count(0)
    look("elsewhere")
    assert seen == dict.fromkeys(seen, seen["asked"])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("source", "step", "words"), [(WRITTEN, 3, "Which cell will change"), (SEARCHED, 8, "Search backwards")]
)
def test_a_question_in_the_dark(visit: Visit, source: str, step: int, words: str) -> None:
    name = words.split(maxsplit=1)[0].lower()
    teacher = visit(color_scheme="dark", viewport={"width": 1024, "height": 768})
    desk = visit(color_scheme="dark", viewport={"width": 1024, "height": 768})
    phone = visit(color_scheme="dark", **PHONE)
    code = lesson(teacher, source, step)
    for each in (desk, phone):
        join(each, code)
    ask(teacher, words)
    teacher.shoot(f"poll-dark-{name}-teacher")
    assert violations(teacher.page) == []
    for each in (desk, phone):
        page = each.front()
        expect(page.locator(".question.poll")).to_be_visible()
        if source is WRITTEN:
            answer(each, 1, 1)
        else:
            page.locator(".question.poll").get_by_role("button", name="An earlier line").click()
            expect(page.locator(".poll-given.is-given")).to_be_visible()
    for is_revealed in (False, True):
        if is_revealed:
            teacher.front().keyboard.press("r")
        for each, sizes in ((desk, [(1024, 768)]), (phone, [(390, 844), (320, 640)])):
            page = each.front()
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                expect(page.locator(".answer-result.poll")).to_have_count(int(is_revealed))
                assert page.evaluate(OUTSIDE) == []
                assert violations(page) == []
                each.shoot(f"poll-dark-{name}-{'revealed' if is_revealed else 'asked'}-{width}")
