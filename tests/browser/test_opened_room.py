"""A student joins a room on a slow network and follows the teacher, in whatever order responses arrive."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.page import Held
from tests.browser.test_rooms import LEADS, LESSON, join, line


def test_a_room_opens_at_the_step_that_is_shown_though_its_stream_comes_first(visit: Visit) -> None:
    teacher, student = visit(), visit()
    page = teacher.page
    teacher.open(LESSON)
    page.locator(".code-pane").get_by_role("button", name="Run", exact=True).click()
    teacher.wait()
    teacher.step_to(8)
    page.get_by_role("button", name="Share").click()
    page.get_by_role("tab", name="Class").click()
    held = Held(page, "**/polls*.css*")
    with page.expect_response("**/events") as stream:
        page.get_by_role("button", name="Open a room").click()
    assert stream.value.ok
    held.wait()
    page.evaluate("() => fetch('/api/v1/lessons')")  # this response arrives after the first event of the stream
    held.release()
    expect(line(page)).to_have_text(LEADS)
    teacher.expect_no_complaint_but("Autofocus processing")
    join(student, page.url.rpartition("/")[2])
    student.at_step(8)
    teacher.at_step(8)
