"""Update all services of compose.yaml one after another under load. No request fails, and no run and no room is lost."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, Final, Generic, TypeVar

import httpx
import pytest

from tests.composed import Composition, composition
from tests.rooms.classroom import Classroom, Person
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until
from tests.web.server import Running
from tests.web.streaming import EVENTS, events

LESSON: Final = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
SLOW: Final = "import time\nx = 1\ntime.sleep(1.5)\n"
FREELY: Final = {"visitor_per_second": "1e6", "visitor_burst": "1e6", "address_per_second": "1e6", "address_burst": "1e6"}
PAUSE_SECONDS: Final = 0.1

T = TypeVar("T")


class Load:
    """Clients that send requests continuously. Failures are stored with the request and the time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._began = time.monotonic()
        self._over = threading.Event()
        self.done: Counter[str] = Counter()
        self.failed: list[str] = []

    def _client(self) -> httpx.Client:
        return httpx.Client(base_url=self._url, timeout=PATIENCE, verify=False)

    def runs(self) -> None:
        """Run a lesson, and read its JSON document."""
        with self._client() as client:
            self._again("run", lambda: _ended(client.post("/api/v1/traces", json={"source": LESSON})))

    def streams(self) -> None:
        """Run a snippet that takes longer than most, and read its event stream."""

        def stream() -> str:
            with client.stream("POST", "/api/v1/traces", json={"source": SLOW}, headers=EVENTS) as response:
                if response.status_code != 200:
                    return response.read().decode()
                name, told = "no event", None
                for name, told in events(response):  # noqa: B007 - the last event
                    pass
            return "" if name == "document" and told and told["trace"]["ended"] == {"kind": "finished"} else f"{name}: {told}"

        with self._client() as client:
            self._again("stream", stream)

    def links(self) -> None:
        """Share a snippet through one web process, and open the link through either."""

        def share() -> str:
            shared = client.post("/api/v1/snippets", json={"source": f"x = {len(ids)}\n"})
            if shared.status_code not in (200, 201):
                return shared.text
            ids.append(shared.json()["id"])
            opened = client.get(f"/api/v1/snippets/{ids[len(ids) // 2]}")
            return "" if opened.status_code == 200 else opened.text

        ids: list[str] = []
        with self._client() as client:
            self._again("link", share)

    def pages(self) -> None:
        """Load the page, each time over a new connection."""

        def page() -> str:
            with self._client() as client:
                answer = client.get("/")
            return "" if answer.status_code == 200 else answer.text

        self._again("page", page)

    def lectures(self) -> None:
        """Change the step of a room as its teacher, and read each step as a student."""

        def lead() -> str:
            at = f"step={2 + self.done['lecture'] % 3}"
            led = room.teacher.ask("PATCH", "", {"at": at})
            if led.status_code != 200:
                return f"leading: {led.status_code} {led.text}"
            polled = member.ask("GET", f"/state?after={led.json()['n'] - 1}&wait=20")
            if polled.status_code != 200:
                return f"polling: {polled.status_code} {polled.text}"
            state = polled.json()
            is_so = state["n"] >= led.json()["n"] and state.get("at") == at
            return "" if is_so else f"led to {at} as {led.json()['n']}, told {state}"

        with Classroom(self._url) as room:
            member, follower = room.member(), room.member()
            with ThreadPoolExecutor(1) as pool:
                following = pool.submit(self._follow, follower)
                self._again("lecture", lead)
                room.teacher.ask("PATCH", "", {"at": "step=5"})
                following.result(PATIENCE)

    def _follow(self, member: Person) -> None:
        """Read a room's event stream. When the stream ends, open another one, as the page does."""
        latest = 0

        def follow() -> str:
            nonlocal latest
            with member.events() as told:
                for _, said in told:
                    if "n" in said and said["n"] < latest:
                        return f"told {said['n']} after {latest}"
                    latest = said.get("n", latest)
                    if said.get("ended") or self._over.is_set():
                        return "the room has ended" if said.get("ended") else ""
            return ""

        self._again("stream of a room", follow)

    def _again(self, kind: str, ask: Callable[[], str]) -> None:
        while not self._over.is_set():
            asked = time.monotonic() - self._began
            try:
                wrong = ask()
            except (httpx.HTTPError, AssertionError) as error:
                wrong = repr(error)
            if wrong:
                self.failed.append(f"{asked:.2f} to {time.monotonic() - self._began:.2f} s, {kind}: {wrong[:300]}")
            else:
                self.done[kind] += 1
            self._over.wait(PAUSE_SECONDS)

    @contextmanager
    def going(self, times: int) -> Iterator[None]:
        """Let `times` clients of each kind send requests until the end of the `with` block. Then wait until all clients have
        their responses.
        """
        kinds = (self.runs, self.streams, self.links, self.pages, self.lectures)
        with ThreadPoolExecutor(times * len(kinds)) as pool:
            try:
                asking = [pool.submit(kind) for kind in kinds for _ in range(times)]
                yield
            finally:
                self._over.set()
            for each in asking:
                each.result(PATIENCE)


