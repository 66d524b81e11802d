"""Two webs on one Redis and one PostgreSQL, with one worker: any request of a visitor may reach either."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from app.fleet import SharedFiles, open_redis
from app.store import Store
from tests.fleet.running import running_worker
from tests.fleet.webs import answered, has_worker
from tests.postgresql import Cluster
from tests.redis_server import RedisServer, redis_server
from tests.waiting import wait_until
from tests.web.server import Running, running
from tests.web.streaming import EVENTS, events

UNIQUE = "import time\nx = time.perf_counter_ns()\nprint(x)\n"
"""No two of its runs are recorded alike."""
WRONG = """import torch
x = torch.ones(2, requires_grad=True)
h = x * 1
y = (h * h).sum()
h.data.mul_(100)
y.backward()
"""
LARGE = "x = [0]\nfor number in range(6000):\n    x[0] = number\n"
SLEEP = {"source": "import time\nx = 1\ntime.sleep(1000)\n"}
PIECES = {"Accept": "application/json, application/x-ndjson"}


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


@pytest.fixture(scope="module")
def database(cluster: Cluster) -> Iterator[str]:
    with cluster.database() as url:
        yield url


@pytest.fixture(scope="module")
def webs(redis: RedisServer, database: str) -> Iterator[list[Running]]:
    """Both started at once, on a database that is empty, and a worker. The second one can do without Redis."""
    settings = {"database": database, "redis_url": redis.url, "accept_tier": "B", "limits__wall_seconds": "300"}
    starting = [
        running(**settings),
        running(runs_without_redis="true", **settings),
        running_worker(redis.url_of("worker-1")),
    ]
    with ExitStack() as up, ThreadPoolExecutor() as pool:
        *both, _ = pool.map(up.enter_context, starting)
        for web in both:
            has_worker(web)
        yield both


class Visitor:
    """Somebody whose requests reach one web, then the other."""

    def __init__(self, webs: list[Running]) -> None:
        self.clients = [web.client() for web in webs]
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
def visitor(webs: list[Running]) -> Iterator[Visitor]:
    with closing(Visitor(webs)) as somebody:
        yield somebody


@contextmanager
def running_at(client: httpx.Client, body: object) -> Iterator[tuple[str, Iterator[tuple[str, Any]]]]:
    """A run that has begun: its id, and what is told of it."""
    with client.stream("POST", "/api/v1/traces", json=body, headers=EVENTS) as response:
        told = events(response)
        yield next(each["run"] for name, each in told if name == "running" and each["line"] >= 2), told


def test_what_one_web_ran_the_other_shares_and_tells_of(visitor: Visitor) -> None:
    """The very recording, its fixes, its right gradients, a picture of it; and the link is there at once for both."""
    body = {"source": WRONG}
    assert visitor.ask(0, "/api/v1/traces", body).status_code == 200
    assert visitor.ask(1, "/api/v1/right", body).json()["kind"] != "unknown"
    assert visitor.ask(1, "/api/v1/trials", body).json()["trials"]
    wanted = {**body, "step": "last", "picture": "graph", "format": "dot"}
    assert visitor.ask(1, "/api/v1/pictures", wanted).headers["content-type"].startswith("text/vnd.graphviz")
    first, later = (visitor.ask(web, "/api/v1/traces", {"source": UNIQUE}).json() for web in (0, 1))
    assert later["trace"] != first["trace"]
    for web, seen in ((1, first), (0, later)):
        body = {"source": UNIQUE, "recording_token": seen["recording_token"]}
        link = visitor.ask(web, "/api/v1/snippets", body)
        shown = visitor.ask(web, f"/api/v1/snippets/{link.json()['id']}").json()
        assert shown["document"]["trace"] == seen["trace"], "the run that was named, which the other web ran"
    link = visitor.ask(0, "/api/v1/snippets", {"source": UNIQUE})
    for web in (0, 1):
        shown = visitor.ask(web, f"/api/v1/snippets/{link.json()['id']}").json()
        assert shown["document"]["trace"] == later["trace"], "what was seen last, although the first web remembers another run"
        text = visitor.ask(web, f"/s/{link.json()['id']}", headers={"Accept": "text/plain"})
        assert text.status_code == 200 and "perf_counter_ns" in text.text
    unseen = visitor.ask(1, "/api/v1/right", {"source": WRONG + "# never ran\n"})
    assert (unseen.status_code, unseen.json()["error"]) == (404, "unknown_run")


def test_a_large_recording_is_fetched_from_the_other_web(visitor: Visitor) -> None:
    document = visitor.ask(0, "/api/v1/traces", {"source": LARGE}, headers=PIECES).json()
    address = f"/api/v1/recordings/{document['recording']}"
    fetched = [visitor.ask(web, address) for web in (0, 1)]
    assert [answer.status_code for answer in fetched] == [200, 200] and fetched[0].content == fetched[1].content
    link = visitor.ask(1, "/api/v1/snippets", {"source": LARGE}).json()
    token = {"X-Deletion-Token": link["deletion_token"]}
    assert visitor.clients[0].delete(f"/api/v1/snippets/{link['id']}", headers=token).status_code == 204
    assert [visitor.ask(web, address).status_code for web in (0, 1)] == [404, 404], "deleted is deleted at both"


def test_a_run_is_stopped_at_the_other_web(visitor: Visitor, webs: list[Running]) -> None:
    with closing(Visitor(webs)) as stranger, running_at(visitor.clients[0], SLEEP) as (run, told):
        for client in (stranger.clients[1], stranger.clients[0]):
            assert client.delete(f"/api/v1/runs/{run}").status_code == 404
        began = time.monotonic()
        assert visitor.clients[1].delete(f"/api/v1/runs/{run}").status_code == 204
        assert time.monotonic() - began < 1
        *_, (name, document) = told
        assert (name, document["trace"]["ended"]) == ("document", {"kind": "cancelled"})
        assert visitor.clients[1].delete(f"/api/v1/runs/{run}").status_code == 404, "it is over"


def test_how_often_a_visitor_asks_is_counted_by_both(visitor: Visitor) -> None:
    """Sixty at once, and five more in each second."""
    began = time.monotonic()
    answers = [visitor.ask(number % 2, "/api/v1/address") for number in range(80)]
    allowed = [answer.status_code for answer in answers].count(200)
    assert 50 < allowed < 60 + 5 * (time.monotonic() - began) < 80
    for web in (0, 1):
        # One more is allowed after each fifth of a second.
        answers = [visitor.ask(web, "/api/v1/address") for _ in range(10)]
        refused = next(answer for answer in answers if answer.status_code != 200)
        assert (refused.status_code, refused.json()["error"], refused.headers["Retry-After"]) == (429, "too_often", "1")


def new_key(database: str, data: Path) -> None:
    """As an operator makes one."""
    environment = {**os.environ, "STEPGRAD_DATABASE": database, "STEPGRAD_DATA": str(data)}
    subprocess.run([sys.executable, "-m", "app", "new-key"], env=environment, check=True, stdout=subprocess.DEVNULL)


async def test_a_page_of_another_release_gets_its_files(redis: RedisServer, database: str, visitor: Visitor) -> None:
    """While two releases serve: a page has the address of its own build, and its requests reach either web."""
    store = await Store.open(database, 1 << 20, first_key=b"0" * 32)
    client = open_redis(redis.url)
    async with SharedFiles(client, store.keys.lasting).offering("0123456789ab", {"bundle/player.js": b"export {};"}):
        for web in (0, 1):
            script = visitor.ask(web, "/static/0123456789ab/bundle/player.js")
            assert (script.status_code, script.content) == (200, b"export {};")
            assert "immutable" in script.headers["cache-control"] and "javascript" in script.headers["content-type"]
            assert visitor.ask(web, "/static/0123456789ab/bundle/other.js").json()["error"] == "other_build"
    await client.aclose()
    await store.close()


@pytest.mark.long
def test_a_new_key_reaches_both(webs: list[Running], database: str, visitor: Visitor) -> None:
    """Within a minute both sign with it, and know what it signed as well as what the one before signed."""
    before = dict(visitor.clients[0].cookies)
    new_key(database, webs[0].data)
    with psycopg.connect(database, autocommit=True) as connection:  # as if two minutes had passed
        connection.execute("UPDATE signing_keys SET made = made - interval '2 minutes'")
    for client in visitor.clients:
        wait_until(lambda: "set-cookie" in client.get("/api/v1/health").headers)  # noqa: B023 - asked at once
    assert visitor.clients[0].cookies["stepgrad_visitor"] != before["stepgrad_visitor"]
    visitor.clients[1].cookies.update(visitor.clients[0].cookies)
    assert visitor.ask(1, "/api/v1/health").status_code == 200, "what one signed the other knows"
    name = before["stepgrad_visitor"].partition(".")[0]
    assert visitor.clients[1].cookies["stepgrad_visitor"].startswith(f"{name}."), "and it names the same visitor"


def test_without_redis(webs: list[Running], redis: RedisServer, visitor: Visitor) -> None:
    """Pages, links and what is remembered go on; runs are refused, or happen at the web that has a sandbox of its own."""
    body = {"source": UNIQUE}
    for web in (0, 1):
        answered(lambda web=web: visitor.ask(web, "/api/v1/health"), 200)  # type: ignore[misc]
    ran = visitor.ask(0, "/api/v1/traces", body).json()
    link = visitor.ask(0, "/api/v1/snippets", {"source": LARGE}).json()
    redis.kill()
    try:
        refused = answered(lambda: visitor.ask(0, "/api/v1/traces", body), 503).json()
        assert (refused["error"], refused["hint"][:8]) == ("queue_unavailable", "Run it a")
        answered(lambda: visitor.ask(0, "/api/v1/health"), 503)
        shared = visitor.ask(0, "/api/v1/snippets", body)
        assert shared.status_code == 201, "what the web itself remembers"
        for web in (0, 1):
            assert visitor.ask(web, "/", headers={"Accept": "text/html"}).status_code == 200
            assert visitor.ask(web, f"/api/v1/snippets/{link['id']}").status_code == 200
            shown = visitor.ask(web, f"/api/v1/snippets/{shared.json()['id']}").json()
            assert shown["document"]["trace"] == ran["trace"]
        here = answered(lambda: visitor.ask(1, "/api/v1/traces", {"source": "x = 1\n"}), 200).json()
        assert here["trace"]["ended"] == {"kind": "finished"}
        health = visitor.ask(1, "/api/v1/health").json()
        assert (health["status"], health["refusal"]) == ("ok", "") and "on this machine" in health["notice"]
        stopped = visitor.clients[0].delete("/api/v1/runs/" + "0" * 32)
        assert (stopped.status_code, stopped.json()["error"]) == (503, "queue_unavailable"), "nobody knows"
    finally:
        redis.start()
    wait_until(lambda: visitor.ask(1, "/api/v1/health").json().get("notice") == "")
    for web in (0, 1):
        answered(lambda web=web: visitor.ask(web, "/api/v1/traces", body), 200)  # type: ignore[misc]
    assert visitor.ask(0, "/api/v1/snippets", body).status_code == 201
