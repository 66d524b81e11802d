"""The list of installed packages on the page. A link from a server with more packages names the missing ones."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.page import Tutor
from tests.web.server import hosted, running

SOURCE = "from sortedcontainers import SortedList\nprint(*SortedList([3, 1, 2]))\n"


@pytest.fixture
def data() -> Iterator[str]:
    """A data directory for several servers, used one after another. Processes without root can access the directory."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-test-") as folder:
        Path(folder).chmod(0o755)
        yield f"{folder}/data"


def test_a_link_shows_what_a_package_did_also_where_it_is_missing(data: str, browser: Browser) -> None:
    with running(data=data, imports="torch,numpy,sortedcontainers") as server:
        tutor = Tutor(browser, server.url)
        page = tutor.page
        tutor.open("/")
        expect(page.locator(".imports")).to_contain_text("the standard library, torch, numpy and sortedcontainers")
        tutor.write(SOURCE)
        tutor.run()
        link = tutor.share().removeprefix(server.url)
        again = tutor.another_tab()
        again.open(link)
        again.wait()
        assert again.page.locator(".toast").count() == 0
        assert tutor.complaints == again.complaints == []
        tutor.context.close()
    with hosted(data=data) as server:
        tutor = Tutor(browser, server.url)
        page = tutor.page
        tutor.open(link)
        tutor.wait()
        expect(page.locator(".toast")).to_contain_text("This run used sortedcontainers, which this server does not have.")
        page.keyboard.press("End")
        expect(page.locator(".output")).to_contain_text("1 2 3")
        page.get_by_role("button", name="About this run").click()
        expect(page.get_by_role("dialog", name="About this run")).to_contain_text("sortedcontainers 2.")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="About this run")).to_be_hidden()
        page.keyboard.press("F2")
        tutor.write(SOURCE)
        tutor.run()
        expect(page.locator(".finding").first).to_contain_text("sortedcontainers")
        expect(page.locator(".finding").first).to_contain_text("Available: the standard library, torch, numpy")
        assert tutor.complaints == []
        tutor.context.close()
