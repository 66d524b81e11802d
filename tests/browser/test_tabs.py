"""A reused browser tab contains no state of the previous visitor."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.page import Tutor
from tests.browser.tabs import Tabs
from tests.web.server import Running

STORED = "() => [localStorage.length, sessionStorage.length, window.name, document.cookie]"
SEEN = """() => [innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches,
    matchMedia('(prefers-contrast: more)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches,
    matchMedia('(forced-colors: active)').matches, matchMedia('print').matches]"""


def test_nothing_of_a_visitor_is_left(browser: Browser, server: Running) -> None:
    tabs = Tabs(browser)
    first = tabs.visitor(server.url, color_scheme="dark", contrast="more", reduced_motion="no-preference")
    first.open("/")
    heard: list[str] = []
    first.page.on("request", lambda request: heard.append(request.url))
    first.page.route("**/api/v1/traces", lambda route: route.abort())
    first.page.evaluate("() => { localStorage.mine = sessionStorage.mine = window.name = 'first'; }")
    first.write("first = 1\n")
    first.page.set_viewport_size({"width": 500, "height": 400})
    first.page.emulate_media(media="print")
    first.another_tab().open("/")
    assert tabs.everybody_leaves() == []
    heard.clear()

    next_one = tabs.visitor(server.url)
    assert next_one.page == first.page and next_one.context.pages == [first.page]
    assert next_one.page.evaluate(STORED) == [0, 0, "", ""] and next_one.context.cookies() == []
    assert next_one.page.evaluate("() => history.length") == 1
    next_one.open("/")
    assert next_one.page.evaluate(SEEN) == [1440, 900, False, False, True, False, False]
    expect(next_one.page.locator(".cm-content")).to_contain_text("import torch")
    next_one.run()
    assert heard == []
    next_one.page.evaluate("() => console.error('of the second')")
    assert tabs.everybody_leaves() == ["of the second"] and first.complaints == []
    tabs.close()


def scripted(page: Page) -> None:
    page.add_init_script("window.mine = 1")


def timed(page: Page) -> None:
    page.clock.install()


def offline(page: Page) -> None:
    page.context.set_offline(False)


@pytest.mark.parametrize("do", [scripted, timed, offline, Page.close])
def test_a_tab_with_what_lasts_is_not_used_again(browser: Browser, server: Running, do: Callable[[Page], None]) -> None:
    tabs = Tabs(browser)
    before: Tutor = tabs.visitor(server.url)
    do(before.page)
    assert tabs.everybody_leaves() == []
    assert before.page.is_closed() and tabs.visitor(server.url).page != before.page
    tabs.everybody_leaves()
    tabs.close()


def test_other_languages_and_new_browsers_get_another_tab(browser: Browser, server: Running) -> None:
    tabs = Tabs(browser)
    tabs.visitor(server.url)
    tabs.everybody_leaves()
    for options in ({"locale": "zh-CN"}, {"has_touch": True}, {"is_new": True}, {"viewport": {"width": 400, "height": 400}}):
        is_used_again = options.keys() == {"viewport"}
        count = len(browser.contexts)
        tabs.visitor(server.url, **options)
        assert (len(browser.contexts) == count) == is_used_again, options
    tabs.everybody_leaves()
    tabs.close()
