"""Fixtures with one server and one browser for all browser tests."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser

from tests.browser.page import Tutor, launched, leave_out_without_browser
from tests.browser.tabs import Tabs
from tests.web.server import Running, running


@pytest.fixture(scope="package")
def server() -> Iterator[Running]:
    """Start a server with long timeouts, and enough rooms per address for all tests."""
    leave_out_without_browser()
    with running(limits__wall_seconds="120", trial_seconds="120", rooms_of_one_address="200") as up:
        yield up


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


Visit = Callable[..., Tutor]


@pytest.fixture(scope="package")
def tabs(browser: Browser) -> Tabs:
    return Tabs(browser)


@pytest.fixture
def visit(server: Running, tabs: Tabs) -> Iterator[Visit]:
    """Yield a function that opens a page for a new visitor. Afterwards, assert that no page logged an error to its console."""
    yield partial(tabs.visitor, server.url)
    assert tabs.everybody_leaves() == []
