"""Variants in a room: students change a line and run it, the teacher's wall counts the outcomes, and the class compares some."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Held, Tutor
from tests.browser.test_polls import ALL_TEXT, lesson
from tests.browser.test_rooms import FOLLOWS, PHONE, WANDERS, join, line, open_room, projected
from tests.browser.test_small import OUTSIDE
from tests.rooms.classroom import Person
from tests.web.server import Running

SHOWN = """import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.exp(w)
loss = y.sum()
loss.backward()
"""
RAISES = SHOWN.replace("y = torch.exp(w)", "y = torch.exp(w); y.add_(1)")
WRONG = SHOWN.replace("y = torch.exp(w)", "y = torch.exp(w); y.data.add_(1)")
OTHER = SHOWN.replace("torch.exp(w)", "w * 3  # a word of a student")
MARKUP = "<img src=x onerror=alert(1)>"
RUDE = SHOWN.replace("y = torch.exp(w)", f"raise type('{MARKUP}', (Exception,), {{}})('{MARKUP}')")
COMPARED = ".main.compare"
CUT_IN_BAR = """() => {
    const bar = document.querySelector('.room-bar').getBoundingClientRect();
    return [...document.querySelectorAll('.room-bar > *')].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.height > 0 && (box.left < 0 || box.right > innerWidth || box.top < bar.top || box.bottom > bar.bottom);
    }).map((part) => part.textContent);
}"""
"""Returns the texts of elements that do not fit into the room's bar."""


@contextmanager
def crowd(server: Running, code: str, sources: list[str]) -> Iterator[None]:
    """Let one member of the room per source run a variant, over HTTP without a browser."""
    with ExitStack() as stack:
        for source in sources:
            person = Person(server.url, code, {})
            stack.enter_context(person.client)
            person.credential = {"X-Room-Token": person.done("POST", "/members", {})["token"]}
            number = person.state()["variants"]["id"]
            person.done("POST", "/variants/runs", {"variants": number, "source": source})
        yield


def collect(teacher: Tutor) -> None:
    """Start to collect variants with the keyboard, and close the wall."""
    page = teacher.front()
    page.keyboard.press("Shift+V")
    expect(page.locator("dialog.variants-wall")).to_be_visible()
    expect(page.get_by_role("button", name="Stop collecting")).to_be_visible()
    page.keyboard.press("Shift+V")
    expect(page.locator("dialog.variants-wall")).to_have_count(1)
    expect(page.locator("dialog.variants-wall")).to_be_hidden()


def run_for_class(student: Tutor, source: str) -> None:
    """Edit the code and run it as a variant, with the keyboard."""
    page = student.front()
    page.keyboard.press("Shift+V")
    expect(page.locator(".variants-strip")).to_contain_text("Run now counts for the class.")
    student.write(source)
    page.keyboard.press("Control+Enter")
    student.wait_for_new()
    expect(page.locator(".variants-strip")).to_contain_text("Your run counts for the class.")


def pick(teacher: Tutor, *words: str) -> None:
    """Select outcomes on the wall, and show their comparison to the class."""
    page = teacher.front()
    page.keyboard.press("Shift+V")
    for each in words:
        row = page.locator(".variants-wall .variants-bars li", has_text=each).first
        row.get_by_role("button", name="Pick").click()
    page.locator(".variants-picks .primary").click()
    expect(page.locator(COMPARED)).to_be_visible()
    expect(page.locator("dialog.variants-wall")).to_be_hidden()


def rows(page: Page) -> list[str]:
    """Return the label and count of each bar in the chart."""
    return [text.replace("\n", " ") for text in page.locator(".variants-bars li").all_inner_texts()]


