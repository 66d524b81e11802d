"""Rooms: a teacher steps through a run, and students follow, explore, edit and return, despite failures of the network."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import Look
from tests.browser.page import Tutor

LESSON = "/lessons/data-hides-the-write"
PHONE: Look = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FOLLOWS, WANDERS, ALONE = "You follow the teacher.", "You are on your own. Press F to follow.", "You are on your own."
LEADS, IS_UNHEARD = "The class follows this page.", "The server cannot be reached."
OF_THE_BROWSER = ("Autofocus processing", "Failed to load resource", "net::ERR")
"""Console messages that Chromium logs for cut connections and for the autofocus of the sharing dialog."""
SECRETS = "() => JSON.parse(localStorage.getItem('stepgrad.rooms')).flatMap(({secret, projector}) => [secret, projector])"
APART = """(...selectors) => {
    const boxes = selectors.map((selector) => document.querySelector(selector)?.getBoundingClientRect());
    const [x, y] = ['x', 'y'].map((at) => boxes.map((box) => box[at] + box[at === 'x' ? 'width' : 'height'] / 2));
    return Math.hypot(x[0] - x[1], y[0] - y[1]);
}"""
"""The distance between the centres of two elements, in CSS pixels."""


def line(page: Page) -> Locator:
    """Return the element that states whether the page leads or follows."""
    return page.locator(".room-bar .room-line")


def step(page: Page) -> Locator:
    return page.locator(".position b")


def open_room(teacher: Tutor) -> str:
    """Open a room for the current run with the sharing dialog, and return the room's code."""
    page = teacher.page
    page.get_by_role("button", name="Share").click()
    page.get_by_role("tab", name="Class").click()
    page.get_by_role("button", name="Open a room").click()
    expect(line(page)).to_have_text(LEADS)
    expect(page).to_have_url(re.compile(r"/r/[A-HJ-NP-Z]{6}$"))
    teacher.expect_no_complaint_but(*OF_THE_BROWSER)
    return page.url.rpartition("/")[2]


def taught(teacher: Tutor) -> str:
    """Open a room at step 8 of a lesson, and return the room's code."""
    teacher.open(f"{LESSON}#step=8")
    teacher.wait()
    teacher.at_step(8)
    return open_room(teacher)


def join(student: Tutor, code: str) -> Page:
    """Join a room, and wait until the page shows its recording."""
    student.open(f"/r/{code}")
    student.wait()
    return student.page


def projected(teacher: Tutor) -> Tutor:
    """Open the projector's window."""
    with teacher.context.expect_page() as opened:
        teacher.page.get_by_role("button", name="Projector").click()
    window = teacher.another_tab()
    window.page.close()
    window.page = opened.value
    window.page.on("pageerror", lambda error: teacher.complaints.append(str(error)))
    window.wait()
    return window


def test_a_class_follows_wanders_edits_and_comes_back(visit: Visit) -> None:
    teacher, student = visit(), visit()
    code = taught(teacher)
    page = join(student, code)
    expect(line(page)).to_have_text(FOLLOWS)
    student.at_step(8)  # a student who joins later starts at the teacher's step
    expect(teacher.page.locator(".room-members")).to_have_text("1 student")

    teacher.front().keyboard.press(".")
    student.at_step(9)
    teacher.page.get_by_role("button", name="Operator", exact=True).click()
    at = step(teacher.page).inner_text()
    expect(step(page)).to_have_text(at)
    assert page.evaluate("() => localStorage.getItem('stepgrad.walk')") is None, "what a student prefers stays stored"
    teacher.page.get_by_role("button", name="Node", exact=True).click()
    student.at_step(9)
    teacher.page.locator('.memory [data-name="x"]').first.click()
    expect(page.locator(".changes-bar .subject")).to_have_text("x")
    teacher.page.locator(".changes-bar").get_by_role("button", name="Stop following").click()
    expect(page.locator(".changes-bar")).to_have_count(0)
    expect(line(page)).to_have_text(FOLLOWS)

    student.front().keyboard.press("Home")
    expect(line(page)).to_have_text(WANDERS)
    teacher.front().keyboard.press(".")
    teacher.at_step(10)
    student.at_step(1)
    student.front().keyboard.press("f")
    student.at_step(10)
    expect(line(page)).to_have_text(FOLLOWS)

    student.edit()
    expect(line(page)).to_have_text(WANDERS)
    student.write("import torch\nmine = torch.ones(3)\n")
    student.run(stay=True)
    expect(page.locator('.memory [data-name="mine"]')).to_have_count(1)
    assert page.url.endswith(f"/r/{code}")
    teacher.front().keyboard.press(",")
    teacher.at_step(9)
    student.front().get_by_role("button", name="Follow", exact=True).click()
    student.at_step(9)
    expect(page.locator('.memory [data-name="d_"]')).not_to_have_count(0)
    page.get_by_role("button", name="My copy").click()
    expect(page.locator(".cm-content")).to_contain_text("mine = torch.ones(3)")
    expect(line(page)).to_have_text(WANDERS)
    page.get_by_role("button", name="Follow", exact=True).click()
    student.at_step(9)


