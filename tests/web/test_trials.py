"""Fixes that are tried, over HTTP: after a run, for a link, one alone, and "untried" where the server may not try."""

import re
from typing import Any

import httpx
import pytest

from tests.web.server import Running, running

BROKEN = """import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""
WORKS = {"verdict": "works", "reason": ""}
FIRST = {"finding": 0, "fix": 0}


@pytest.fixture(scope="module")
def patient() -> Any:
    """A server that tries fixes however long a run took on this machine."""
    with running(trial_seconds="60", visitor_burst="1e6", address_burst="1e6") as up:
        yield up


@pytest.fixture(scope="module")
def client(patient: Running) -> Any:
    with patient.client() as opened:
        yield opened


def run(client: httpx.Client, source: str) -> dict[str, Any]:
    return client.post("/api/traces", json={"source": source}).raise_for_status().json()  # type: ignore[no-any-return]


def ask(client: httpx.Client, source: str, **more: Any) -> httpx.Response:
    return client.post("/api/trials", json={"source": source, **more})


def counted(client: httpx.Client, verdict: str, reason: str = "") -> int:
    text = client.get("/metrics").text
    found = re.search(rf'stepgrad_trials_total{{reason="{reason}",verdict="{verdict}"}} (\d+)', text)
    return int(found[1]) if found else 0


def test_after_a_run(client: httpx.Client) -> None:
    document = run(client, BROKEN)
    before = counted(client, "works")
    answer = ask(client, BROKEN)
    assert answer.status_code == 200
    assert answer.json() == {"trials": [{**FIRST, **WORKS}]}
    assert len(document["findings"][0]["fixes"]) == 1
    assert ask(client, BROKEN).json() == answer.json()
    assert counted(client, "works") == before + 1, "it is remembered"
