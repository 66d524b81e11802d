"""A worker's HTTP interface, shutdown and slots. A simple class replaces the worker's engine."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

import httpx
import msgspec
import pytest
import uvicorn
from starlette.applications import Starlette

from app.commands.working import routes
from app.engine import EngineUnavailable, Progress, Requester, Watcher
from app.fleet import Announcement, Worker
from app.fleet.messages import RELEASE, RUN, TIER
from app.sandbox import SandboxError, SandboxUnavailable
from app.sandbox.tiers import Tier
from app.trace.records import Request
from app.trace.requests import encode_request
from tests.engine.listening import Listener
from tests.fleet.proxy import proxy
from tests.fleet.running import fleet_engine
from tests.fleet.test_untrusted import TOLD
from tests.sandbox.processes import PATIENCE
from tests.waiting import until

BODY = encode_request(Request(source="x = 1\n"))
PATH = f"/{RELEASE}/run"
NAMED = {RUN: "a run"}
VISITOR = Requester(visitor="", address="")


class Waiting:
    """An engine that keeps runs waiting until the test ends or cancels them."""

    admission: Any = None
    zygotes = 0

    def __init__(self) -> None:
        self.running = 0
        self.begins = True
        self.may_end = asyncio.Event()

    async def run(self, request: Request, requester: Requester, watcher: Watcher, on_payload: object) -> None:
        """Wait, and then raise SandboxError, as if the run had failed."""
        self.running += 1
        if self.begins:
            watcher.running(Progress())
        ending = asyncio.ensure_future(self.may_end.wait())
        try:
            await asyncio.wait(set[asyncio.Future[Any]]((ending, watcher.stop)), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            self.running -= 1
        raise SandboxError("That was all.")


class Served:
    """A worker on a free port."""

    def __init__(self, engine: Waiting) -> None:
        self.engine = engine
        self.told: Announcement | None = TOLD
        self.worker = Worker(cast(Any, engine), self._announcement, body_bytes=10_000)
        self.app = Starlette(routes=routes())
        self.app.state.services = self.worker
        self.app.state.is_leaving = False
        self.url = ""

    def _announcement(self) -> Announcement:
        if self.told is None:
            raise SandboxUnavailable("The canary could read a file.")
        return self.told


@asynccontextmanager
async def served() -> AsyncIterator[Served]:
    up = Served(Waiting())
    server = uvicorn.Server(uvicorn.Config(up.app, port=0, log_config=None, lifespan="off"))
    with no_signals(server):
        serving = asyncio.create_task(server.serve())
        await until(lambda: server.started)
        up.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        try:
            yield up
        finally:
            server.should_exit = True
            await serving


@contextmanager
def no_signals(server: uvicorn.Server) -> Iterator[None]:
    """Prevent the server from handling signals of the test process."""
    server.capture_signals = no_signals_at_all  # type: ignore[method-assign]
    yield


@contextmanager
def no_signals_at_all() -> Iterator[None]:
    yield


async def test_health_says_whether_it_takes_runs() -> None:
    async with served() as up, httpx.AsyncClient(base_url=up.url) as client:
        answer = await client.get(f"/{RELEASE}/health")
        assert (answer.status_code, msgspec.json.decode(answer.content, type=Announcement)) == (200, TOLD)
        up.told = None
        answer = await client.get(f"/{RELEASE}/health")
        assert (answer.status_code, answer.text) == (503, "The canary could read a file.")
        assert (await client.post(PATH, content=BODY, headers=NAMED)).status_code == 503
        up.told, up.app.state.is_leaving = TOLD, True
        assert (await client.get(f"/{RELEASE}/health")).status_code == 404
        assert (await client.get("/1.1/health")).status_code == (await client.post("/1.1/run")).status_code == 404


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"\xff", {}, 400),
        (b"{}", {}, 400),
        (msgspec.json.encode({"source": "x = 1\n", "processes": 3}), {}, 400),
        (encode_request(Request(source="x" * 20_000)), {}, 400),
        (BODY, {TIER: "Z"}, 400),
    ],
)
async def test_what_is_no_request_is_refused(body: bytes, headers: dict[str, str], status: int) -> None:
    """A request with an unknown field is refused. A worker that ignored the field might execute the run differently."""
    async with served() as up, httpx.AsyncClient(base_url=up.url) as client:
        assert (await client.post(PATH, content=body, headers=NAMED | headers)).status_code == status
        assert (await client.post(PATH, content=BODY)).status_code == 400, "a page of another site cannot name a run"
        assert up.engine.running == 0


async def test_a_web_that_needs_a_better_tier_is_told_before_the_run_begins() -> None:
    async with served() as up, httpx.AsyncClient(base_url=up.url) as client:
        up.told = msgspec.structs.replace(TOLD, tier=Tier.B)
        answer = await client.post(PATH, content=BODY, headers=NAMED | {TIER: "A"})
        assert (answer.status_code, up.engine.running) == (503, 0)


async def test_hanging_up_ends_the_run_whether_or_not_it_has_begun() -> None:
    async with served() as up:
        for up.engine.begins in (True, False):
            async with httpx.AsyncClient(base_url=up.url, timeout=PATIENCE) as client:
                asking = asyncio.ensure_future(client.post(PATH, content=BODY, headers=NAMED))
                await until(lambda: up.engine.running == 1)
                asking.cancel()
            await until(lambda: up.engine.running == 0)


async def test_a_run_that_fails_says_so_before_and_after_its_beginning() -> None:
    async with served() as up, fleet_engine(up.url) as engine:
        up.engine.may_end.set()
        with pytest.raises(EngineUnavailable) as caught:
            await engine.run(Request(source="x = 1\n"), VISITOR, Listener())
        assert caught.value.kind == "run_lost" and "That was all." in str(caught.value.__cause__)
        up.engine.begins = False
        async with httpx.AsyncClient(base_url=up.url) as client:
            answer = await client.post(PATH, content=BODY, headers=NAMED)
        assert (answer.status_code, answer.text) == (503, "That was all.")
        assert engine.admission.running == 0


async def test_a_worker_that_stops_begins_no_more_runs_and_ends_those_it_has() -> None:
    async with served() as up, httpx.AsyncClient(base_url=up.url, timeout=PATIENCE) as client:
        asking = asyncio.ensure_future(client.post(PATH, content=BODY, headers=NAMED))
        await until(lambda: up.engine.running == 1)
        await up.worker.leave()
        assert (await client.post(PATH, content=BODY, headers=NAMED)).status_code == 503
        up.worker.end_all()
        assert b"That was all." in (await asking).content


async def test_a_worker_that_has_just_come_gets_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The web process polled the worker before it was ready, and will not poll again soon."""
    monkeypatch.setattr("app.fleet.workers.LOOK_SECONDS", 2 * PATIENCE)
    async with served() as up, fleet_engine(up.url) as web:
        up.engine.may_end.set()
        web._workers.trouble = "no_worker"
        with pytest.raises(EngineUnavailable) as caught:
            await web.run(Request(source="x = 1\n"), VISITOR, Listener())
        assert caught.value.kind == "run_lost"


@pytest.mark.parametrize("is_next", [False, True])
async def test_workers_of_two_releases_stand_behind_one_proxy(is_next: bool) -> None:
    """A web process sends runs only to workers of its own release."""
    async with served() as up, served() as other:
        up.told = msgspec.structs.replace(TOLD, places=3)
        other.app.router.routes[:] = []  # this worker belongs to another release, whose paths differ
        with proxy(other.url, up.url, next_release=RELEASE if is_next else "9.9") as between:
            async with fleet_engine(between.url) as web:
                await until(lambda: web._workers.count == 1)
                asking = [asyncio.ensure_future(_lost(web, number)) for number in range(3)]
                await until(lambda: up.engine.running == 3)
                up.engine.may_end.set()
                await asyncio.gather(*asking)


async def _lost(web: Any, number: int) -> None:
    with pytest.raises(EngineUnavailable, match="connection to its worker was lost"):
        await web.run(Request(source="x = 1\n"), Requester(visitor=str(number), address=""), Listener())
