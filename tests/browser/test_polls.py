"""Polls in a room: the teacher asks about a step, students answer in the picture, and the teacher reveals the result."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.browser.test_rooms import PHONE, join, open_room, projected
from tests.browser.test_small import OUTSIDE

WRITTEN = """import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = w * 2
y[1] = 7.0
y.mul_(1.375)
loss = (y * y).sum()
loss.backward()
"""
SEARCHED = """import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.exp(w)
y.data[1] = 7.0
part = y.detach()
part.mul_(2)
loss = y.sum()
loss.backward()
"""
ALL_TEXT = """() => {
    const read = (root) => [...root.querySelectorAll('*')].map((element) => {
        const own = [...element.attributes].map(({value}) => value).join(' ') + ' ' + (element.value ?? '');
        return own + (element.shadowRoot ? read(element.shadowRoot) + element.shadowRoot.textContent : '');
    }).join(' ');
    return document.body.innerText + document.body.textContent + read(document);
}"""
"""All text of the page, including hidden text and attributes."""


def lesson(teacher: Tutor, source: str, step: int) -> str:
    """Run a program, open a room with it, and go to a step. Return the room's code."""
    teacher.open("/")
    teacher.write(source)
    teacher.run()
    teacher.step_to(step)
    return open_room(teacher)


def ask(teacher: Tutor, words: str) -> None:
    """Ask a question with the keyboard."""
    page = teacher.front()
    page.keyboard.press("a")
    question = page.locator(".poll-suggestions button", has_text=words).first
    expect(page.locator(".poll-suggestions button").first).to_be_focused()
    for _ in range(20):
        if question.evaluate("(button) => button === document.activeElement"):
            break
        page.keyboard.press("ArrowDown")
    expect(question).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".question.poll")).to_be_visible()


def answer(student: Tutor, storage: int, cell: int) -> None:
    """Tap a cell, and send it as the answer."""
    page = student.front()
    page.locator(f'.memory [data-storage="{storage}"] .cell[data-cell="{cell}"]').click()
    expect(page.locator(".answer-form input")).to_have_value(f"S{storage}[{cell}]")
    page.locator(".answer-form").get_by_role("button", name="Answer", exact=True).click()
    expect(page.locator(".poll-given.is-given")).to_contain_text(f"S{storage}[{cell}]")


def counts(page: Page) -> list[str]:
    """Return the numbers of answers that the picture shows, in the order of the cells."""
    return page.locator(".poll-spot b").all_inner_texts()


def test_a_class_answers_on_the_picture_and_nothing_tells_before_the_teacher_does(visit: Visit) -> None:
    teacher, student, phone, other = visit(), visit(), visit(**PHONE), visit()
    code = lesson(teacher, WRITTEN, 3)
    for each in (student, phone, other):
        join(each, code)
    student.front().keyboard.press("Home")  # the student stops following
    student.at_step(1)
    other.edit()
    other.write("import torch\nmine = torch.ones(3)\nmine.add_(1)\n")
    other.run()

    ask(teacher, "Which cell will change its value?")
    page = student.page
    expect(page.locator(".question.poll")).to_contain_text("Which cell will change its value?")
    expect(page.locator(".question.poll")).to_contain_text("Practice, no marks")
    student.at_step(3)
    for key in (".", "End", "ArrowRight", "w", "Shift+ArrowRight", "n"):
        student.front().keyboard.press(key)
        student.at_step(3)
    page.locator(".slider").fill("5")
    student.at_step(3)
    page.get_by_role("button", name="Last", exact=False).first.click()
    student.at_step(3)
    expect(page.locator(".summary")).to_have_count(0)
    expect(page.locator(".poll-bars, .poll-spot")).to_have_count(0)
    other.front().keyboard.press("End")
    expect(other.page.locator(".question.poll")).to_have_count(0)

    answer(student, 1, 0)
    answer(phone, 1, 1)
    expect(teacher.front().locator(".poll-count")).to_have_text("2 answers")
    expect(page.locator(".poll-bars, .poll-spot")).to_have_count(0)
    answer(student, 1, 1)
    teacher.front().keyboard.press("v")
    expect(teacher.page.locator(".poll-spot b")).to_have_text(["2"])
    expect(student.front().locator(".poll-bars li")).to_have_count(1)
    expect(page.locator(".poll-spot b")).to_have_text(["2"])
    student.shoot("poll-student-live")
    answer(phone, 1, 2)
    expect(student.front().locator(".poll-bars .poll-votes")).to_have_text(["1", "1"])

    teacher.front().keyboard.press("y")
    fields = teacher.page.locator(".poll-hands-form .poll-number")
    expect(fields.first).to_be_focused()
    teacher.shoot("poll-hands")
    teacher.page.keyboard.type("5")
    teacher.page.keyboard.press("Enter")
    expect(fields).to_have_count(0)
    expect(teacher.page.locator(".poll-count")).to_have_text("7 answers")

    teacher.page.keyboard.press(".")  # the teacher's next step reveals the answer
    teacher.at_step(4)
    expect(teacher.page.locator(".answer-result.poll")).to_contain_text("The correct answer: S1[1]")
    student.front().keyboard.press("f")
    student.at_step(4)
    expect(page.locator(".answer-result.poll")).to_contain_text("Right: S1[1]")
    expect(page.locator(".poll-spot.is-right b")).to_contain_text("✓")
    student.shoot("poll-student-revealed")
    expect(phone.front().locator(".poll-dock")).to_have_count(0)


