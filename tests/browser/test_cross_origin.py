"""Scripts on another origin can read shared recordings if the operator allows that origin (CORS), and can change nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.frames import course
from tests.web.server import Hosted, hosted

READ = """async ([address, options]) => {
  try {
    const answer = await fetch(address, options);
    return [answer.status, answer.headers.get("content-type"), (await answer.text()).slice(0, 2000)];
  } catch (error) {
    return [0, error.name, ""];
  }
}"""
SHOWN = """([address, mode]) => new Promise((resolve) => {
  const image = new Image();
  if (mode !== null) image.crossOrigin = mode;
  image.onload = () => resolve(image.naturalWidth);
  image.onerror = () => resolve(0);
  image.src = address;
})"""
REFUSED = [0, "TypeError", ""]


@pytest.fixture(scope="module")
def allowed() -> Iterator[str]:
    with course() as up:
        yield up


@pytest.fixture(scope="module")
def stranger() -> Iterator[str]:
    with course() as up:
        yield up


@pytest.fixture(scope="module")
def up(allowed: str) -> Iterator[Hosted]:
    with hosted(limits__wall_seconds="120", cors_origins=allowed) as up:
        yield up


@pytest.fixture(scope="module")
def link(up: Hosted) -> dict[str, str]:
    with up.client() as client:
        made: dict[str, str] = client.post("/api/v1/snippets", json={"source": "import torch\nx = torch.ones(3)\n"}).json()
    return made


@pytest.fixture
def page(browser: Browser, allowed: str) -> Iterator[Page]:
    """A page on the allowed origin."""
    context = browser.new_context()
    opened = context.new_page()
    opened.goto(allowed)
    yield opened
    context.close()


def read(page: Page, address: str, **options: object) -> list[object]:
    answer: list[object] = page.evaluate(READ, [address, options])
    return answer


def test_the_page_that_is_allowed_reads_a_link(page: Page, up: Hosted, link: dict[str, str]) -> None:
    api = f"{up.url}/api/v1/snippets/{link['id']}"
    status, kind, text = read(page, api)
    assert (status, kind) == (200, "application/json") and '"source":"import torch' in str(text)
    status, kind, text = read(page, f"{api}/recording.html")
    assert status == 200 and str(text).startswith("<!doctype html>")
    assert read(page, f"{up.url}/api/v1/snippets/AAAAAAAAAA")[0] == 404, "and why it may not"
    picture = f"{up.url}/s/{link['id']}/picture.png"
    assert page.evaluate(SHOWN, [picture, "anonymous"]) == 1200
    assert page.evaluate(SHOWN, [picture, None]) == 0, "without its origin nobody knows who asks"


def test_the_example_of_the_documentation_reads_a_text(page: Page, up: Hosted, link: dict[str, str]) -> None:
    (example,) = re.findall(r"^```js\n(.*?)^```$", Path("docs/api.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    written = "http://127.0.0.1:8000/s/ID"
    assert example.count(written) == 1
    told = page.evaluate(f"async () => {{ {example.replace(written, up.url + link['url'])} return told; }}")
    assert told.startswith("line 1: import torch\nline 2: x = torch.ones(3)\n")


def test_it_reads_nothing_with_cookies_and_no_page(page: Page, up: Hosted, link: dict[str, str]) -> None:
    page.context.new_page().goto(up.url)  # sets a cookie for both origins, which belong to the same site
    assert [cookie["name"] for cookie in page.context.cookies(up.url)] == ["stepgrad_visitor"]
    assert read(page, f"{up.url}/api/v1/snippets/{link['id']}", credentials="include") == REFUSED
    for path in (f"/s/{link['id']}", "/", "/api/v1/health", f"/api/v1/snippets/{link['id']}/right"):
        assert read(page, up.url + path) == REFUSED, path


def test_it_does_nothing(page: Page, up: Hosted, link: dict[str, str]) -> None:
    api, body = f"{up.url}/api/v1/snippets", '{"source": "x = 1"}'
    for kind in ("application/json", "text/plain"):  # with and without a preflight request
        for path in (f"{up.url}/api/v1/traces", api):
            assert read(page, path, method="POST", body=body, headers={"Content-Type": kind}) == REFUSED, path
    token = {"X-Deletion-Token": link["deletion_token"]}
    assert read(page, f"{api}/{link['id']}", method="DELETE", headers=token) == REFUSED
    assert read(page, f"{api}/{link['id']}", headers=token) == REFUSED, "a header of its own asks for leave that there is not"
    with up.client() as client:
        assert client.get(f"/api/v1/snippets/{link['id']}").status_code == 200


def test_another_page_reads_nothing(browser: Browser, up: Hosted, stranger: str, link: dict[str, str]) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(stranger)
    try:
        for path in (f"/api/v1/snippets/{link['id']}", f"/api/v1/snippets/{link['id']}/recording.html", "/oembed"):
            assert read(page, up.url + path) == REFUSED, path
        assert page.evaluate(SHOWN, [f"{up.url}/s/{link['id']}/picture.png", "anonymous"]) == 0
    finally:
        context.close()