def _ended(answer: httpx.Response) -> str:
    is_good = answer.status_code == 200 and answer.json()["trace"]["ended"] == {"kind": "finished"}
    return "" if is_good else answer.text


class Replaceable(Generic[T]):
    """A web process or worker that is replaced during the update."""

    def __init__(self, how: Callable[[], AbstractContextManager[T]]) -> None:
        self.how = how
        self._stack = ExitStack()
        self.up: T

    def start(self) -> None:
        """Start a new process, and wait until it is ready."""
        self.up = self._stack.enter_context(self.how())

    def stop(self) -> None:
        """Stop the process as an operator does. The process must exit with status 0."""
        self._stack.close()


def check_proxy(url: str, webs: list[Running]) -> None:
    """Assert that the proxy hides routes for operators, and overwrites a client's X-Forwarded-For header."""
    with httpx.Client(base_url=url, timeout=PATIENCE, verify=False) as client:
        assert [client.get(path).status_code for path in ("/metrics", "/api/v1/health/deep", "/api/v1/health")] == [
            404,
            404,
            200,
        ]
        forged = {"X-Forwarded-For": "192.0.2.77"}
        assert client.post("/api/v1/traces", json={"source": LESSON}, headers=forged).status_code == 200
    lines = [json.loads(line) for web in webs for line in web.log.read_text().splitlines() if line.startswith("{")]
    assert [line["address"] for line in lines if line["event"] == "run"] == ["127.0.0.1"]


@pytest.mark.sweep
@pytest.mark.parametrize(("replaced", "rounds"), [(1, 1), pytest.param(2, 2, marks=pytest.mark.long)])
def test_a_rolling_update(replaced: int, rounds: int) -> None:
    """Of two workers and two web processes each, replace `replaced`, and repeat this `rounds` times."""
    with composition() as made, ThreadPoolExecutor(4) as pool, ExitStack() as rest:
        webs = [Replaceable(partial(made.web, name, **FREELY)) for name in ("web-1", "web-2")]
        workers = [Replaceable(partial(made.worker, name)) for name in ("worker-1", "worker-2")]
        starting = []
        for stop, start in [(each.stop, each.start) for each in webs] + [(each.stop, each.start) for each in workers]:
            rest.callback(stop)
            starting.append(pool.submit(start))
        for started in starting:
            started.result(PATIENCE)
        wait_until(lambda: made.are_up("runs", "worker-1", "worker-2") and made.are_up("webs", "web-1", "web-2"))
        wait_until(lambda: all(httpx.get(f"{web.up.url}/api/v1/health", verify=False).status_code == 200 for web in webs))
        check_proxy(made.url, [web.up for web in webs])
        load = Load(made.url)
        with load.going(rounds):
            for _ in range(rounds):
                rolling = [
                    pool.submit(_roll, made, "runs", workers[:replaced]),
                    pool.submit(_roll, made, "webs", webs[:replaced]),
                ]
                for each in rolling:
                    each.result(rounds * PATIENCE)
        assert not load.failed, "\n".join((*load.failed, *warnings([web.up for web in webs])))
        assert all(load.done[kind] > 3 * rounds for kind in ("run", "stream", "link", "page", "lecture")), load.done


def warnings(webs: list[Running]) -> list[str]:
    """Return the warnings about lost runs in the logs of the web processes."""
    return [line for web in webs for line in web.log.read_text().splitlines() if '"level": "warning"' in line and "run" in line]


def _roll(made: Composition, backend: str, services: Sequence[Replaceable[Any]]) -> None:
    """Replace the services one after another. Before the next one, the proxy must use the replacement."""
    for each in services:
        each.stop()
        each.start()
        wait_until(lambda: made.are_up(backend, *(f"{backend.rstrip('s').replace('run', 'worker')}-{n}" for n in (1, 2))))
