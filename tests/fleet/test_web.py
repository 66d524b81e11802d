"""A web process on a machine without torch and bubblewrap, while a worker starts and stops."""

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
from tests.fleet.proxy import free_port
from tests.fleet.running import PLACES, running_worker
from tests.fleet.webs import answered
from tests.sandbox.processes import PATIENCE
from tests.web.server import Running, running_command

HERE = Path(__file__).parent
LESSON = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"


@pytest.fixture(scope="module")
def port() -> int:
    """Return the port of the workers."""
    return free_port()


@pytest.fixture(scope="module")
def web(port: int) -> Iterator[Running]:
    settings = {"workers_url": f"http://127.0.0.1:{port}", "accept_tier": "B"}
    with running_command(sys.executable, str(HERE / "without_torch.py"), **settings) as up:
        yield up


def post(client: httpx.Client) -> httpx.Response:
    return client.post("/api/v1/traces", json={"source": LESSON})


def lines(web: Running, event: str) -> list[dict[str, Any]]:
    """Return the log entries of an event."""
    found = [json.loads(line) for line in web.log.read_text().splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


def figures_of(url: str) -> dict[str, float]:
    """Return the values in `/metrics` by name."""
    told = re.findall(r"^stepgrad_(\S+) (\S+)$", httpx.get(f"{url}/metrics").text, flags=re.MULTILINE)
    return {name: float(value) for name, value in told}


def test_a_web_without_torch(port: int, web: Running) -> None:
    with web.client() as client:
        answer = post(client)
        assert (answer.status_code, answer.json()["error"]) == (503, "workers_unreachable")
        assert answer.headers["Retry-After"] == "5"
        metrics = client.get("/metrics").text
        assert 'stepgrad_refusals_total{reason="workers_unreachable"} 1.0' in metrics and "stepgrad_runs_total{" not in metrics
        health = client.get("/api/v1/health")
        assert (health.status_code, health.json()["torch"]) == (503, "–")
        with running_worker(port=str(port)) as worker:
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
            logged = {line["run"] for line in lines(web, "run") if line["ended"] == "finished"}
            assert logged and logged == {line["run"] for line in worker.told("ended")}
            assert {line["worker"] for line in lines(web, "began") if line["run"] in logged} == {worker.name}
            assert alerts.named_for_fleets() <= alerts.told(client.get("/metrics").text)
            assert alerts.named_for_workers() <= alerts.told(httpx.get(f"{worker.url}/metrics").text)
            of_web, of_worker = figures_of(web.url), figures_of(worker.url)
            assert (of_web['workers{queue="cpu"}'], of_web['workers_places{queue="cpu"}']) == (1, PLACES)
            assert of_worker['worker_runs_total{ended="finished"}'] == len(logged)
            assert (of_worker["places"], of_worker["refusing"]) == (PLACES, 0)
            assert of_worker["running"] <= PLACES and of_worker["zygotes_total"] >= 1
            assert 0 <= of_worker["canary_age_seconds"] < PATIENCE
            assert of_worker[f'tier{{tier="{health.json()["tier"]}"}}'] == 1
        assert answered(partial(post, client), 503).json()["error"] == "workers_unreachable"
        assert figures_of(web.url)['workers{queue="cpu"}'] == 0
        link = client.get(f"/api/v1/snippets/{shared.json()['id']}")
        assert link.json()["document"]["trace"]["ended"] == {"kind": "finished"}, "links need no worker"


def test_one_machine_does_not_import_httpx() -> None:
    script = "import sys; import app.commands.cli, app.commands.serving, app.compose.main; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=HERE.parents[1]).returncode == 0
