"""A web without torch and bubblewrap, and a worker that comes and goes."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import alerts
from tests.fleet.running import PLACES, running_worker
from tests.fleet.webs import answered
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until
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


def lines(web: Running, event: str) -> list[dict[str, Any]]:
    """The lines of its log about an event."""
    found = [json.loads(line) for line in web.log.read_text().splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


def of_workers(client: httpx.Client) -> dict[str, float]:
    """What `/metrics` says of workers."""
    told = re.findall(r"^stepgrad_worker_(\S+) (\S+)$", client.get("/metrics").text, flags=re.MULTILINE)
    return {name: float(value) for name, value in told}


def test_a_web_without_torch(redis: RedisServer, web: Running) -> None:
    with web.client() as client:
        answer = post(client)
        assert (answer.status_code, answer.json()["error"]) == (503, "no_worker")
        assert answer.headers["Retry-After"] == "5"
        metrics = client.get("/metrics").text
        assert 'stepgrad_refusals_total{reason="no_worker"} 1.0' in metrics and "stepgrad_runs_total{" not in metrics
        health = client.get("/api/v1/health")
        assert (health.status_code, health.json()["torch"]) == (503, "–")
        with running_worker(redis.url_of("worker-1")) as worker:
            document = answered(partial(post, client), 200).json()
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
            logged = {line["run"]: line for line in lines(web, "run") if line["ended"] == "finished"}
            assert logged and set(logged) == {line["run"] for line in worker.told("ended")}
            handed = [line for line in lines(web, "handed over") if line["run"] in logged]
            assert {line["worker"] for line in handed} == {worker.name}
            assert alerts.named_for_fleets() <= alerts.told(client.get("/metrics").text)
            figures = of_workers(client)
            assert figures[f'runs_total{{ended="finished",worker="{worker.name}"}}'] == len(logged)
            assert figures[f'places{{worker="{worker.name}"}}'] == PLACES
            assert figures[f'busy{{worker="{worker.name}"}}'] <= PLACES
            assert figures[f'zygotes_total{{worker="{worker.name}"}}'] >= 1
            assert 0 <= figures[f'canary_age_seconds{{worker="{worker.name}"}}'] < PATIENCE
            assert figures[f'tier{{tier="{health.json()["tier"]}",worker="{worker.name}"}}'] == 1
        assert answered(partial(post, client), 503).json()["error"] == "no_worker"
        assert of_workers(client) == {}, "a worker that is gone is told of no more"
        link = client.get(f"/api/v1/snippets/{shared.json()['id']}")
        assert link.json()["document"]["trace"]["ended"] == {"kind": "finished"}, "links need no worker"
        redis.kill()
        wait_until(lambda: post(client).json()["error"] == "queue_unavailable")


def test_one_machine_imports_neither_redis_nor_httpx() -> None:
    script = (
        "import sys; import app.cli, app.serving, app.main; sys.exit(any(name in sys.modules for name in ('redis', 'httpx')))"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=HERE.parents[1]).returncode == 0
