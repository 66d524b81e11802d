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
    """A server with the default settings, except long timeouts for runs and trials, and enough rooms per address for all tests."""
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
    """The reusable tabs of the browser."""
    return Tabs(browser)


@pytest.fixture
def visit(server: Running, tabs: Tabs) -> Iterator[Visit]:
    """Opens pages for new visitors. At the end, no page may have logged an error to its console."""
    yield partial(tabs.visitor, server.url)
    assert tabs.everybody_leaves() == []
