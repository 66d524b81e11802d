"""Rooms on failing networks: status 502, cut connections, lost packets, delayed event streams, and a killed server."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, expect

from tests.browser.page import Tutor
from tests.browser.test_rooms import FOLLOWS, IS_UNHEARD, LEADS, OF_THE_BROWSER, join, line, taught
from tests.rooms.proxy import Proxy
from tests.web.server import Running, hosted, running


@contextmanager
def through_proxy(server: Running, browser: Browser) -> Iterator[tuple[Proxy, Tutor, Tutor]]:
    """Open a room for a teacher and a student who follows. Teacher and student reach the server through a proxy."""
    with Proxy(server.url) as proxy:
        teacher, student = (Tutor(browser, proxy.url) for _ in range(2))
        page = join(student, taught(teacher))
        expect(page.get_by_role("button", name="Report")).to_be_visible()
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
        with hosted(data=str(first.data)) as second:
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
