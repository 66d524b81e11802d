"""Rooms: a teacher steps, students follow, wander, edit and come back, whatever server and network do meanwhile."""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import zxingcpp
from playwright.sync_api import Browser, Locator, Page, Request, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.looks import Look, by_look, name_of
from tests.browser.page import Tutor
from tests.browser.test_links import PIXELS
from tests.browser.test_page import TOO_SMALL
from tests.browser.test_small import OUTSIDE
from tests.rooms.proxy import Proxy
from tests.web.server import Running, running

LESSON = "/lessons/data-hides-the-write"
PHONE: Look = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FOLLOWS, WANDERS, ALONE = "You follow the teacher.", "You are on your own. Press F to follow.", "You are on your own."
LEADS, IS_UNHEARD = "The class follows this page.", "The server cannot be reached."
OF_THE_BROWSER = ("Autofocus processing", "Failed to load resource", "net::ERR")
"""What a browser itself complains about where a connection is cut, or where the dialog of sharing opens."""
SECRETS = "() => JSON.parse(localStorage.getItem('stepgrad.rooms')).flatMap(({secret, projector}) => [secret, projector])"
APART = """(...selectors) => {
    const boxes = selectors.map((selector) => document.querySelector(selector)?.getBoundingClientRect());
    const [x, y] = ['x', 'y'].map((at) => boxes.map((box) => box[at] + box[at === 'x' ? 'width' : 'height'] / 2));
    return Math.hypot(x[0] - x[1], y[0] - y[1]);
}"""
"""How far the middles of two things are apart, in px."""
LEAD = """async ([code, secret]) => {
    const headers = {'Content-Type': 'application/json', 'X-Room-Secret': secret};
    return (await fetch(`/api/v1/rooms/${code}`, {method: 'PATCH', headers, body: '{"at":"step=1"}'})).status;
}"""


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """A server as visitors meet it, but one address may open as many rooms as there are tests."""
    with running(rooms_of_one_address="100") as up:
        yield up


def line(page: Page) -> Locator:
    """What the bar of the room says that this page is."""
    return page.locator(".room-bar .room-line")


def step(page: Page) -> Locator:
    """The number of the step."""
    return page.locator(".position b")


def open_room(teacher: Tutor) -> str:
    """Open a room on the run that is shown, by the dialog of sharing; its code."""
    page = teacher.page
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Open a room").click()
    expect(line(page)).to_have_text(LEADS)
    expect(page).to_have_url(re.compile(r"/r/[A-HJ-NP-Z]{6}$"))
    teacher.expect_no_complaint_but(*OF_THE_BROWSER)
    return page.url.rpartition("/")[2]


def taught(teacher: Tutor, path: str = LESSON) -> str:
    """Run what stands at `path`, and open a room at its eighth step; the code of the room."""
    teacher.open(path)
    teacher.page.locator(".code-pane").get_by_role("button", name="Run", exact=True).click()
    teacher.wait()
    teacher.step_to(8)
    return open_room(teacher)


def join(student: Tutor, code: str) -> Page:
    """Enter the room, and wait until its recording is shown."""
    student.open(f"/r/{code}")
    student.wait()
    return student.page


def test_a_class_follows_wanders_edits_and_comes_back(visit: Visit) -> None:
    teacher, student = visit(), visit()
    code = taught(teacher)
    page = join(student, code)
    expect(line(page)).to_have_text(FOLLOWS)
    student.at_step(8)  # who comes late is where the class is
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
    student.run()
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
    teacher.run()
    expect(line(teacher.page)).to_have_text(LEADS)
    expect(there.locator('.memory [data-name="fresh"]')).not_to_have_count(0)
    teacher.page.keyboard.press("End")
    expect(step(there)).to_have_text(step(teacher.page).inner_text())
    teacher.page.reload()
    teacher.wait()
    expect(line(teacher.page)).to_have_text(LEADS)  # in this browser alone
    teacher.page.keyboard.press("Home")
    student.at_step(1)


def test_the_lost_button_tells_a_step_and_no_name(visit: Visit) -> None:
    teacher = visit()
    code = taught(teacher)
    for number in (1, 2):
        page = join(visit(), code)
        button = page.get_by_role("button", name="I am lost")
        page.keyboard.press("s") if number == 1 else button.click()
        expect(page.get_by_role("button", name="Told")).to_be_visible()
        page.keyboard.press("s")
        expect(teacher.page.locator(".room-lost-count")).to_have_text(f"{number} lost here")
    expect(teacher.page.locator(".lost-curve text")).to_have_text("2")
    teacher.front().keyboard.press(".")
    expect(teacher.page.locator(".room-lost-count")).to_have_text("0 lost here")
    expect(page.get_by_role("button", name="I am lost")).to_be_visible()


