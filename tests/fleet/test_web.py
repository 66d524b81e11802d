"""A web without torch and bubblewrap, and a worker that comes and goes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest

from tests.fleet.running import running_worker
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.processes import PATIENCE
from tests.web.server import Running, running_command

HERE = Path(__file__).parent
LESSON = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


@pytest.fixture(scope="module")
def web(redis: RedisServer) -> Iterator[Running]:
    with running_command(sys.executable, str(HERE / "without_torch.py"), redis_url=redis.url, accept_tier="B") as up:
        yield up


def post(client: httpx.Client) -> httpx.Response:
    return client.post("/api/v1/traces", json={"source": LESSON})


def until(client: httpx.Client, status: int) -> httpx.Response:
    """The answer to a run with that status, asked for until it comes."""
    give_up = time.monotonic() + PATIENCE
    while (answer := post(client)).status_code != status:
        assert time.monotonic() < give_up, answer.text
        time.sleep(0.1)
    return answer


def test_a_web_without_torch(redis: RedisServer, web: Running) -> None:
    with web.client() as client:
        answer = post(client)
        assert (answer.status_code, answer.json()["error"]) == (503, "no_worker")
        assert answer.headers["Retry-After"] == "5"
        health = client.get("/api/v1/health")
        assert (health.status_code, health.json()["torch"]) == (503, "–")
        with running_worker(redis.url_of("worker-1")) as worker:
            document = until(client, 200).json()
            assert document["trace"]["ended"] == {"kind": "finished"}
            assert document["trace"]["header"]["torch"] == version("torch")
            assert document["findings"] == []
            health = client.get("/api/v1/health")
            assert (health.status_code, health.json()["torch"], health.json()["refusal"]) == (200, version("torch"), "")
            assert health.json()["tier"] is not None
            assert f'"torch": "{version("torch")}"' in client.get("/").text
            assert client.get("/api/v1/health/deep").status_code == 200
            shared = client.post("/api/v1/snippets", json={"source": LESSON})
            assert shared.status_code in (200, 201), shared.text
            assert worker.told("ended")
        assert until(client, 503).json()["error"] == "no_worker"
        link = client.get(f"/api/v1/snippets/{shared.json()['id']}")
        assert link.json()["document"]["trace"]["ended"] == {"kind": "finished"}, "links need no worker"
        redis.kill()
        give_up = time.monotonic() + PATIENCE
        while post(client).json()["error"] != "queue_unavailable":
            assert time.monotonic() < give_up
            time.sleep(0.1)


def test_one_machine_imports_no_redis() -> None:
    script = "import sys; import app.cli, app.serving, app.main; sys.exit('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=HERE.parents[1]).returncode == 0
