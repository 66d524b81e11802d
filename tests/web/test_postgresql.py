"""Restart PostgreSQL under a running server, and kill servers while links are created. No acknowledged link is lost."""

import asyncio
import json
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from app.commands.health_client import check
from app.store import Store
from tests.postgresql import Cluster
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until
from tests.web.server import running

GENEROUS = {
    "visitor_burst": "1e6",
    "address_burst": "1e6",
    "address_links_per_day": "1000000",
    "visitor_links_per_day": "1000000",
}
WITHOUT_STORE = "The store does not respond: links cannot be opened or saved."
SNIPPET = {"source": "import torch\nx = torch.ones(2)\n"}


@pytest.fixture
def database(cluster: Cluster) -> Iterator[str]:
    with cluster.database() as url:
        yield url


def test_the_database_goes_and_comes_again(cluster: Cluster, database: str) -> None:
    with running(database=database, **GENEROUS) as up, up.client() as client:
        link = client.post("/api/v1/snippets", json=SNIPPET).json()
        assert client.get(f"/api/v1/snippets/{link['id']}").status_code == 200
        cluster.stop(signal.SIGQUIT)
        try:
            asked = [client.get(f"/api/v1/snippets/{link['id']}"), client.post("/api/v1/snippets", json={"source": "x = 1\n"})]
            page = client.get(link["url"], headers={"Accept": "text/html"})
            assert client.post("/api/v1/traces", json=SNIPPET).status_code == 200, "runs need no store"
            health = client.get("/api/v1/health")
            assert (health.status_code, health.json()["status"]) == (200, "degraded")
            assert health.json()["notice"] == WITHOUT_STORE
            assert check("127.0.0.1", httpx.URL(up.url).port or 0).endswith(f" active. {WITHOUT_STORE}")
        finally:
            cluster.start()
        for answer in asked:
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
            assert (answer.json()["error"], answer.json()["message"]) == ("store_unavailable", "The store does not respond.")
        for answer in (*asked, page):
            assert answer.status_code == 503
            assert not any(word in answer.text for word in (str(cluster.folder), cluster.password, "psycopg", "socket"))
        assert client.get(f"/api/v1/snippets/{link['id']}").status_code == 200
        assert client.post("/api/v1/snippets", json={"source": "x = 1\n"}).status_code == 201
        wait_until(lambda: client.get("/api/v1/health").json()["status"] == "ok")
        told = [json.loads(line) for line in up.log.read_text().splitlines() if '"event": "store"' in line]
        assert told and all(str(cluster.folder) in line["reason"] for line in told), "the log has the database's own words"
        assert cluster.password not in up.log.read_text() and "Traceback" not in up.log.read_text()


class Sharing:
    """Clients that create links as fast as possible, and collect the ids of acknowledged links."""

    def __init__(self) -> None:
        self.acknowledged: list[str] = []
        self._number = 0

    @contextmanager
    def with_server(self, url: str) -> Iterator[None]:
        """Let three clients create links on the server at `url` during the `with` block."""
        over = threading.Event()
        with ThreadPoolExecutor() as pool:
            clients = [pool.submit(self._share, url, over) for _ in range(3)]
            try:
                yield
            finally:
                over.set()
        for client in clients:
            client.result()

    def until(self, count: int) -> None:
        """Wait until the server has acknowledged `count` more links."""
        enough = len(self.acknowledged) + count
        wait_until(lambda: len(self.acknowledged) >= enough)

    def _share(self, url: str, over: threading.Event) -> None:
        with httpx.Client(base_url=url, timeout=PATIENCE, verify=False) as client:
            while not over.is_set():
                self._number += 1
                try:
                    answer = client.post("/api/v1/snippets", json={"source": f"x = {self._number}\n"})
                except httpx.TransportError:  # the server was killed
                    continue
                if answer.status_code == 201:
                    self.acknowledged.append(answer.json()["id"])
                else:
                    assert answer.status_code in (429, 503), answer.text


def all_read(url: str, ids: list[str]) -> None:
    """Assert that every link exists and has its recording."""

    async def read() -> None:
        store = await Store.open(url, 1 << 30)
        for snippet_id in ids:
            snippet = await store.snippet(snippet_id)
            assert snippet is not None, f"{snippet_id} of {len(ids)}"
            assert (await store.recording(snippet.recording)).hash == snippet.recording
        await store.close()

    asyncio.run(read())


def kill_servers(url: str, times: int) -> None:
    """Repeatedly start a server with this database, and kill it while links are created."""
    sharing = Sharing()
    for _ in range(times):
        with running(database=url, **GENEROUS) as up, sharing.with_server(up.url):
            sharing.until(5)
            up.kill()
    all_read(url, sharing.acknowledged)


@pytest.mark.long
def test_the_server_is_killed_on_sqlite() -> None:
    with tempfile.TemporaryDirectory(prefix="stepgrad-test-") as folder:
        Path(folder).chmod(0o777)  # a server started by root changes to another user
        kill_servers(f"sqlite:///{folder}/store.sqlite", 50)


@pytest.mark.long
def test_the_server_is_killed_on_postgresql(database: str) -> None:
    kill_servers(database, 50)


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGQUIT])
def test_the_database_is_killed(cluster: Cluster, database: str, how: signal.Signals) -> None:
    """One server survives all crashes of the database."""
    sharing = Sharing()
    with running(database=database, **GENEROUS) as up, sharing.with_server(up.url):
        for _ in range(50):
            sharing.until(5)
            cluster.stop(how)
            cluster.start()
        sharing.until(5)
    all_read(database, sharing.acknowledged)
