"""One server and one browser for all tests of this folder."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser

from tests.browser.page import Tutor, launched, leave_out_without_browser
from tests.browser.tabs import Tabs
from tests.web.server import Running, running


@pytest.fixture(scope="package")
def server() -> Iterator[Running]:
    """A server with the settings that visitors meet, but for clocks, which end no run and no trial, and with as many rooms for
    one address as there are tests.
    """
    leave_out_without_browser()
    with running(limits__wall_seconds="120", trial_seconds="120", rooms_of_one_address="200") as up:
        yield up


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser; each visitor gets a separate context."""
    with launched() as browser:
        yield browser


Visit = Callable[..., Tutor]


@pytest.fixture(scope="package")
def tabs(browser: Browser) -> Tabs:
    """The tabs of that browser."""
    return Tabs(browser)


@pytest.fixture
def visit(server: Running, tabs: Tabs) -> Iterator[Visit]:
    """Opens pages for new visitors; at the end, no page may have logged an error to the console."""
    yield partial(tabs.visitor, server.url)
    assert tabs.everybody_leaves() == []