def test_no_page_of_a_student_holds_the_truth_while_it_is_asked(visit: Visit) -> None:
    teacher, student = visit(), visit()
    join(student, lesson(teacher, WRITTEN, 4))
    ask(teacher, "What will the value of the cell S1[0] be?")
    page = student.page
    expect(page.locator(".question.poll")).to_be_visible()
    page.keyboard.press("t")
    expect(page.locator(".question.poll")).to_be_visible()
    assert "2.75" not in page.evaluate(ALL_TEXT)
    teacher.front().keyboard.press("r")
    student.front()
    expect(page.locator(".answer-result.poll")).to_contain_text("2.75")
    assert "2.75" in page.evaluate(ALL_TEXT)
    teacher.at_step(5)  # the question ended when its answer was revealed, so students can change the step again
    teacher.front().keyboard.press(",")  # the question is over, so steps are free again
    teacher.at_step(4)
    student.at_step(4)


def test_the_class_walks_back_to_the_line_that_made_it_stale(visit: Visit) -> None:
    teacher, student = visit(), visit()
    join(student, lesson(teacher, SEARCHED, 8))
    ask(teacher, "Search backwards")
    page = student.page
    panel = page.locator(".question.poll")
    expect(panel).to_contain_text("saved result at version 0. Line 7 made it version 1.")
    at = page.locator(".position b").inner_text()
    for key in (",", "Home", "End"):
        student.front().keyboard.press(key)
        expect(page.locator(".position b")).to_have_text(at)
    panel.get_by_role("button", name="An earlier line").click()
    student.shoot("poll-search")
    expect(panel.locator(".poll-given.is-given")).to_be_visible()
    teacher.front().keyboard.press("r")
    expect(student.front().locator(".answer-result.poll")).to_contain_text("Right: An earlier line")
    expect(page.locator('.pocket[data-look="stale"]')).not_to_have_count(0)  # the saved tensor was already stale before line 5

    ask(teacher, "Continue the search: line 5")
    expect(student.front().locator(".question.poll")).to_contain_text("Line 5 wrote")
    teacher.front().keyboard.press("r")
    expect(student.front().locator(".answer-result.poll")).to_contain_text("The correct answer: Line 5")
    expect(page.locator('.pocket[data-look="stale"]')).to_have_count(0)
    student.shoot("poll-search-found")
    teacher.front().keyboard.press("a")
    expect(teacher.page.locator(".poll-suggestions button").first).to_be_visible()
    expect(teacher.page.locator(".poll-suggestions button", has_text="Search on")).to_have_count(0)


@pytest.mark.sweep
@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_all_states_are_clean_on_every_screen(visit: Visit, language: str) -> None:
    teacher, phone = visit(), visit(locale=language, **PHONE)
    join(phone, lesson(teacher, WRITTEN, 3))
    window = projected(teacher)
    if language == "zh-CN":
        teacher.front().get_by_role("button", name="中文").click()
        window.front().reload()
    teacher.front().keyboard.press("a")
    expect(teacher.page.locator(".poll-suggestions button").first).to_be_visible()
    assert violations(teacher.page) == []
    teacher.page.keyboard.press("ArrowDown")
    teacher.page.keyboard.press("Enter")
    for width, height in ((390, 844), (320, 640)):
        page = phone.front()
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator(".poll-dock")).to_be_visible()
        assert violations(page) == []
        assert page.evaluate(OUTSIDE) == []
        small = page.locator(".poll-dock button").evaluate_all("(all) => all.filter((each) => each.offsetHeight < 44).length")
        assert small == 0
        phone.shoot(f"poll-phone-{width}-{language[:2]}")
    teacher.front().keyboard.press("v")
    teacher.page.keyboard.press("y")
    expect(teacher.page.locator(".poll-hands-form")).to_be_visible()
    assert violations(teacher.page) == []
    teacher.shoot(f"poll-teacher-{language[:2]}")
    teacher.page.keyboard.press("Escape")
    page = window.front()
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator(".question.poll")).to_be_visible()
    sizes = page.locator(".poll :is(b, .poll-answer, .asked)").evaluate_all(
        "(all) => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= 20, sizes
    window.shoot(f"poll-projector-{language[:2]}")
    assert violations(page) == []
    page.keyboard.press("PageDown")  # a remote control for slides sends this key to the projector's window
    expect(page.locator(".answer-result.poll")).to_be_visible()
    assert violations(page) == []
    window.shoot(f"poll-projector-revealed-{language[:2]}")
    assert violations(teacher.front()) == []