def seen(page: Page) -> str:
    """What a phone reads in the QR code of the card."""
    pixels = base64.b64decode(page.locator(".join-card img").evaluate(PIXELS))
    (code,) = zxingcpp.read_barcodes(np.frombuffer(pixels, np.uint8).reshape(200, 200))
    return str(code.text)


def test_the_card_says_how_to_join(visit: Visit, browser: Browser) -> None:
    alone = visit()
    taught(alone)
    alone.page.keyboard.press("j")
    expect(alone.page.locator(".join-card")).to_contain_text("its address belongs to this machine alone")
    alone.page.keyboard.press("Escape")
    expect(alone.page.locator(".join-card")).to_be_hidden()
    with running(public_address="https://torch.example") as server:
        teacher = Tutor(browser, server.url)
        code = taught(teacher)
        page = teacher.page
        page.get_by_role("button", name="How to join").click()
        expect(page.locator(".join-address")).to_have_text(f"torch.example/r/{code}")
        expect(page.locator(".join-code")).to_contain_text(code)
        assert seen(page) == f"https://torch.example/r/{code}"
        for width, height in ((1920, 1080), (1024, 768), (390, 844), (320, 640)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("() => document.querySelector('.join-card').scrollHeight <= innerHeight")
            assert page.evaluate("() => document.querySelector('.join-card').scrollWidth <= innerWidth")
            teacher.shoot(f"room-card-{width}")
        assert violations(page) == []
        teacher.context.close()


def projected(teacher: Tutor) -> Tutor:
    """The window that is projected."""
    with teacher.context.expect_page() as opened:
        teacher.page.get_by_role("button", name="Projector").click()
    window = teacher.another_tab()
    window.page.close()
    window.page = opened.value
    window.page.on("pageerror", lambda error: teacher.complaints.append(str(error)))
    window.wait()
    return window


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
    expect(teacher.page.locator(".note")).to_be_visible()  # notes are on the laptop, and the keys are the page's
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
    """Note in `having` that the page asked for a stream."""

    def note(request: Request) -> None:
        if request.url.endswith("/events"):
            having.add(page)

    page.on("request", note)


def test_ten_tabs_and_both_windows_of_the_teacher_load(visit: Visit) -> None:
    """On HTTP/1.1 a browser has six connections to a server: streams of a tab each would leave none for the seventh tab."""
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
    page.get_by_role("button", name="Take the room over").click()
    expect(line(page)).to_have_text(LEADS)
    other.front().keyboard.press(".")
    expect(line(there)).to_have_text("Another device teaches this room now.")
    student.at_step(10)
    other.expect_no_complaint_but("403", "404", "Failed to load")


def test_a_room_that_ends_leaves_every_page_as_it_is(visit: Visit) -> None:
    teacher, student = visit(), visit()
    code = taught(teacher)
    there = join(student, code)
    teacher.page.get_by_role("button", name=f"Room {code}").click()
    teacher.page.get_by_role("button", name="End the room").click()
    teacher.page.get_by_role("button", name="End it for everybody").click()
    for page in (teacher.page, there):
        expect(line(page)).to_have_text("The room has ended. What is shown stays here.")
        expect(page).to_have_url(re.compile(r"/s/\w+#step=8$"))
    student.front().keyboard.press(".")
    student.at_step(9)
    assert teacher.page.evaluate("() => localStorage.getItem('stepgrad.rooms')") == "[]"


@contextmanager
def through_proxy(server: Running, browser: Browser) -> Iterator[tuple[Proxy, Tutor, Tutor]]:
    """A teacher and a student who follows, both through a proxy."""
    with Proxy(server.url) as proxy:
        teacher, student = (Tutor(browser, proxy.url) for _ in range(2))
        page = join(student, taught(teacher))
        expect(page.get_by_role("button", name="Report")).to_be_visible()  # all of the page has come
        yield proxy, teacher, student
        for each in (teacher, student):
            each.expect_no_complaint_but(*OF_THE_BROWSER)
            assert each.complaints == []
            each.context.close()


def test_both_come_back_through_502_and_cut_connections(server: Running, browser: Browser) -> None:
    with through_proxy(server, browser) as (proxy, teacher, student):
        proxy.refuse()
        expect(line(student.page)).to_have_text("No connection. Trying again.")
        teacher.front().keyboard.press(".")
        teacher.at_step(9)
        expect(line(teacher.page)).to_contain_text(IS_UNHEARD)
        teacher.page.keyboard.press(".")
        teacher.at_step(10)
        proxy.flow()
        student.at_step(10)
        expect(line(student.page)).to_have_text(FOLLOWS)
        expect(line(teacher.page)).to_have_text(LEADS)
        proxy.hang_up()
        teacher.front().keyboard.press(".")
        for each in (teacher, student):
            each.at_step(11)


def test_packets_that_are_dropped_for_ten_seconds_lose_nothing(server: Running, browser: Browser) -> None:
    with through_proxy(server, browser) as (proxy, teacher, student):
        proxy.hold()
        for number in range(9, 13):
            teacher.front().keyboard.press(".")
            teacher.at_step(number)
        student.page.wait_for_timeout(10_000)
        student.at_step(8)
        proxy.flow()
        student.at_step(12)
        expect(line(student.page)).to_have_text(FOLLOWS)


def test_a_proxy_that_holds_streams_back_makes_pages_ask(server: Running, browser: Browser) -> None:
    with Proxy(server.url) as proxy:
        proxy.buffer()
        teacher, student = (Tutor(browser, proxy.url) for _ in range(2))
        page = join(student, taught(teacher))
        student.at_step(8)
        for number in range(9, 12):
            teacher.front().keyboard.press(".")
            student.at_step(number)
        expect(line(page)).to_have_text(FOLLOWS)
        for each in (teacher, student):
            each.context.close()


def test_a_server_that_is_killed_in_mid_lecture_and_comes_back(browser: Browser) -> None:
    with running() as first, Proxy(first.url) as proxy:
        teacher, student = (Tutor(browser, proxy.url) for _ in range(2))
        code = taught(teacher)
        page = join(student, code)
        loaded = page.evaluate("() => performance.timeOrigin")
        first.kill()
        expect(line(page)).to_have_text("No connection. Trying again.")
        teacher.front().keyboard.press(".")
        teacher.at_step(9)
        with running(data=str(first.data)) as second:
            proxy.lead_to(second.url)
            student.at_step(9)
            expect(line(page)).to_have_text(FOLLOWS)
            expect(line(teacher.page)).to_have_text(LEADS)
            teacher.page.keyboard.press(".")
            student.at_step(10)
            assert page.evaluate("() => performance.timeOrigin") == loaded
            late = Tutor(browser, proxy.url)
            join(late, code)
            late.at_step(10)
            for each in (teacher, student, late):
                each.expect_no_complaint_but(*OF_THE_BROWSER)
                assert each.complaints == []
                each.context.close()


BAR = """() => {
    const bar = document.querySelector('.room-bar').getBoundingClientRect();
    const over = document.querySelector('.app').getBoundingClientRect();
    return [bar.bottom === innerHeight, bar.right <= innerWidth, over.bottom <= bar.top + 0.5,
        [...document.querySelectorAll('.room-bar > *')].every((each) => {
            const box = each.getBoundingClientRect();
            return box.left >= -0.5 && box.right <= innerWidth + 0.5 && box.top >= bar.top - 0.5 && box.bottom <= bar.bottom + 0.5;
        })];
}"""


@by_look((390, 844), (320, 640), (1440, 900), (1024, 768))
def test_the_bar_fits_every_page(visit: Visit, look: Look) -> None:
    is_phone = look["viewport"]["width"] < 800
    teacher = visit()
    code = taught(teacher)
    student = visit(**look, has_touch=is_phone, is_mobile=is_phone)
    page = join(student, code)
    words = page.locator(".room-words")
    following = words.inner_text()
    box = page.locator(".room-bar").bounding_box()
    boxes = student.boxes()
    for act in (None, "wander"):
        if act == "wander":
            page.get_by_role("button", name="Next step" if look["locale"] == "en-US" else "下一步").click()
            expect(words).not_to_have_text(following)
        page.wait_for_function(f"() => ({BAR})().every((each) => each)")
        assert page.evaluate(OUTSIDE) == [] or not is_phone
        assert page.evaluate(TOO_SMALL) == []
        assert violations(page) == []
        student.shoot(f"room-student-{act or 'follow'}-{name_of(look)}")
    assert page.locator(".room-bar").bounding_box() == box
    assert student.boxes().keys() == boxes.keys()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_the_page_of_whoever_teaches(visit: Visit, width: int, height: int) -> None:
    for locale, theme in (("en-US", "dark"), ("zh-CN", "light")):
        teacher = visit(color_scheme=theme)
        code = taught(teacher)
        if locale == "zh-CN":
            teacher.page.get_by_role("button", name="中文").click()
        teacher.page.set_viewport_size({"width": width, "height": height})
        teacher.page.wait_for_function(f"() => ({BAR})().every((each) => each)")
        assert violations(teacher.page) == []
        teacher.shoot(f"room-teacher-{width}-{locale[:2]}")
        teacher.page.locator(".room-bar .room-code").click()
        assert violations(teacher.page) == []
        teacher.shoot(f"room-about-{width}-{locale[:2]}")
        assert code in teacher.page.url


def test_the_projector_shows_the_picture_on_either_size(visit: Visit) -> None:
    teacher = visit()
    taught(teacher)
    window = projected(teacher)
    for width, height in ((1920, 1080), (1024, 768)):
        window.page.set_viewport_size({"width": width, "height": height})
        window.page.wait_for_function(f"() => ({BAR})().every((each) => each)")
        assert violations(window.page) == []
        window.shoot(f"room-projector-{width}")


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
