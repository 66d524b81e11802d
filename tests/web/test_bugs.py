"""Internal errors have a uniform response and one log entry. The tests replace the application's services by fakes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from ipaddress import ip_network
from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest
from structlog.testing import capture_logs

from app.engine import Admission, CanaryMonitor, Capacity, Refused, Terms
from app.engine.environment import Environment, Versions
from app.sandbox import Layer, Sandbox, SandboxDied, SandboxSettings, SandboxUnavailable
from app.sandbox.tiers import Standing, Tier
from app.store import StoreError, StoreFull, StoreUnavailable
from app.trace.records import Limits
from app.web.application import Access, create_app
from app.web.edge.clients import Clients
from app.web.edge.public_address import PublicAddress
from app.web.edge.rates import NetworkRates, Rates
from app.web.edge.visitors import Visitors
from app.web.operations.deep_check import DeepCheck, StoreCheck
from app.web.operations.metrics import Metrics
from app.web.runs.large import Turns
from app.web.runs.pending_runs import PendingRun, PendingRuns
from app.web.services import Services

LOOPBACK = (ip_network("127.0.0.0/8"),)
pytestmark = pytest.mark.asyncio


class Broken:
    """A service for runs that always raises `error`."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def run(self, source: str, seed: int, stand_in: bool, pending: PendingRun, *, apart: bool = False) -> Any:
        raise self.error


@asynccontextmanager
async def client_of(error: Exception, refusal: str | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of an application in which every run raises `error`."""

    @asynccontextmanager
    async def services() -> AsyncIterator[Services]:
        admission = Admission(Capacity(slots=1, queue_length=1, queue_seconds=1, of_one_address=1))
        standing = Standing(tier=Tier.A, layers=frozenset(Layer), reasons={})
        terms = Terms(needed=Tier.A, address="127.0.0.1", limits=Limits())
        sandbox = Sandbox(SandboxSettings())
        sandbox.refusal = refusal
        monitor = CanaryMonitor(sandbox, standing, terms, nullcontext, lambda: 0, lambda _: None)
        versions = Versions(stepgrad="0", python="3", torch="2")
        environment = Environment(versions=versions, imports={"torch": "2", "numpy": "2"})
        yield Services(
            clients=Clients(
                Visitors(lambda: (b"key",)),
                (),
                LOOPBACK,
                of_visitor=Rates(9, 9),
                of_address=NetworkRates(9, 9),
            ),
            runs=Broken(error),  # type: ignore[arg-type]
            recordings=Broken(error),  # type: ignore[arg-type]
            lectures=Broken(error),  # type: ignore[arg-type]
            files_in_turn=Turns(1, 1),
            large_in_turn=Turns(1, 1),
            cards=Broken(error),  # type: ignore[arg-type]
            texts=Broken(error),  # type: ignore[arg-type]
            corrections=Broken(error),  # type: ignore[arg-type]
            fix_trials=Broken(error),  # type: ignore[arg-type]
            pictures=Broken(error),  # type: ignore[arg-type]
            pending_runs=PendingRuns(),
            links=Broken(error),  # type: ignore[arg-type]
            rooms=Broken(error),  # type: ignore[arg-type]
            collecting=Broken(error),  # type: ignore[arg-type]
            explainers=Broken(error),  # type: ignore[arg-type]
            room_access=Broken(error),  # type: ignore[arg-type]
            room_recordings=Broken(error),  # type: ignore[arg-type]
            admissions=(admission,),
            monitor=monitor,
            troubles=(),
            deep_check=DeepCheck(Broken(error)),  # type: ignore[arg-type]
            store_check=StoreCheck(AsyncMock(return_value=0)),
            metrics=Metrics((admission,), monitor),
            environment=lambda: environment,
            source_bytes=1000,
            contact="",
            public_address=PublicAddress(setting="", proxies=(), is_open=False),
            embed_ancestors=(),
            has_gpu=lambda: False,
        )

    app = create_app(services, 10_000, Access())
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1")
    async with app.router.lifespan_context(app), client:
        yield client


async def post(error: Exception, accept: str = "application/json") -> httpx.Response:
    async with client_of(error) as client:
        return await client.post("/api/v1/traces", json={"source": "secret = 1"}, headers={"Accept": accept})


async def test_health_while_no_runs_are_taken() -> None:
    async with client_of(SandboxUnavailable("Without seccomp."), "Without seccomp.") as client:
        health = await client.get("/api/v1/health")
        assert (health.status_code, health.headers["Retry-After"]) == (503, "5")
        assert (health.json()["status"], health.json()["refusal"]) == ("refusing", "Without seccomp.")
        assert "stepgrad_refusing 1.0" in (await client.get("/metrics")).text
    async with client_of(SandboxUnavailable("")) as client:
        assert ((await client.get("/api/v1/health")).json()["status"]) == "ok"


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [
        (Refused("queue", "Full.", 7), 429, "busy"),
        (Refused("visitor", "Two.", 7), 429, "visitor_busy"),
        (Refused("address", "Many.", 7), 429, "address_busy"),
        (SandboxUnavailable("No bubblewrap."), 503, "sandbox_unavailable"),
        (SandboxDied("Gone."), 503, "sandbox_unavailable"),
        (StoreUnavailable("Gone.", "secret.example refused"), 503, "store_unavailable"),
        (StoreFull("Full.", "no space under /secret"), 507, "store_full"),
    ],
)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_foreseen(error: Exception, status: int, word: str, accept: str) -> None:
    """A stream that fails before its first event has an ordinary error response. The reason of a StoreError is only in the
    log.
    """
    with capture_logs() as lines:
        response = await post(error, accept)
    assert (response.status_code, response.json()["error"], response.json()["message"]) == (status, word, str(error))
    assert ("retry-after" in response.headers) == (status != 507)
    assert "secret" not in response.text
    assert [line["reason"] for line in lines] == ([error.reason] if isinstance(error, StoreError) else [])


@pytest.mark.parametrize("error", [ZeroDivisionError("inner"), RecursionError()])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_bugs(error: Exception, accept: str) -> None:
    with capture_logs() as lines:
        response = await post(error, accept)
    assert (response.status_code, response.json()["error"]) == (500, "internal")
    assert "inner" not in response.text
    assert response.headers["content-security-policy"]
    assert [line["event"] for line in lines] == ["bug"]
    assert lines[0]["path"] == "/api/v1/traces"