def test_everybody_changes_a_line_and_the_wall_counts_how_it_ended(visit: Visit, server: Running) -> None:
    teacher, student = visit(), visit()
    code = lesson(teacher, SHOWN, 4)
    page = join(student, code)
    window = projected(teacher)
    collect(teacher)
    expect(window.page.locator(".variants-screen")).to_contain_text("Change a line and run it for the class.")
    expect(window.page.locator(".variants-screen")).to_contain_text("y = torch.exp(w)")
    expect(page.locator(".variants-strip")).to_contain_text("Change a line and run it for the class.")
    run_for_class(student, RAISES)
    expect(page.locator(".summary")).to_contain_text("RuntimeError")
    expect(line(page)).to_have_text(WANDERS)
    with crowd(server, code, [RAISES, RAISES, WRONG, OTHER, RUDE]):
        bars = window.front().locator(".variants-screen .variants-bars li")
        expect(bars).to_have_count(2)
        expect(bars.first).to_contain_text("Raised RuntimeError in line 6")
        expect(bars.first.locator("b")).to_have_text("3")
        expect(bars.last).to_have_text("3 others, with outcomes of fewer than 3 variants")
        student.front().get_by_role("button", name="Outcomes").click()
        expect(page.locator(".sheet .variants-bars li")).to_have_text(
            ["Raised RuntimeError in line 63", "3 others, with outcomes of fewer than 3 variants"]
        )
        page.keyboard.press("Escape")
        wall = teacher.front().locator(".variants-wall")
        teacher.page.keyboard.press("Shift+V")
        expect(wall.locator(".variants-bars li")).to_have_count(4)
        expect(wall).to_contain_text("Finished with result")
        expect(wall).to_contain_text("Line 4 makes a gradient silently wrong")
        expect(wall).to_contain_text(MARKUP)
        # with the keyboard: go to the last group, open it, and go back
        for _ in range(4):
            teacher.page.keyboard.press("ArrowDown")
        expect(wall.locator(".variants-class").last).to_be_focused()
        teacher.page.keyboard.press("Enter")
        expect(wall.locator(".variants-source .is-new")).to_have_count(1)
        expect(wall.locator(".variants-source .is-old")).to_contain_text("− y = torch.exp(w)")
        expect(wall.locator(".variants-source .is-new")).to_contain_text(MARKUP)
        assert teacher.page.locator("dialog img").count() == 0, "what a student writes is text"
        teacher.shoot("variants-wall")
        for other in (window.page, page):
            text = other.evaluate(ALL_TEXT)
            assert "onerror" not in text and "a word of a student" not in text and "y.data" not in text

        teacher.page.keyboard.press("z")
        expect(window.page.locator(".variants-screen")).to_be_hidden()
        expect(window.page.locator(".room-bar")).to_contain_text("6 variants ran, outcomes hidden")
        student.front().get_by_role("button", name="Outcomes").click()
        expect(page.locator(".sheet.variants-outcomes")).to_contain_text("The outcomes are hidden.")
        page.keyboard.press("Escape")
        window.front().keyboard.press("z")  # in the projector's window
        expect(window.page.locator(".variants-screen")).to_be_visible()
        expect(bars).to_have_count(2)
        teacher.front().get_by_role("button", name="Stop collecting").click()
        teacher.page.keyboard.press("z")  # stop collecting, then hide the wall; the projector still shows both
        expect(window.page.locator(".variants-screen")).to_be_hidden()
        expect(wall).to_contain_text("Show to the class")
        expect(wall).to_contain_text("Resume collecting")
        expect(page.locator(".variants-strip")).to_contain_text("No more runs are collected.")
        expect(page.locator(".variants-strip .primary")).to_have_count(0)
    teacher.page.get_by_role("button", name="Delete all").click()
    expect(page.locator(".variants-strip")).to_have_count(1)
    teacher.page.get_by_role("button", name="Delete all variants for good").click()
    expect(page.locator(".variants-strip")).to_have_count(0)
    student.front().keyboard.press("f")
    expect(line(page)).to_have_text(FOLLOWS)
    student.at_step(4)


