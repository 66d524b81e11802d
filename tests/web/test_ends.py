"""If a run ends by chance, for example because it was killed, its recording does not answer later requests for the same code."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

import httpx
import pytest

from app.lessons import by_name
from tests.sandbox.processes import PATIENCE, STANDBY, family
from tests.waiting import wait_until
from tests.web.server import Running, hosted, running
from tests.web.streaming import EVENTS, events

SLEEP = "import time\ntime.sleep(4)\n"
BROKEN = f"""import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
{SLEEP}y.sum().backward()
"""
WRONG = f"""import torch
x = torch.tensor([2.0], requires_grad=True)
h = x * 1
y = h * h
h.data.mul_(100)
{SLEEP}y.sum().backward()
"""
KILLED = {"kind": "crashed", "signal": 9, "name": "SIGKILL"}
LESSON = "a-first-gradient"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """Start a server in a separate process, because `family` ignores the process that other tests share."""
    settings = {"limits__wall_seconds": "300", "trial_seconds": "60", "visitor_burst": "1e6", "address_burst": "1e6"}
    with running(**settings) as up:
        yield up


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as somebody:
        yield somebody


def runs() -> list[int]:
    """Return the processes of current runs."""
    everyone = family(os.getpid())
    zygotes = {each.pid for each in everyone if each.name.startswith("python") and "zygote import main" in each.arguments}
    return [each.pid for each in everyone if each.parent in zygotes and each.name != STANDBY]


def kill_one() -> None:
    """Wait for a run, and kill its process, as the kernel does when memory runs out."""
    os.kill(wait_until(runs)[0], signal.SIGKILL)


def run(client: httpx.Client, source: str) -> dict[str, Any]:
    return client.post("/api/v1/traces", json={"source": source}).raise_for_status().json()  # type: ignore[no-any-return]


def killed(client: httpx.Client, source: str) -> dict[str, Any]:
    """Kill a run while it sleeps, and return its document."""
    with client.stream("POST", "/api/v1/traces", json={"source": source}, headers=EVENTS) as response:
        told = events(response)
        next(each for name, each in told if name == "running" and each["line"] >= 1)
        kill_one()
        *_, (_, document) = told
    assert document["trace"]["ended"] == KILLED
    return document  # type: ignore[no-any-return]


def answers(client: httpx.Client, source: str) -> list[tuple[int, str]]:
    """Return the responses for the latest run of a source."""
    asked = [client.post(f"/api/v1/{path}", json={"source": source}) for path in ("pictures", "trials", "right")]
    return [(answer.status_code, answer.json()["error"]) for answer in asked]


def test_a_killed_run_is_no_answer_to_others(server: Running, client: httpx.Client) -> None:
    source = SLEEP + "# killed\n"
    killed(client, source)
    with server.client() as other:
        assert answers(other, source) == [(404, "unknown_run")] * 3
        link = other.post("/api/v1/snippets", json={"source": source}).raise_for_status().json()["id"]
        shown = other.get(f"/api/v1/snippets/{link}").json()
        assert shown["document"]["trace"]["ended"] == {"kind": "finished"}
        killed(client, source)
        assert other.get(f"/api/v1/snippets/{link}").json() == shown, "no link is changed"
        again = other.post("/api/v1/snippets", json={"source": source}).json()["id"]
        assert other.get(f"/api/v1/snippets/{again}").json()["document"] == shown["document"]


def test_nor_is_one_that_a_clock_ended() -> None:
    with hosted(limits__wall_seconds="1") as hasty, hasty.client() as client:
        assert run(client, SLEEP)["trace"]["ended"]["kind"] == "timed_out"
        assert answers(client, SLEEP) == [(404, "unknown_run")] * 3


def test_a_fix_whose_run_was_killed_is_tried_again(client: httpx.Client) -> None:
    run(client, BROKEN)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(client.post, "/api/v1/trials", json={"source": BROKEN}, timeout=PATIENCE)
        kill_one()
        (trial,) = asked.result().json()["trials"]
    assert (trial["verdict"], trial["reason"]) == ("works", "")


def test_gradients_of_runs_that_were_killed_are_not_remembered(client: httpx.Client) -> None:
    run(client, WRONG)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(client.post, "/api/v1/right", json={"source": WRONG}, timeout=PATIENCE)
        kill_one()
        assert asked.result().json() == {"kind": "unknown", "reason": "busy"}
    assert client.post("/api/v1/right", json={"source": WRONG}, timeout=PATIENCE).json()["kind"] == "right"


@pytest.mark.long
def test_200_runs_beside_20_kills(server: Running) -> None:
    """Requests the document of a lesson after each run."""
    lesson = by_name(LESSON)
    assert lesson is not None
    source = lesson.snippet.source
    with server.client() as client:
        before = client.get(f"/api/v1/lessons/{LESSON}/document").raise_for_status().json()
        link = client.post("/api/v1/snippets", json={"source": source}).json()["id"]
        kept = client.get(f"/api/v1/snippets/{link}").content
    ended: list[str] = []
    are_done = threading.Event()

    def visit(number: int) -> None:
        with closing(server.client()) as visitor:
            for _ in range(50):
                answer = visitor.post("/api/v1/traces", json={"source": source})
                lost = answer.status_code == 503  # the process was killed before the run began
                ended.append("lost" if lost else answer.raise_for_status().json()["trace"]["ended"]["kind"])
                shown = visitor.get(f"/api/v1/lessons/{LESSON}/document").raise_for_status().json()
                assert shown["trace"]["ended"] == before["trace"]["ended"], number

    def kill() -> None:
        """Kill runs until 20 of them have crashed. Some runs may end before the signal arrives."""
        while ended.count("crashed") < 20 and not are_done.wait(0.05):
            for pid in runs():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    with ThreadPoolExecutor() as pool:
        pool.submit(kill)
        try:
            list(pool.map(visit, range(4)))
        finally:
            are_done.set()
    assert ended.count("crashed") >= 20, ended
    with server.client() as client:
        assert client.get(f"/api/v1/snippets/{link}").content == kept, "no link is changed"
