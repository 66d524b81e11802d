"""HAProxy with the configuration from the documentation passes only requests for the site's own host names."""

import socket
from collections.abc import Iterator

import httpx
import pytest

from tests.haproxy import running_haproxy
from tests.sandbox.processes import PATIENCE
from tests.web.server import hosted

SITE = "stepgrad.example:8443"


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    """Start HAProxy in front of a web process with two host names, and yield its address."""
    settings = {"hosts": "stepgrad.example,other.example", "proxies": "127.0.0.1"}
    with hosted(**settings) as up, running_haproxy(up.url, up.url, SITE) as proxy:
        yield proxy.url


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "other.example", "stepgrad.example", "stepgrad.example:80", "127.0.0.1", ""),
        *(f"{SITE}@evil.example", "stepgrad.example:@evil.example", f"evil.example, {SITE}x"),
    ],
)
def test_a_request_for_another_name_is_sent_to_that_of_the_site(proxy: str, host: str) -> None:
    answer = httpx.get(f"{proxy}/lessons?a=1", headers={"Host": host}, verify=False)
    assert answer.status_code in (308, 400), answer.text
    if answer.status_code == 308:
        assert answer.headers["location"] == f"http://{SITE}/lessons?a=1"


def test_a_web_hears_the_name_of_the_site_alone(proxy: str) -> None:
    """HAProxy removes a second Host header. Pages contain the host name in lower case."""
    port = int(proxy.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as client:
        head = f"GET /lessons/data-hides-the-write HTTP/1.1\r\nHost: {SITE}\r\nHost: other.example\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode())
        said = b"".join(iter(lambda: client.recv(65536), b""))
    assert b"other.example" not in said
    page = httpx.get(f"{proxy}/lessons/data-hides-the-write", headers={"Host": SITE.upper()}, verify=False)
    assert page.status_code == 200 and "STEPGRAD.EXAMPLE" not in page.text


def test_the_site_s_own_page_runs_a_snippet(proxy: str) -> None:
    headers = {"Host": SITE, "Origin": f"http://{SITE}"}
    answer = httpx.post(f"{proxy}/api/v1/traces", json={"source": "x = 1\n"}, headers=headers, timeout=PATIENCE, verify=False)
    assert answer.status_code == 200 and answer.json()["trace"]["ended"] == {"kind": "finished"}
    foreign = {"Host": SITE, "Origin": "http://other.example"}
    assert httpx.post(f"{proxy}/api/v1/traces", json={"source": "x = 1\n"}, headers=foreign, verify=False).status_code == 403