def test_what_is_picked_is_compared_by_all_and_hidden_from_all(visit: Visit, server: Running) -> None:
    teacher, student, late = visit(), visit(), visit(**PHONE)
    code = lesson(teacher, SHOWN, 4)
    page = join(student, code)
    window = projected(teacher)
    collect(teacher)
    with crowd(server, code, [WRONG, WRONG, OTHER]):
        pick(teacher, "silently wrong")
        for each in (teacher, window, student):
            expect(each.front().locator(COMPARED)).to_be_visible()
            expect(each.page.locator(".verdict").first).to_contain_text("the snippet of the class")
            expect(each.page.locator(".verdict").last).to_contain_text("variant: Line 4 makes a gradient silently wrong")
        expect(line(page)).to_have_text(FOLLOWS)
        expect(line(teacher.page)).to_have_text("The class follows this page.")
        at = teacher.front().locator(".position b").inner_text()
        expect(page.locator(".position b")).to_have_text(at)  # the first step at which the runs differ
        teacher.page.keyboard.press("End")
        last = teacher.page.locator(".position b").inner_text()
        assert last != at
        for other in (page, window.page):
            expect(other.locator(".position b")).to_have_text(last)
        there = late.front()
        late.open(f"/r/{code}")
        expect(there.locator(COMPARED)).to_be_visible()
        expect(there.locator(".position b")).to_have_text(last)
        student.front().keyboard.press("Home")
        student.at_step(1)
        expect(line(page)).to_have_text(WANDERS)
        page.keyboard.press("f")
        expect(page.locator(".position b")).to_have_text(last)
        expect(line(page)).to_have_text(FOLLOWS)

        pick(teacher, "silently wrong", "Finished")
        for each in (window, student, late):
            expect(each.front().locator(".verdict").first).to_contain_text("silently wrong")
            expect(each.page.locator(".verdict").last).to_contain_text("variant: Finished with result")
        teacher.front().keyboard.press("z")
        for each in (teacher, window, student, late):
            expect(each.front().locator(COMPARED)).to_have_count(0)
            each.at_step(4)
        expect(line(page)).to_have_text(FOLLOWS)
        teacher.front().keyboard.press(".")
        for each in (teacher, window, student, late):
            each.at_step(5)

        teacher.page.keyboard.press("z")
        expect(window.front().locator(".variants-screen")).to_be_visible()  # replaces the comparison
        pick(teacher, "Finished")
        expect(page.locator(COMPARED)).to_be_visible()
        teacher.front().locator(".verdict").first.wait_for()
        teacher.page.keyboard.press("F2")  # closes the comparison and shows the complete run again
        for each in (teacher, student, late):
            expect(each.front().locator(COMPARED)).to_have_count(0)
            each.at_step(5)
        expect(line(teacher.page)).to_have_text("The class follows this page.")
        teacher.front().keyboard.press(",")
        student.at_step(4)
    teacher.expect_no_complaint_but("net::ERR")


def test_a_page_that_is_presented_names_no_exception_of_a_student(visit: Visit, server: Running) -> None:
    teacher = visit()
    code = lesson(teacher, SHOWN, 4)
    collect(teacher)
    with crowd(server, code, [RUDE, RUDE, RUDE, RAISES]):
        page = teacher.front()
        page.keyboard.press("Shift+V")
        wall, picks = page.locator(".variants-wall"), page.locator(".variants-picks")
        for each in (MARKUP, "RuntimeError"):
            wall.locator(".variants-bars li", has_text=each).get_by_role("button", name="Pick").click()
        expect(picks).to_contain_text(f"Raised {MARKUP} in line 4 · Raised RuntimeError in line 6")
        page.keyboard.press("Escape")
        expect(wall).to_be_hidden()
        page.keyboard.press("p")
        expect(page.locator("html")).to_have_attribute("data-presenting", "on")
        page.keyboard.press("Shift+V")
        expect(picks.locator("p")).to_have_text("Raised a custom exception in line 4")
        assert MARKUP not in wall.evaluate("(wall) => wall.outerHTML + wall.textContent")
        picks.locator(".primary").click()
        expect(page.locator(".verdict").last).to_contain_text("variant: Raised a custom exception in line 4")


