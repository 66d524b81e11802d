"""Two web processes with one PostgreSQL behind HAProxy share recordings, links and deletions."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.fleet.webs import Web, Webs, answered, running_webs
from tests.haproxy import running_haproxy
from tests.postgresql import Cluster
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

UNIQUE = "import time\nx = time.perf_counter_ns()\nprint(x)\n"
"""A snippet that prints something else in every run."""
WRONG = """import torch
x = torch.ones(2, requires_grad=True)
h = x * 1
y = (h * h).sum()
h.data.mul_(100)
y.backward()
"""
LARGE = "x = [0]\nfor number in range(6000):\n    x[0] = number\n"
PIECES = {"Accept": "application/json, application/x-ndjson"}


@pytest.fixture(scope="module")
def database(cluster: Cluster) -> Iterator[str]:
    with cluster.database() as url:
        yield url


@pytest.fixture(scope="module")
def webs(database: str) -> Iterator[Webs]:
    """Start two web processes that run snippets themselves."""
    with running_webs(database) as up:
        yield up


class Visitor:
    """A client that can send requests to either web process."""

    def __init__(self, webs: Webs) -> None:
        self.clients = [web.up.client() for web in webs]
        self.clients[0].get("/")
        self.clients[1].cookies.update(self.clients[0].cookies)

    def ask(self, web: int, path: str, body: object = None, **more: Any) -> httpx.Response:
        client = self.clients[web]
        answer = client.get(path, **more) if body is None else client.post(path, json=body, **more)
        assert "stepgrad_visitor" not in answer.headers.get("set-cookie", ""), "both webs know the visitor"
        return answer

    def close(self) -> None:
        for client in self.clients:
            client.close()


@pytest.fixture
def visitor(webs: Webs) -> Iterator[Visitor]:
    with closing(Visitor(webs)) as somebody:
        yield somebody


def test_what_one_web_ran_the_other_shares(visitor: Visitor) -> None:
    """The process that did not run the snippet finds the recording by its token, for a link, fixes, corrected gradients and a
    picture.
    """
    for web, other in ((0, 1), (1, 0)):
        seen = visitor.ask(web, "/api/v1/traces", {"source": UNIQUE}).json()
        body = {"source": UNIQUE, "recording_token": seen["recording_token"]}
        link = visitor.ask(other, "/api/v1/snippets", body)
        assert link.status_code == 201, link.text
        for each in (0, 1):
            shown = visitor.ask(each, f"/api/v1/snippets/{link.json()['id']}").json()
            assert shown["document"]["trace"] == seen["trace"]
    seen = visitor.ask(0, "/api/v1/traces", {"source": WRONG}).json()
    body = {"source": WRONG, "recording_token": seen["recording_token"]}
    assert visitor.ask(1, "/api/v1/right", body).json()["kind"] != "unknown"
    assert visitor.ask(1, "/api/v1/trials", body).json()["trials"]
    wanted = {**body, "step": "last", "picture": "graph", "format": "dot"}
    assert visitor.ask(1, "/api/v1/pictures", wanted).headers["content-type"].startswith("text/vnd.graphviz")
    unseen = visitor.ask(1, "/api/v1/right", {"source": WRONG + "# never ran\n"})
    assert (unseen.status_code, unseen.json()["error"]) == (404, "unknown_run")


def runs(web: Web) -> int:
    """Return the number of runs that a web process has executed for visitors."""
    metrics = httpx.get(f"{web.url}/metrics", verify=False).text
    counts = re.findall(r'^stepgrad_runs_total{.*ended="finished".*} (\S+)$', metrics, flags=re.MULTILINE)
    return sum(int(float(count)) for count in counts)


def test_a_client_stays_at_one_web_until_that_dies(webs: Webs) -> None:
    """After one process has died, the other can share the recording that the client saw."""
    webs.both_up()
    with httpx.Client(base_url=webs.proxy.url, timeout=PATIENCE) as client:
        client.get("/")
        before = [runs(web) for web in webs]
        seen = [client.post("/api/v1/traces", json={"source": UNIQUE}).json() for _ in range(3)][-1]
        made = [runs(web) - count for web, count in zip(webs, before, strict=True)]
        assert sorted(made) == [0, 3]
        dies = webs[made.index(3)]
        dies.kill()
        try:
            body = {"source": UNIQUE, "recording_token": seen["recording_token"]}
            link = answered(lambda: client.post("/api/v1/snippets", json=body), 201).json()
            assert client.get(f"/api/v1/snippets/{link['id']}").json()["document"]["trace"] == seen["trace"]
        finally:
            dies.start()


def test_a_large_recording_is_fetched_from_the_other_web(visitor: Visitor) -> None:
    document = visitor.ask(0, "/api/v1/traces", {"source": LARGE}, headers=PIECES).json()
    address = f"/api/v1/recordings/{document['recording']}"
    fetched = [visitor.ask(web, address) for web in (0, 1)]
    assert [answer.status_code for answer in fetched] == [200, 200] and fetched[0].content == fetched[1].content
    link = visitor.ask(1, "/api/v1/snippets", {"source": LARGE}).json()
    token = {"X-Deletion-Token": link["deletion_token"]}
    assert visitor.clients[0].delete(f"/api/v1/snippets/{link['id']}", headers=token).status_code == 204
    assert [visitor.ask(web, address).status_code for web in (0, 1)] == [404, 404], "deleted is deleted at both"


def new_key(database: str, data: Path) -> None:
    """Generate a signing key as an operator does."""
    environment = {**os.environ, "STEPGRAD_DATABASE": database, "STEPGRAD_DATA": str(data)}
    subprocess.run([sys.executable, "-m", "app", "new-key"], env=environment, check=True, stdout=subprocess.DEVNULL)


class OtherRelease(BaseHTTPRequestHandler):
    """A web process of another release, with other static files."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Respond to health checks with 200, and to all other requests with 404."""
        self.send_response(200 if self.path == "/api/v1/health" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_page_gets_its_files_while_two_releases_serve(webs: Webs) -> None:
    """A page requests files of its own release. After a 404, HAProxy asks the other web process."""
    page = httpx.get(webs[0].url).text
    files = sorted(set(re.findall(r'(/static/[^"]+)"', page)))
    with ThreadingHTTPServer(("127.0.0.1", 0), OtherRelease) as other, ThreadPoolExecutor(1) as pool:
        serving = pool.submit(other.serve_forever)
        try:
            address = f"http://127.0.0.1:{other.server_address[1]}"
            with running_haproxy(address, webs[0].url) as proxy, httpx.Client(base_url=proxy.url) as client:
                assert len(files) > 3
                for _ in range(4):
                    assert {client.get(file).status_code for file in files} == {200}
                assert client.get("/static/000000000000/bundle/player.js").status_code == 404
        finally:
            other.shutdown()
            serving.result(PATIENCE)


@pytest.mark.long
def test_a_new_key_reaches_both(webs: Webs, database: str, visitor: Visitor) -> None:
    """Within a minute, both processes sign with the new key. Both processes accept signatures with the new and the previous
    key.
    """
    before = dict(visitor.clients[0].cookies)
    new_key(database, webs[0].up.data)
    with psycopg.connect(database, autocommit=True) as connection:  # makes the keys two minutes older
        connection.execute("UPDATE signing_keys SET made = made - interval '2 minutes'")
    for client in visitor.clients:
        wait_until(lambda: "set-cookie" in client.get("/api/v1/health").headers)  # noqa: B023 - asked at once
    assert visitor.clients[0].cookies["stepgrad_visitor"] != before["stepgrad_visitor"]
    visitor.clients[1].cookies.update(visitor.clients[0].cookies)
    assert visitor.ask(1, "/api/v1/health").status_code == 200, "what one signed the other knows"
    name = before["stepgrad_visitor"].partition(".")[0]
    assert visitor.clients[1].cookies["stepgrad_visitor"].startswith(f"{name}."), "and it names the same visitor"
