"""Every error response has a status, an error code and a message in the same format."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx
import pytest
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from app.web.edge.middleware import SameSiteOnly
from tests.sandbox.processes import PATIENCE
from tests.web.server import Hosted, hosted
from tests.web.test_streams import SLEEP, asking

JSON = {"Content-Type": "application/json"}


def snippet(source: str, **more: Any) -> bytes:
    return json.dumps({"source": source, **more}).encode()


BAD_BODIES: list[tuple[str, bytes, int, str]] = [
    ("empty body", b"", 422, "invalid"),
    ("not JSON", b"source=1", 400, "malformed"),
    ("cut JSON", b'{"source": "x', 400, "malformed"),
    ("not UTF-8", b'{"source": "\xff\xfe"}', 400, "malformed"),
    ("deep JSON", b"[" * 100_000, 400, "malformed"),
    ("a number of 5000 digits", b'{"source": "x", "seed": ' + b"9" * 5000 + b"}", 400, "malformed"),
    ("not an object", b"[1]", 422, "invalid"),
    ("null", b"null", 422, "invalid"),
    ("no source", b"{}", 422, "invalid"),
    ("source is a number", b'{"source": 5}', 422, "invalid"),
    ("something else besides", snippet("x", limits={"wall_seconds": 1000}), 422, "invalid"),
    ("seed is text", snippet("x", seed="1"), 422, "invalid"),
    ("seed is a fraction", snippet("x", seed=1.5), 422, "invalid"),
    ("seed is negative", snippet("x", seed=-1), 422, "invalid"),
    ("seed is too large", snippet("x", seed=2**53 + 1), 422, "invalid"),
    ("seed is not a number", b'{"source": "x", "seed": NaN}', 422, "invalid"),
    ("stand_in is a number", snippet("x", stand_in=1), 422, "invalid"),
    ("empty snippet", snippet(""), 422, "empty_snippet"),
    ("blank snippet", snippet(" \n\t\n"), 422, "empty_snippet"),
    ("NUL", snippet("x = 1\0"), 422, "not_text"),
    ("lone surrogate", snippet("x = '\ud800'"), 422, "not_text"),
    ("snippet beyond its limit", snippet("x" * (256 * 1024 + 1)), 413, "too_large"),
    ("snippet beyond its limit in bytes only", snippet("é" * (128 * 1024 + 1)), 413, "too_large"),
    ("body beyond its limit", b" " * (2 * 1024 * 1024 + 1), 413, "too_large"),
]


def assert_problem(response: httpx.Response, status: int, error: str) -> None:
    assert response.status_code == status, response.text
    body = response.json()
    assert body.keys() == {"error", "message", "hint"}
    assert body["error"] == error
    for sentence in (body["message"], body["hint"]):
        assert sentence[0].isupper() and sentence.endswith("."), sentence
    assert response.headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("path", ["/api/v1/traces", "/api/v1/snippets"])
@pytest.mark.parametrize(("body", "status", "error"), [case[1:] for case in BAD_BODIES], ids=[case[0] for case in BAD_BODIES])
def test_bad_bodies(client: httpx.Client, path: str, body: bytes, status: int, error: str) -> None:
    assert_problem(client.post(path, content=body, headers=JSON), status, error)


def test_body_beyond_its_limit_without_a_length(client: httpx.Client) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(80):
            yield b" " * 65536

    assert_problem(client.post("/api/v1/traces", content=chunks(), headers=JSON), 413, "too_large")


@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_content_types(client: httpx.Client, content_type: str | None) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    assert_problem(client.post("/api/v1/traces", content=snippet("x = 1"), headers=headers), 415, "not_json")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/v1/traces", "POST"),
        ("HEAD", "/api/v1/traces", "POST"),
        ("PUT", "/api/v1/snippets", "POST"),
        ("PUT", "/api/v1/snippets/abc", "DELETE, GET, PATCH"),
        ("PATCH", "/api/v1/health", "GET"),
        ("OPTIONS", "/api/v1/traces", "POST"),
    ],
)
def test_methods(client: httpx.Client, method: str, path: str, allowed: str) -> None:
    response = client.request(method, path)
    assert response.status_code == 405
    assert response.headers["allow"] == allowed
    if method != "HEAD":
        assert_problem(response, 405, "method_not_allowed")


@pytest.mark.parametrize(
    "path", ["/nope", "/api", "/api/", "/api/v1/traces/", "/static/0/x.js", "/words/xx.ftl", "/docs", "/s/", "/%00", "/s/%00"]
)
def test_unknown_addresses(client: httpx.Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert_problem(response, 404, response.json()["error"])


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/api/health", "/api/traces", "/api/snippets/abc", "/api/v2/lessons", "/api/"])
def test_addresses_of_other_versions_say_where_the_api_is(client: httpx.Client, path: str, method: str) -> None:
    content = snippet("x = 1") if method == "POST" else None
    response = client.request(method, path, content=content, headers={**JSON, "Accept": "text/html"})
    assert_problem(response, 404, "other_build")
    assert "The API of this version is at /api/v1." in response.json()["hint"]
    assert_problem(client.get("/api/v1/nope"), 404, "not_found")


@pytest.mark.parametrize("snippet_id", ["aaaaaaaaaa", "x", "..%2f..%2fetc", "%00", "x" * 5000, "ü"])
def test_unknown_snippets(client: httpx.Client, snippet_id: str) -> None:
    response = client.get(f"/api/v1/snippets/{snippet_id}")
    assert_problem(response, 404, "not_found" if "%2f" in snippet_id else "unknown_snippet")
    page = client.get(f"/s/{snippet_id}", headers={"Accept": "text/html,*/*"})
    assert page.status_code == 404
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>There is no" in page.text


NO_HOSTS = [
    *(
        "localhost:@evil.example",
        "localhost:80@evil.example",
        "evil.example@localhost",
        "localhost:",
        "localhost:x",
        "localhost:-1",
    ),
    *(
        "localhost/evil.example",
        "localhost#evil.example",
        "localhost?evil.example",
        "localhost\\evil.example",
        "localhost:8000:80",
    ),
    *(
        "[::1]evil.example",
        "[::1]@evil.example",
        "[::1",
        "::1",
        "[::1]:",
        "[localhost]",
        "localhost evil.example",
        "local host",
    ),
]
"""Invalid values of the Host header that contain a valid host name."""


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]", "", "0.0.0.0", "10.0.0.1:80", *NO_HOSTS],
)
def test_foreign_hosts(client: httpx.Client, host: str) -> None:
    assert_problem(client.get("/api/v1/health", headers={"Host": host}), 400, "foreign_host")


@pytest.mark.parametrize(
    "hosts",
    [
        b"",
        b"Host: localhost\r\nHost: evil.example\r\n",
        b"Host: evil.example\r\nHost: localhost\r\n",
        b"Host: localhost\r\nHost: localhost\r\n",
        b"Host: localhost\r\nhOST: evil.example\r\n",
        b"Host: localhost, evil.example\r\n",
    ],
)
def test_one_host_and_no_other(server: Hosted, hosts: bytes) -> None:
    request = b"GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n" + hosts + b"\r\n"
    assert_problem(answer(server, request), 400, "foreign_host")


def test_the_address_of_a_proxy_request_is_not_the_host(server: Hosted) -> None:
    request = b"GET http://localhost/api/v1/health HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\n\r\n"
    assert_problem(answer(server, request), 400, "foreign_host")


def test_hosts_that_the_setting_names() -> None:
    with hosted(hosts="stepgrad.example, Other.Example") as up, up.client() as client:
        for host in ("stepgrad.example", "STEPGRAD.example:8000", "other.example", "stepgrad.example.", "localhost"):
            assert client.get("/api/v1/health", headers={"Host": host}).status_code == 200, host
        for host in ("www.stepgrad.example", "stepgrad.example.evil.example", "example", "stepgrad.example:@evil.example"):
            assert_problem(client.get("/api/v1/health", headers={"Host": host}), 400, "foreign_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000"])
def test_own_hosts(client: httpx.Client, host: str) -> None:
    assert client.get("/api/v1/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "{host}"},
        {"Origin": "//{host}"},
        {"Origin": "ftp://{host}"},
        {"Origin": "http://{host}/"},
        {"Origin": "http://{host}@evil.example"},
        {"Origin": "http://evil.example@{host}"},
        {"Origin": "http://evil.example://{host}"},
        {"Origin": "http://{host} http://evil.example"},
    ],
)
def test_cross_site(client: httpx.Client, headers: dict[str, str]) -> None:
    host = f"{client.base_url.host}:{client.base_url.port}"
    sent = JSON | {name: value.format(host=host) for name, value in headers.items()}
    assert_problem(client.post("/api/v1/traces", content=snippet("x = 1"), headers=sent), 403, "cross_site")


def test_own_page_may_ask(server: Hosted, client: httpx.Client) -> None:
    headers = JSON | {"Sec-Fetch-Site": "same-origin", "Origin": server.url}
    assert client.post("/api/v1/traces", content=snippet("x = 1"), headers=headers).status_code == 200


def test_busy() -> None:
    """One request waits and fails after a second. All further requests fail at once. Afterwards, the server accepts requests
    again.
    """

    def one(_: int) -> httpx.Response:
        with one_place.client() as visitor:
            return visitor.post("/api/v1/traces", content=snippet("x = 1"), headers=JSON)

    settings = {"runs_in_flight": "1", "queue_length": "1", "queue_seconds": "1", "limits__wall_seconds": "600"}
    with hosted(**settings) as one_place, ThreadPoolExecutor(5) as pool, one_place.client() as client:
        with asking(one_place, SLEEP) as (_, told):
            assert next(told)[0] == "running"
            for response in pool.map(one, range(5)):
                assert_problem(response, 429, "busy")
                assert 1 <= int(response.headers["retry-after"]) <= 60
        one_place.quiet()
        assert client.post("/api/v1/traces", content=snippet("x = 1"), headers=JSON).status_code == 200


def test_full_store(cramped: Hosted) -> None:
    with cramped.client() as client:
        assert_problem(client.post("/api/v1/snippets", content=snippet("x = 1"), headers=JSON), 507, "store_full")
        assert client.post("/api/v1/traces", content=snippet("x = 1"), headers=JSON).status_code == 200


def answer(server: Hosted, request: bytes) -> httpx.Response:
    """Send bytes, and return the response up to the end of the connection."""
    url = httpx.URL(server.url)
    received = b""
    with socket.create_connection((url.host, url.port or 80), timeout=PATIENCE) as connection, suppress(ConnectionError):
        with suppress(ConnectionError):  # the server may respond before it has read the whole request
            connection.sendall(request)
        while piece := connection.recv(1 << 16):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
    return httpx.Response(int(first.split()[1]), headers=headers, content=body)


def taken(server: Hosted, begin: bytes, piece: bytes) -> int:
    """Send `piece` up to 200 times, and return how often this succeeded before the server closed the connection."""
    url = httpx.URL(server.url)
    sent = 0
    with socket.create_connection((url.host, url.port or 80), timeout=PATIENCE) as connection, suppress(ConnectionError):
        connection.sendall(begin)
        while sent < 200:
            connection.sendall(piece)
            sent += 1
    return sent


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    ],
)
def test_what_is_no_http(server: Hosted, request_bytes: bytes) -> None:
    assert_problem(answer(server, request_bytes), 400, "not_http")


@pytest.mark.parametrize(
    "line", [b"X-" + b"a" * 1000 + b": b\r\n", b"a" * 1000], ids=["headers without end", "one header without end"]
)
def test_a_head_without_end(server: Hosted, line: bytes) -> None:
    """The parser would accept headers of any size, but needs a minute for 200 MB."""
    begin = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "
    assert_problem(answer(server, begin + line * 70), 431, "too_large")
    assert taken(server, begin, line * 1000) < 200, "200 MB were taken, of which 64 KiB may be"


def test_a_key_of_the_body_is_not_echoed_at_length(client: httpx.Client) -> None:
    response = client.post("/api/v1/traces", content=snippet("x", **{"k" * 100_000: 1}), headers=JSON)
    assert_problem(response, 422, "invalid")
    assert len(response.text) < 1000


def test_a_body_without_end_is_hung_up_on(server: Hosted) -> None:
    begin = (
        b"POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    assert taken(server, begin, b"100000\r\n" + b"a" * (1 << 20) + b"\r\n") < 200, "200 MiB were taken, of which 2 may be"


@pytest.mark.parametrize(
    ("arrived_at", "host", "status"),
    [
        ("192.0.2.1", "192.0.2.1", 200),
        ("192.0.2.1", "192.0.2.1:8000", 200),
        ("192.0.2.1", "192.0.2.2", 400),
        ("192.0.2.1", "evil.example", 400),
        ("2001:db8::1", "[2001:db8::1]:8000", 200),
        ("2001:db8::1", "[2001:db8::2]", 400),
    ],
)
async def test_the_address_it_was_reached_at_is_its_own(arrived_at: str, host: str, status: int) -> None:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await Response()(scope, receive, send)

    scope = {"type": "http", "method": "GET", "headers": [(b"host", host.encode())], "server": (arrived_at, 8000)}
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    await SameSiteOnly(application)(scope, receive, send)
    assert sent[0]["status"] == status
