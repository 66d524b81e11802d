"""The current version opens links from every earlier version: links in old databases and old forms of addresses."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, expect

from app.store.database import revisions
from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.web.server import Hosted, hosted

KEPT = Path(__file__).parents[1] / "store" / "kept"
LINKS = {
    "0001": "XGwBK9KCLY",
    "0002": "LDnuh7mD5P",
    "0003": "qYohAmtLBF",
    "0004": "BQRHfo6Ity",
    "0005": "v46Wki1DbB",
    "0006": "3KKUhzMNmmH",
    "0007": "m31DgPofGyp",
    "0008": "QJqHzNglR2m",
    "0009": "d912R1erp5t",
    "0010": "CT3uNI1FU9R",
    "0011": "jFRy72PNCAD",
    "0012": "KkNXFR7dxwf",
    "0013": "ONvUNx1fxx4",
    "0014": "ONvUNx1fxx4",
    "0015": "ONvUNx1fxx4",
}
"""The id of the link in each old database, by the revision of the database schema. Early ids have ten characters."""
ADDRESSES = (
    "/s/{id}",
    "/s/{id}#step=4",
    "/s/{id}#step=4&by=line",
    "/s/{id}#step=4&by=operator",
    "/?compare=s/{id},exp-saves-its-output#step=2",
)
"""All forms of a link's address so far, according to `git log -- static/js/session/address.js`."""


def test_there_is_a_store_of_every_revision_but_the_one_of_now() -> None:
    assert {path.stem for path in KEPT.glob("*.sql")} == set(LINKS) == set(sorted(revisions())[:-1])


@pytest.fixture(scope="module", params=LINKS)
def of_before(request: pytest.FixtureRequest) -> Iterator[tuple[Hosted, str]]:
    """Start a server with an old database. Yield the server and the id of the link."""
    with TemporaryDirectory(prefix="stepgrad-test-") as folder:
        Path(folder).chmod(0o777)  # a server started by root changes to another user
        store = Path(folder) / "stepgrad.sqlite"
        connection = sqlite3.connect(store)
        connection.executescript((KEPT / f"{request.param}.sql").read_text())
        connection.close()
        store.chmod(0o666)
        with hosted(data=folder) as up:
            yield up, LINKS[request.param]


@pytest.mark.sweep
def test_a_link_of_before_opens_at_its_step_in_every_way_it_was_written(
    of_before: tuple[Hosted, str], browser: Browser
) -> None:
    server, link = of_before
    tutor = Tutor(browser, server.url)
    for address in ADDRESSES:
        path = address.format(id=link)
        tutor.open(path)
        tutor.wait()
        expect(tutor.page.locator(".cm-content").first).to_contain_text("y = (x * 2).sum()")
        if (step := re.search(r"#step=(\d+)", path)) is not None:
            expect(tutor.page.locator(".position b")).to_have_text(f"Step {step[1]}")
        expect(tutor.page).to_have_url(re.compile(re.escape(server.url + path)))
    assert tutor.complaints == []
    tutor.context.close()


def test_addresses_of_lessons_as_they_once_were(visit: Visit) -> None:
    tutor = visit()
    for path in ("/?lesson=exp-saves-its-output#step=3", "/lessons/exp-saves-its-output#step=3"):
        tutor.open(path)
        tutor.wait()
        tutor.at_step(3)
        expect(tutor.page).to_have_url(f"{tutor.url}/lessons/exp-saves-its-output#step=3")
    tutor.open("/lessons/exp-saves-its-output#step=3&by=operator&on=stand-in")
    tutor.wait()
    tutor.at_step(3)
    for path in ("/?lesson=//elsewhere.example", "/?lesson=%0d%0aSet-Cookie:a", "/?lesson=nothing-like-it"):
        tutor.open(path)
        expect(tutor.page.locator(".cm-content")).to_contain_text("import torch")


def test_a_link_that_holds_the_code_opens_as_it_was_packed(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/#code=y8wtyC8qUSjJL0rO4KpQsIWw9PLzUos1jHQUilILSzOLUovj04sSU2xDikpTNbkqgao0KhS0FIw09YpLczU0uQA&step=3&by=line")
    expect(tutor.page.locator(".notice")).to_contain_text("This code came from a link")
    expect(tutor.page.locator(".cm-content")).to_contain_text("x = torch.ones(2, requires_grad=True)")
