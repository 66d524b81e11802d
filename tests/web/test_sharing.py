"""The public address of the page in links and QR codes."""

import json
import re
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest
import zxingcpp

from tests.web.server import Hosted, hosted

NAMED = {"host": "stepgrad.example:8000"}


@pytest.fixture(scope="module")
def open_server() -> Iterator[Hosted]:
    """Start a server behind a proxy, with a public host name."""
    with hosted(hosts="stepgrad.example", proxies="127.0.0.0/8") as up:
        yield up


def made(client: httpx.Client, **headers: str) -> str:
    return str(client.post("/api/v1/snippets", json={"source": "x = 1\n"}, headers=headers).raise_for_status().json()["id"])


def read(svg: str) -> str:
    """Decode a QR code in SVG that consists of horizontal lines."""
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert found is not None
    pixels = np.full((int(found[2]), int(found[1])), 255, np.uint8)
    (strokes,) = re.findall(r'class="qrline"[^>]* d="([^"]*)"', svg)
    x = y = 0.0
    for letter, numbers in re.findall(r"([Mmh])([-\d. ]+)", strokes):
        first, *others = map(float, numbers.replace("-", " -").split())
        if letter == "h":
            pixels[int(y), int(x) : int(x + first)] = 0
            x += first
        else:
            x, y = (first, others[0]) if letter == "M" else (x + first, y + others[0])
    (code,) = zxingcpp.read_barcodes(np.kron(pixels, np.ones((4, 4), np.uint8)))
    return str(code.text)


def test_a_page_of_this_machine_alone_says_where_it_could_be_reached(client: httpx.Client) -> None:
    told = client.get("/api/v1/address").json()
    assert told["address"] is None and told["listens"] is False
    port = client.base_url.port
    for address in told["nearby"]:
        parts = urlsplit(address)
        assert (parts.scheme, parts.port) == ("http", port)
        assert parts.hostname is not None and not ip_address(parts.hostname).is_loopback
        family = socket.AF_INET6 if ":" in parts.hostname else socket.AF_INET
        with socket.socket(family) as ours:
            ours.bind((parts.hostname, 0))  # a server can listen only on addresses of its machine
    refused = client.get(f"/api/v1/snippets/{made(client)}/qr.svg")
    assert (refused.status_code, refused.json()["error"]) == (409, "no_public_address")


def test_the_qr_code_is_the_link_with_its_step(open_server: Hosted) -> None:
    with open_server.client() as client:
        assert client.get("/api/v1/address", headers=NAMED).json()["address"] == "http://stepgrad.example:8000"
        snippet_id = made(client, **NAMED)
        drawn = client.get(f"/api/v1/snippets/{snippet_id}/qr.svg", params={"at": "step=8&by=line"}, headers=NAMED)
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert read(drawn.text) == f"http://stepgrad.example:8000/s/{snippet_id}#step=8&by=line"
        plain = client.get(f"/api/v1/snippets/{snippet_id}/qr.svg", headers=NAMED)
        assert read(plain.text) == f"http://stepgrad.example:8000/s/{snippet_id}"


def test_a_proxy_says_that_the_page_came_by_https(open_server: Hosted) -> None:
    with open_server.client() as client:
        by_https = {**NAMED, "x-forwarded-proto": "https"}
        assert client.get("/api/v1/address", headers=by_https).json()["address"] == "https://stepgrad.example:8000"
        strange = {**NAMED, "x-forwarded-proto": "javascript"}
        assert client.get("/api/v1/address", headers=strange).json()["address"] == "http://stepgrad.example:8000"


def test_the_setting_says_where_it_is_reached() -> None:
    with hosted(public_address="https://torch.example") as up, up.client() as client:
        assert client.get("/api/v1/address").json()["address"] == "https://torch.example"
        snippet_id = made(client)
        assert read(client.get(f"/api/v1/snippets/{snippet_id}/qr.svg").text) == f"https://torch.example/s/{snippet_id}"


@pytest.mark.parametrize("at", ["step=1#<svg>", "a" * 1601, "step=1\nx", "javascript:alert(1)"])
def test_what_stands_behind_the_link_is_checked(client: httpx.Client, at: str) -> None:
    assert client.get(f"/api/v1/snippets/{made(client)}/qr.svg", params={"at": at}).status_code == 422


NOTES = {"step=2": "look\nhere", "step=3&by=operator": "名字 🙂 <b>\u202e"}


def test_notes_are_published_changed_and_taken_away(client: httpx.Client) -> None:
    link = client.post("/api/v1/snippets", json={"source": "x = 'noted'\n"}).json()
    api, headers = f"/api/v1/snippets/{link['id']}", {"X-Deletion-Token": link["deletion_token"]}
    heading = {"title": "", "author": ""}
    assert client.patch(api, json={**heading, "notes": NOTES}).json()["error"] == "wrong_token"
    assert "notes" not in client.get(api).json()
    assert client.patch(api, json={**heading, "notes": NOTES}, headers=headers).status_code == 204
    assert client.get(api).json()["notes"] == NOTES
    assert client.patch(api, json={**heading, "title": "kept"}, headers=headers).status_code == 204
    assert client.get(api).json()["notes"] == NOTES, "what is not sent stays"
    assert client.patch(api, json={**heading, "notes": {"step=2": " "}}, headers=headers).status_code == 204
    assert "notes" not in client.get(api).json()


@pytest.mark.parametrize(
    "notes",
    [
        {"step=0": "a"},
        {"step=1#<svg>": "a"},
        {"__proto__": "a"},
        {"step=1\n": "a"},
        {"step=1": "a" * 2001},
        {"step=1": 7},
        {"step=1": "a\0b"},
        {"step=1": "half \ud800"},
        {f"step={number}": "a" for number in range(1, 302)},
        {f"step={number}": "a" * 1999 for number in range(1, 10)},
        ["a"],
    ],
)
def test_notes_are_bounded(client: httpx.Client, notes: object) -> None:
    link = client.post("/api/v1/snippets", json={"source": "x = 'noted'\n"}).json()
    api, headers = f"/api/v1/snippets/{link['id']}", {"X-Deletion-Token": link["deletion_token"]}
    body = json.dumps({"title": "", "author": "", "notes": notes})  # JSON escapes can encode a single half of a surrogate pair
    answer = client.patch(api, content=body, headers={**headers, "Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "notes" not in client.get(api).json()


def test_a_recording_is_sent_as_one_file_to_be_saved(client: httpx.Client) -> None:
    made = client.post("/api/v1/snippets", json={"source": "x = 1\n", "title": "</title><script>"}).json()
    answer = client.get(f"/api/v1/snippets/{made['id']}/recording.html", params={"language": "zh-CN"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="stepgrad-{made["id"]}.html"'
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert '<html lang="zh-CN"' in answer.text and "<title>&lt;/title&gt;&lt;script&gt; · Stepgrad</title>" in answer.text
    assert answer.text.count("<script") == 5 and "default-src 'none'; script-src 'sha256-" in answer.text
    again = client.get(f"/api/v1/snippets/{made['id']}/recording.html", params={"language": "zh-CN"})
    assert again.content == answer.content
    assert client.get(f"/api/v1/snippets/{made['id']}/recording.html?language=fr").status_code == 422
    assert client.get("/api/v1/snippets/aaaaaaaaaaa/recording.html").status_code == 404