def test_a_chunk_that_does_not_load_is_asked_for_again_and_a_link_that_is_gone_is_not(visit: Visit, server: Running) -> None:
    teacher, student, other = visit(), visit(), visit()
    code = lesson(teacher, SHOWN, 4)
    page, there = join(student, code), join(other, code)
    collect(teacher)
    page.route("**/compare.js*", lambda route: route.abort())
    gone: list[str] = []

    def refuse(route: Route) -> None:
        gone.append(route.request.url)
        route.fulfill(status=410, json={"error": "deleted", "message": "It was deleted.", "hint": "Ask for another."})

    there.route("**/api/v1/snippets/*", refuse)
    with crowd(server, code, [OTHER]):
        with page.expect_event("requestfailed", lambda request: "compare.js" in request.url):
            pick(teacher, "Finished")
        page.unroute("**/compare.js*")
        expect(student.front().locator(COMPARED)).to_be_visible()
        expect(line(page)).to_have_text(FOLLOWS)
        teacher.front().keyboard.press("Home")
        other.front()
        other.at_step(1)
        expect(line(there)).to_have_text(FOLLOWS)
        assert len(gone) == 1
    student.expect_no_complaint_but("compare.js", "net::ERR", "Failed to fetch")
    other.expect_no_complaint_but("410")


def test_a_run_that_comes_too_late_says_so_and_counts_for_nobody(visit: Visit) -> None:
    teacher, student = visit(), visit()
    code = lesson(teacher, SHOWN, 4)
    page = join(student, code)
    collect(teacher)
    held = Held(page, "**/variants/runs")
    student.front().keyboard.press("Shift+V")
    student.write(OTHER)
    page.keyboard.press("Control+Enter")
    held.wait()
    teacher.front().keyboard.press("Shift+V")
    teacher.page.get_by_role("button", name="Stop collecting").click()
    expect(page.locator(".variants-strip")).to_contain_text("No more runs are collected.")
    held.release()
    expect(student.front().locator(".notice")).to_contain_text("The teacher has stopped collecting variants")
    page.keyboard.press("Control+Enter")  # a run that is not sent to the class
    student.wait_for_new()
    expect(page.locator(".story")).to_be_visible()
    expect(teacher.page.locator(".variants-wall .poll-count")).to_have_text("0 variants ran")
    student.front().keyboard.press("f")
    expect(line(page)).to_have_text(FOLLOWS)
    page.get_by_role("button", name="My copy").click()
    expect(page.locator(".cm-content")).to_contain_text("a word of a student")
    student.expect_no_complaint_but("409")


def test_what_another_window_hides_holds_also_after_a_pick_that_took_long(visit: Visit, server: Running) -> None:
    teacher = visit()
    code = lesson(teacher, SHOWN, 4)
    collect(teacher)
    page = teacher.front()
    held = Held(page, "**/variants/*")
    with crowd(server, code, [OTHER]):
        page.keyboard.press("Shift+V")
        wall = page.locator(".variants-wall")
        wall.get_by_role("button", name="Pick").click()
        for words in ("Show to the class", "Hide from the class"):
            page.keyboard.press("z")
            expect(wall).to_contain_text(words)
        wall.locator(".variants-picks .primary").click()
        held.wait()
        page.wait_for_timeout(4_000)  # longer than the page ignores the room after a local change
        held.release()
        expect(page.locator(COMPARED)).to_be_visible()
        rooms = json.loads(page.evaluate("localStorage.getItem('stepgrad.rooms')"))
        other = Person(server.url, code, {"X-Room-Secret": rooms[0]["secret"]})
        with other.client:
            other.done("PATCH", "/variants", {"id": other.state()["variants"]["id"], "hidden": True})
        expect(page.locator(COMPARED)).to_have_count(0)
        page.keyboard.press("Shift+V")
        expect(wall).to_contain_text("Show to the class")


def test_the_projector_hides_outcomes_in_a_second_room_of_the_page(visit: Visit) -> None:
    teacher = visit()
    code = lesson(teacher, SHOWN, 4)
    collect(teacher)
    teacher.page.get_by_role("button", name=f"Room {code}").click()
    teacher.page.get_by_role("button", name="End the room").click()
    teacher.page.get_by_role("button", name="End the room for everybody").click()
    expect(line(teacher.page)).to_have_text("The room has ended. This page stays as it is.")
    assert open_room(teacher) != code
    collect(teacher)
    window = projected(teacher)
    expect(window.front().locator(".variants-screen")).to_be_visible()
    window.page.keyboard.press("z")
    expect(window.page.locator(".variants-screen")).to_be_hidden()
    expect(window.page.locator(".room-bar")).to_contain_text("outcomes hidden")


