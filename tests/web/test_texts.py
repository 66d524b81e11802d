"""Links as plain text: content negotiation, language, removal of control characters, and limits."""

import json
import re
import time
from collections.abc import Iterator

import httpx
import pytest
from starlette.datastructures import Headers

from app.web.links.text_negotiation import prefers_text
from tests.pace import reading_seconds
from tests.web.server import Hosted, hosted

TEXT = {"Accept": "text/plain"}
CHINESE = {"Accept-Language": "zh-CN"}
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066\u2067\U000e0000-\U000e007f]")
"""Control characters that a terminal interprets, and characters that reverse or hide text.

Isolates are not included, because the server puts them around each line.
"""
HOSTILE = """import torch  # \x1b[31m \u202e \u200b \U000e0041
x = torch.ones(2)
print("\x1b]0;owned\x07 \u2067 \x9b2J", "a" + "\u0301" * 50)
raise ValueError("\x1b[2J\u202e")
"""


def share(client: httpx.Client, source: str, **more: str) -> dict[str, str]:
    made: dict[str, str] = client.post("/api/v1/snippets", json={"source": source, **more}).raise_for_status().json()
    return made


@pytest.fixture(scope="module")
def link(client: httpx.Client) -> dict[str, str]:
    return share(client, "import torch\nx = torch.ones(3)\nx.add_(1)\n", title="Ones", author="Ada")


@pytest.mark.parametrize(
    ("accept", "is_text"),
    [
        ("text/plain", True),
        ("text/plain; charset=utf-8", True),
        ("TEXT/PLAIN;Q=0.5", True),
        ("text/plain, */*;q=0.1", True),
        ("text/plain, text/html;q=0.9, application/json;q=0.9", True),
        ("*/*", False),
        ("", False),
        ("text/*, application/*", False),
        ("text/plain;q=0", False),
        ("text/plain;q=0.1, */*", False),
        ("text/plain;q=nan", False),
        ("text/plain;q=x", False),
        ("text/plain, */*", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,application/json,*/*;q=0.8", False),
        ("text/html, application/json, text/plain", False),
        ("image/png", False),
        ("," * 60 + "text/plain", False),
    ],
)
def test_who_prefers_text_gets_it(client: httpx.Client, link: dict[str, str], accept: str, is_text: bool) -> None:
    for path, otherwise in ((link["url"], "text/html; charset=utf-8"), (f"/api/v1/snippets/{link['id']}", "application/json")):
        answer = client.get(path, headers={"Accept": accept})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == ("text/plain; charset=utf-8" if is_text else otherwise), path
        assert "Accept" in re.split(", ?", answer.headers["vary"])


def test_a_long_accept_is_read_in_no_time() -> None:
    for accept in ("text/plain," * 6000, ";" * 65_000, "text/plain;" + "q" * 65_000, "text/plain" + ";q=1" * 16_000):
        began = time.thread_time()
        prefers_text(Headers({"accept": accept}), "text/html")
        assert time.thread_time() - began < reading_seconds()


def test_it_is_the_run_in_the_words_of_the_page(client: httpx.Client, link: dict[str, str]) -> None:
    answer = client.get(link["url"], headers=TEXT)
    lines = answer.text.splitlines()
    assert lines[:3] == ["Shared as: Ones", "by Ada", ""]
    assert lines[3:5] == ["line 1: import torch", "line 2: x = torch.ones(3)"]
    assert lines[-1] == "The snippet ran to its end."
    assert answer.headers["content-language"] == "en"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert (answer.headers["cache-control"], answer.headers["x-robots-tag"]) == ("no-store", "noindex")
    assert client.get(f"/api/v1/snippets/{link['id']}", headers=TEXT).text == answer.text
    chinese = client.get(link["url"], headers=TEXT | CHINESE)
    assert chinese.headers["content-language"] == "zh-CN"
    assert chinese.text.splitlines()[:5] == [
        "分享者的话：Ones",
        "作者：Ada",
        "",
        "第 1 行：import torch",
        "第 2 行：x = torch.ones(3)",
    ]
    packed = client.get(link["url"], headers=TEXT | {"Accept-Encoding": "gzip"})
    assert packed.text == answer.text
    assert client.head(link["url"], headers=TEXT).headers["content-type"] == "text/plain; charset=utf-8"


def test_nothing_in_it_is_obeyed_or_hidden(client: httpx.Client) -> None:
    hostile = share(client, HOSTILE, title="T \u202e \u200b", author="a" + "\u0301" * 30)
    for language in ({}, CHINESE):
        told = client.get(hostile["url"], headers=TEXT | language).text
        assert OBEYED.findall(told) == []
        assert "\u0301" * 5 not in told
        assert "\\x1b]0;owned\\x07" in told and "\\u202e" in told


def test_a_long_run_is_cut_and_says_so(client: httpx.Client) -> None:
    link = share(client, "import torch\nx = torch.ones(3)\nfor i in range(1500):\n    y = x * i\n")
    told = client.get(link["url"], headers=TEXT).text
    assert 200_000 < len(told) < 201_000
    assert told.splitlines()[-2:] == [
        "The text is cut here: this part has more than 200,000 characters.",
        "The snippet ran to its end.",
    ]


def test_a_recording_that_is_too_large_is_refused(client: httpx.Client) -> None:
    source = "import torch\nx = torch.ones(3, requires_grad=True)\nfor i in range(2000):\n    (x * 2).sum().backward()\n"
    link = share(client, source)
    answer = client.get(link["url"], headers=TEXT)
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large_for_text")


def test_a_link_that_is_gone_tells_nothing(client: httpx.Client) -> None:
    link = share(client, "x = 'soon gone'\n")
    assert client.get(link["url"], headers=TEXT).status_code == 200
    token = {"X-Deletion-Token": link["deletion_token"]}
    assert client.delete(f"/api/v1/snippets/{link['id']}", headers=token).status_code == 204
    for path in (link["url"], f"/api/v1/snippets/{link['id']}"):
        answer = client.get(path, headers=TEXT)
        assert (answer.status_code, answer.json()["error"]) == (404, "unknown_snippet")


@pytest.fixture
def narrow() -> Iterator[Hosted]:
    with hosted(visitor_burst="1e6", address_burst="1e6") as up:
        yield up


def test_one_address_has_so_many_texts_made(narrow: Hosted) -> None:
    with narrow.client() as client:
        links = [share(client, f"x = {number}\n")["url"] for number in range(45)]
        answers = [client.get(link, headers=TEXT) for link in links]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused and refused[0].json()["error"] == "too_often" and int(refused[0].headers["retry-after"]) >= 1
        assert client.get(links[0], headers=TEXT).status_code == 200, "what is kept is for everybody, as often as they like"


def test_a_page_is_still_a_page_for_a_browser(client: httpx.Client, link: dict[str, str]) -> None:
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
    assert client.get(link["url"], headers={"Accept": browser}).text.startswith("<!doctype html>")
    page = {"Accept": "application/json, application/x-ndjson"}
    assert json.loads(client.get(f"/api/v1/snippets/{link['id']}", headers=page).content)["id"] == link["id"]
