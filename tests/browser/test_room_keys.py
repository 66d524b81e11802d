"""Use a room with the keyboard alone: the teacher opens it, asks a question, counts hands, reveals and ends; a student
follows.
"""

import re

from playwright.sync_api import expect

from tests.browser import test_rooms
from tests.browser.conftest import Visit
from tests.browser.keyboard import Keys
from tests.browser.test_by_keys import typed
from tests.browser.test_polls import WRITTEN
from tests.browser.test_rooms import ALONE, FOLLOWS, LEADS, OF_THE_BROWSER, join, line

KEYS = "(all) => all.map((each) => each.dataset.key)"


def test_a_teacher_opens_asks_counts_reveals_and_ends_and_a_student_answers(visit: Visit) -> None:
    teacher, keys = typed(visit, WRITTEN)
    page = teacher.page
    keys.press("Escape")
    keys.to(page.locator(".slider"))
    keys.press("Home", "ArrowRight", "ArrowRight")
    teacher.at_step(3)
    keys.to(page.locator(".header").get_by_role("button", name="Share"), "Shift+Tab")
    keys.press("Enter")
    keys.to(page.get_by_role("tab", name="Link"), "Shift+Tab")
    keys.press("ArrowRight")
    keys.to(page.get_by_role("button", name="Open a room"))
    keys.press("Enter")
    expect(line(page)).to_have_text(LEADS)
    expect(page.locator("dialog[open]")).to_have_count(0)
    keys.stands()
    teacher.expect_no_complaint_but(*OF_THE_BROWSER)
    code = page.url.rpartition("/")[2]

    keys.press("j")
    expect(page.locator(".join-code")).to_contain_text(code)
    expect(
        page.locator(".join-card")
    ).to_be_visible()  # the card's text is in the document one frame before the card is visible
    keys.press("Escape")
    expect(page.locator(".join-card")).to_be_hidden()

    keys.press("?")
    expect(page.locator("dialog.help kbd[data-key=j]")).to_be_visible()
    replay, of_room = (lists.locator("kbd").evaluate_all(KEYS) for lists in page.locator("dialog.help .keys").all())
    assert set(replay).isdisjoint(of_room)
    keys.press("Escape")

    student = visit()
    there = join(student, code)
    expect(line(there)).to_have_text(FOLLOWS)
    theirs = Keys(student)

    teacher.front()
    keys.press("a")
    wanted = page.locator(".poll-suggestions button", has_text="Which cell will change its value?").first
    expect(page.locator(".poll-suggestions button").first).to_be_focused()
    keys.to(wanted, "ArrowDown")
    keys.press("Enter")
    expect(page.locator(".question.poll")).to_be_visible()

    student.front()
    theirs.to(there.locator(".answer-form input"))
    there.keyboard.type("S1[1]")
    theirs.press("Enter")
    expect(there.locator(".poll-given.is-given")).to_contain_text("S1[1]")
    there.reload()
    student.wait()
    expect(there.locator(".poll-given.is-given")).to_contain_text("S1[1]")

    teacher.front()
    keys.press("y")
    fields = page.locator(".poll-hands-form .poll-number")
    expect(fields.first).to_be_focused()
    page.keyboard.type("12")
    keys.press("Enter")
    expect(fields).to_have_count(0)
    expect(page.locator(".poll-count")).to_have_text("13 answers")
    keys.press("v")
    keys.press("r")
    expect(page.locator(".answer-result.poll")).to_contain_text("The correct answer: S1[1]")
    teacher.at_step(4)
    keys.stands()
    student.front()
    expect(there.locator(".answer-result.poll")).to_contain_text("Right: S1[1]")
    expect(there.locator(".poll-mine")).to_have_count(1)

    teacher.front()
    keys.press("a")
    expect(page.locator(".poll-suggestions button").first).to_be_focused()
    keys.press("Enter")
    expect(page.locator(".question.poll")).to_be_visible()
    keys.press("q")
    expect(page.locator(".question.poll")).to_have_count(0)
    keys.stands()

    keys.to(page.get_by_role("button", name=f"Room {code}"))
    keys.press("Enter")
    keys.to(page.get_by_role("button", name="End the room"))
    keys.press("Enter")
    keys.to(page.get_by_role("button", name="End the room for everybody"))
    keys.press("Enter")
    for each in (page, there):
        expect(line(each)).to_have_text("The room has ended. This page stays as it is.")
    expect(page).to_have_url(re.compile(r"/s/\w+#step=4$"))
    keys.stands()
    keys.press(".")
    teacher.at_step(5)


def test_a_student_wanders_says_that_they_are_lost_and_comes_back(visit: Visit) -> None:
    teacher, student = visit(), visit()
    there = join(student, test_rooms.taught(teacher))
    theirs = Keys(student)
    theirs.to(there.locator(".slider"))
    theirs.press("Home", "s")
    student.at_step(1)
    expect(line(there)).to_contain_text(ALONE)
    expect(teacher.page.locator(".lost-curve text")).to_have_count(1)
    theirs.press("f")
    student.at_step(8)
    theirs.press("F2")
    expect(line(there)).to_contain_text(ALONE)
