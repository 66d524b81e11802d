"""The answers of a class are added to the teacher's lecture, which the teacher can edit at the same time."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_polls import WRITTEN, answer, ask, lesson
from tests.browser.test_rooms import SECRETS, join

REVEAL = """async ([code, secret, id]) => {
    const headers = {'Content-Type': 'application/json', 'X-Room-Secret': secret};
    const body = JSON.stringify({id, revealed: true});
    return (await fetch(`/api/v1/rooms/${code}/poll`, {method: 'PATCH', headers, body})).status;
}"""
KEPT = "() => JSON.parse(sessionStorage.getItem('stepgrad.lecture') ?? '[]').map(({at, tally}) => `${at} ${tally.length}`)"


def test_a_revealed_question_is_kept_with_its_tally_and_the_note_of_its_step(visit: Visit) -> None:
    teacher, students = visit(), [visit(), visit()]
    code = lesson(teacher, WRITTEN, 3)
    for student in students:
        join(student, code)
    page = teacher.front()
    page.keyboard.press("p")
    page.wait_for_function(f"() => ({KEPT})()[0] === 'step=3 0'")
    ask(teacher, "Which cell will change its value?")
    answer(students[0], 1, 1)
    answer(students[1], 1, 2)
    teacher.front()
    expect(page.locator(".poll-count")).to_have_text("2 answers")

    page.get_by_role("button", name="Make a lecture").click()
    dialog = page.get_by_role("dialog", name="Make a lecture")
    note = dialog.get_by_label("Note on part 1 in English")
    note.fill("Half a sen")
    assert page.evaluate(REVEAL, [code, page.evaluate(SECRETS)[0], 1]) == 204
    expect(dialog.locator(".making-part")).to_contain_text("With a question and 2 answers")
    expect(note).to_have_value("Half a sen")
    note.press_sequentially("tence.")
    dialog.get_by_role("button", name="Publish").click()
    link = dialog.get_by_label("Link")
    expect(link).to_have_value(re.compile(r"/l/[A-Za-z0-9]{11}$"))
    page.goto(link.input_value())
    part = page.locator("#part-1")
    part.scroll_into_view_if_needed()
    expect(part.locator(".lecture-note")).to_have_text("Half a sentence.")
    expect(part.locator(".lecture-asked .asked")).to_contain_text("Which cell will change its value?")
    expect(part.locator(".tally-answer")).to_have_text(["S1[1]", "S1[2]"])
    expect(part.locator("li.right")).to_have_count(1)


def test_two_questions_about_one_step_are_two_parts(visit: Visit) -> None:
    """The answers to the second question are hands that the teacher counted."""
    teacher = visit()
    lesson(teacher, WRITTEN, 3)
    page = teacher.page
    for number, words in enumerate(("Which cell will change its value?", "version counter")):
        ask(teacher, words)
        page.keyboard.press("y")
        expect(page.locator(".poll-hands-form .poll-number").first).to_be_focused()
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        expect(page.locator(".poll-hands-form")).to_have_count(0)
        expect(page.locator(".poll-count")).to_have_text("3 answers")
        page.keyboard.press("r")
        page.wait_for_function(f"(count) => ({KEPT})().length === count", arg=number + 1)
        teacher.at_step(4)
        page.keyboard.press(",")
        teacher.at_step(3)
    assert page.evaluate(KEPT) == ["step=3 1", "step=3 1"]
