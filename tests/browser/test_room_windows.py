"""Several windows of one browser in a room: a projector, a student's tabs, hidden windows, and a second device."""

from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Visit
from tests.browser.test_rooms import FOLLOWS, LEADS, SECRETS, join, line, projected, taught

LEAD = """async ([code, secret]) => {
    const headers = {'Content-Type': 'application/json', 'X-Room-Secret': secret};
    return (await fetch(`/api/v1/rooms/${code}`, {method: 'PATCH', headers, body: '{"at":"step=1"}'})).status;
}"""


def test_the_projector_is_in_step_and_a_clicker_works_in_either_window(visit: Visit) -> None:
    teacher, student = visit(), visit()
    code = taught(teacher)
    there = join(student, code)
    window = projected(teacher)
    page = window.page
    expect(page.locator("html")).to_have_attribute("data-presenting", "on")
    expect(teacher.page.locator("html")).to_have_attribute("data-presenting", "off")
    assert teacher.page.evaluate("() => localStorage.getItem('stepgrad.presenting')") in (None, "off")
    assert page.url == f"{teacher.url}/r/{code}"
    expect(page.locator(".room-bar")).to_contain_text(code)
    page.set_viewport_size({"width": 1920, "height": 1080})
    window.at_step(8)
    page.keyboard.press("PageDown")
    for each in (window, teacher, student):
        each.at_step(9)
    teacher.front().keyboard.press(".")
    for each in (teacher, window, student):
        each.at_step(10)
    expect(teacher.page.locator(".note")).to_be_visible()  # the laptop shows notes, and its keys change the step
    expect(page.locator(".note")).to_have_count(0)
    expect(teacher.page.locator(".room-next")).to_contain_text("Next: line 12")
    teacher.page.keyboard.press("j")
    expect(page.locator(".join-code")).to_contain_text(code)
    expect(teacher.page.locator(".join-code")).to_have_count(0)
    teacher.page.keyboard.press("j")
    expect(page.locator(".join-code")).to_have_count(0)
    secrets = teacher.page.evaluate(SECRETS)
    assert len(secrets) == 2
    for shown in (page, teacher.page, there):
        assert not any(secret in shown.url for secret in secrets)
    assert page.evaluate(LEAD, [code, secrets[1]]) == 403
    teacher.expect_no_complaint_but("403")


def note_streams(page: Page, having: set[Page]) -> None:
    """Add the page to `having` as soon as it requests an event stream."""

    def note(request: Request) -> None:
        if request.url.endswith("/events"):
            having.add(page)

    page.on("request", note)


def test_ten_tabs_and_both_windows_of_the_teacher_load(visit: Visit) -> None:
    """With HTTP/1.1, a browser opens at most six connections to a server. If each tab had its own event stream, the seventh
    tab could not load.
    """
    teacher = visit()
    code = taught(teacher)
    window = projected(teacher)
    streams: set[Page] = set()
    student = visit()
    tabs = [student, *(student.another_tab() for _ in range(9))]
    for tab in tabs:
        note_streams(tab.page, streams)
        join(tab, code)
        expect(line(tab.page)).to_have_text(FOLLOWS)
    assert len(streams) <= 2, "they share one stream"
    teacher.front().keyboard.press(".")
    for each in (teacher, window, *tabs):
        each.at_step(9)
    (leading,) = [tab for tab in tabs if tab.page in streams][-1:]
    leading.page.close()
    teacher.front().keyboard.press(".")
    for each in (teacher, window, *(tab for tab in tabs if tab is not leading)):
        each.at_step(10)


HIDE = """(isHidden) => {
    Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => (isHidden ? 'hidden' : 'visible')});
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def test_a_hidden_window_holds_no_stream_and_is_where_the_class_is_once_it_is_seen(visit: Visit) -> None:
    teacher, student = visit(), visit()
    there = join(student, taught(teacher))
    members = teacher.page.locator(".room-members")
    expect(members).to_have_text("1 student")
    there.evaluate(HIDE, True)
    expect(members).to_have_text("0 students")
    teacher.front().keyboard.press(".")
    teacher.at_step(9)
    student.at_step(8)
    there.evaluate(HIDE, False)
    student.at_step(9)
    expect(members).to_have_text("1 student")


def test_a_second_device_teaches_by_a_code_and_the_first_one_takes_over(visit: Visit) -> None:
    teacher, other, student = visit(), visit(), visit()
    code = taught(teacher)
    join(student, code)
    page, there = teacher.page, join(other, code)
    page.get_by_role("button", name=f"Room {code}").click()
    page.get_by_role("button", name="Show a one-time code").click()
    once = page.locator(".room-once").inner_text()
    page.keyboard.press("Escape")
    for typed, then in (("wrong", "dialog"), (once, "teacher")):
        there.get_by_role("button", name=f"Room {code}").click() if typed == "wrong" else None
        there.get_by_label("One-time code").fill(typed)
        there.get_by_role("button", name="Teach here").click()
        if then == "dialog":
            expect(there.locator(".room-claim [role=status]")).not_to_be_empty()
    expect(line(there)).to_have_text(LEADS)
    other.wait()
    other.front().keyboard.press(".")
    for each in (other, teacher, student):
        each.at_step(9)
    teacher.front().keyboard.press(".")
    for each in (teacher, other, student):
        each.at_step(10)
    page.get_by_role("button", name=f"Room {code}").click()
    with page.expect_event("load"):  # the page reloads when it takes over the room
        page.get_by_role("button", name="Take the room over").click()
    expect(line(page)).to_have_text(LEADS)
    other.front().keyboard.press(".")
    expect(line(there)).to_have_text("Another device teaches this room now.")
    student.at_step(10)
    other.expect_no_complaint_but("403", "404", "Failed to load")