@pytest.mark.sweep
@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_all_states_are_clean_on_every_screen(visit: Visit, server: Running, language: str) -> None:
    scheme = "dark" if language == "zh-CN" else "light"
    teacher, phone = visit(color_scheme=scheme), visit(locale=language, color_scheme=scheme, **PHONE)
    code = lesson(teacher, SHOWN, 4)
    page = join(phone, code)
    window = projected(teacher)
    if language == "zh-CN":
        teacher.front().get_by_role("button", name="中文").click()
        window.front().reload()
    teacher.front().keyboard.press("Shift+V")
    wall = teacher.page.locator(".variants-wall")
    expect(wall).to_be_visible()
    with crowd(server, code, [WRONG] * 4 + [RAISES] * 3 + [OTHER, RUDE]):
        expect(wall.locator(".variants-bars li")).to_have_count(4)
        wall.locator(".variants-class").first.click()
        expect(wall.locator(".variants-source")).to_have_count(1)
        wall.locator(".variants-pick").first.click()
        for width, height in ((1440, 900), (1024, 768), (390, 844)):
            teacher.page.set_viewport_size({"width": width, "height": height})
            assert violations(teacher.page) == []
            assert teacher.page.evaluate("() => document.querySelector('.variants-wall').scrollWidth <= innerWidth")
            teacher.shoot(f"variants-wall-{width}-{language[:2]}")
        teacher.page.set_viewport_size({"width": 1440, "height": 900})
        for width, height in ((1920, 1080), (1024, 768)):
            window.front().set_viewport_size({"width": width, "height": height})
            expect(window.page.locator(".variants-screen .variants-bars li")).to_have_count(3)
            sizes = window.page.locator(".variants-screen :is(b, span, p, h2)").evaluate_all(
                "(all) => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
            )
            assert min(sizes) >= 20, sizes
            assert window.page.evaluate("() => document.querySelector('.variants-screen').scrollHeight <= innerHeight")
            assert violations(window.page) == []
            window.shoot(f"variants-screen-{width}-{language[:2]}")
        for width, height in ((390, 844), (320, 640)):
            phone.front().set_viewport_size({"width": width, "height": height})
            strip = page.locator(".variants-strip")
            expect(strip).to_be_visible()
            assert violations(page) == []
            assert page.evaluate(OUTSIDE) == []
            small = strip.locator("button").evaluate_all("(all) => all.filter((each) => each.offsetHeight < 44).length")
            assert small == 0
            assert strip.evaluate("(strip) => strip.scrollHeight <= strip.clientHeight + 1")
            phone.shoot(f"variants-phone-{width}-{language[:2]}")
            strip.locator("button").last.click()
            expect(page.locator(".sheet.variants-outcomes .variants-bars li")).to_have_count(3)
            assert violations(page) == []
            phone.shoot(f"variants-phone-outcomes-{width}-{language[:2]}")
            page.keyboard.press("Escape")
        strip.locator("button").first.tap()
        expect(page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
        assert violations(page) == []
        phone.shoot(f"variants-phone-edit-{language[:2]}")
        teacher.front().keyboard.press("Escape")
        expect(wall).to_be_hidden()
        for width, height in ((1024, 768), (560, 800), (390, 844), (320, 640)):
            teacher.page.set_viewport_size({"width": width, "height": height})
            expect(teacher.page.locator(".room-next")).to_be_visible()
            assert teacher.page.evaluate(CUT_IN_BAR) == []
            teacher.shoot(f"variants-bar-{width}-{language[:2]}")
        teacher.page.set_viewport_size({"width": 1440, "height": 900})
        teacher.page.keyboard.press("Shift+V")
        wall.locator(".variants-picks .primary").click()
        expect(teacher.page.locator(COMPARED)).to_be_visible()
        teacher.shoot(f"variants-compared-{language[:2]}")
        for width, height in ((1024, 768), (390, 844), (320, 640)):
            teacher.page.set_viewport_size({"width": width, "height": height})
            assert teacher.page.evaluate(CUT_IN_BAR) == []
            teacher.shoot(f"variants-teacher-{width}-{language[:2]}")
        window.front().set_viewport_size({"width": 1920, "height": 1080})
        expect(window.page.locator(COMPARED)).to_be_visible()
        window.shoot(f"variants-compared-projector-{language[:2]}")