def test_groups_and_pins_and_the_pointer_are_followed_and_the_language_is_not(visit: Visit) -> None:
    teacher, student = visit(), visit(locale="zh-CN")
    page = teacher.page
    teacher.open("/")
    teacher.write(LOOP)
    teacher.run()
    page.keyboard.press("End")
    there = join(student, open_room(teacher))
    expect(line(there)).to_have_text("你正在跟随老师。")
    before = there.locator(".graph [data-fold]").count()
    assert before == page.locator(".graph [data-fold]").count() > 0
    teacher.front().locator(".graph .node.group").first.click()
    expect(page.locator(".group-frame")).not_to_have_count(0)
    expect(there.locator(".group-frame")).to_have_count(page.locator(".group-frame").count())
    page.locator('.memory [data-name="x"]').first.click()
    page.get_by_role("button", name="Pin it on top, or unpin it (k)", exact=True).click()
    expect(there.locator(".pins-button")).to_be_visible()
    page.locator('.memory [data-name="w"]').first.hover()
    mark, target = there.locator(".pointed-at"), there.locator('.memory [data-name="w"]').first
    expect(mark).to_be_visible()
    there.wait_for_function(f"() => ({APART})('.pointed-at', '.memory [data-name=\"w\"]') < 40")
    expect(target).to_be_visible()
    expect(line(there)).to_have_text("你正在跟随老师。")
    page.mouse.move(2, 2)
    expect(mark).to_have_count(0)


LOOP = """import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x = torch.randn(3)
total = 0.0
for step in range(12):
    h = w * x
    h = h.tanh() * 2
    h = h.exp() + 1
    h = (h * x).sin()
    total = total + h.sum()
total.backward()
"""


def test_what_the_teacher_runs_is_the_room_s_from_then_on(visit: Visit) -> None:
    teacher, student = visit(), visit()
    there = join(student, taught(teacher))
    teacher.front()
    teacher.edit()
    expect(line(teacher.page)).to_have_text("The class does not see this: it stays at the last step.")
    expect(line(there)).to_have_text(FOLLOWS)
    teacher.write("import torch\nfresh = torch.ones(3, requires_grad=True)\n(fresh * 2).sum().backward()\n")
    teacher.run(stay=True)
    expect(line(teacher.page)).to_have_text(LEADS)
    expect(there.locator('.memory [data-name="fresh"]')).not_to_have_count(0)
    teacher.page.keyboard.press("End")
    expect(step(there)).to_have_text(step(teacher.page).inner_text())
    teacher.page.reload()
    teacher.wait()
    expect(line(teacher.page)).to_have_text(LEADS)  # only in this browser
    teacher.page.keyboard.press("Home")
    student.at_step(1)


def test_the_lost_button_tells_a_step_and_no_name(visit: Visit) -> None:
    teacher = visit()
    code = taught(teacher)
    for number in (1, 2):
        page = join(visit(), code)
        button = page.get_by_role("button", name="I am lost")
        page.keyboard.press("s") if number == 1 else button.click()
        expect(page.get_by_role("button", name="Sent", exact=True)).to_be_visible()
        page.keyboard.press("s")
        expect(teacher.page.locator(".room-lost-count")).to_have_text(f"{number} lost here")
    expect(teacher.page.locator(".lost-curve text")).to_have_text("2")
    teacher.front().keyboard.press(".")
    expect(teacher.page.locator(".room-lost-count")).to_have_text("0 lost here")
    expect(page.get_by_role("button", name="I am lost")).to_be_visible()


def test_a_room_that_ends_leaves_every_page_as_it_is(visit: Visit) -> None:
    teacher, student = visit(), visit()
    code = taught(teacher)
    there = join(student, code)
    teacher.page.get_by_role("button", name=f"Room {code}").click()
    teacher.page.get_by_role("button", name="End the room").click()
    teacher.page.get_by_role("button", name="End the room for everybody").click()
    for page in (teacher.page, there):
        expect(line(page)).to_have_text("The room has ended. This page stays as it is.")
        expect(page).to_have_url(re.compile(r"/s/\w+#step=8$"))
    student.front().keyboard.press(".")
    student.at_step(9)
    assert teacher.page.evaluate("() => localStorage.getItem('stepgrad.rooms')") == "[]"


def test_the_help_lists_the_keys_of_a_room(visit: Visit) -> None:
    teacher, student = visit(), visit()
    there = join(student, taught(teacher))
    for page, keys in ((teacher.page, ["f", "j"]), (there, ["f", "s"])):
        page.keyboard.press("?")
        for key in keys:
            expect(page.locator(f'dialog.help [data-key="{key}"]')).to_be_visible()
        page.keyboard.press("Escape")


def test_a_room_that_is_not_there_is_a_page_that_says_so(visit: Visit) -> None:
    student = visit()
    response = student.page.goto(f"{student.url}/r/AAAAAA")
    assert response is not None and response.status == 404
    student.expect_no_complaint_but("404")
