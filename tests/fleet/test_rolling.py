"""A rolling update of what compose.yaml describes, on loopback and under load: no request fails, and no run is lost."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Final, TypeVar

import httpx
import pytest

from tests.composed import Composition, composition
from tests.fleet.running import RunningWorker
from tests.sandbox.processes import PATIENCE
from tests.web.server import Running
from tests.web.streaming import EVENTS, events

LESSON: Final = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
SLOW: Final = "import time\nx = 1\ntime.sleep(1.5)\n"
FREELY: Final = {"visitor_per_second": "1e6", "visitor_burst": "1e6", "address_per_second": "1e6", "address_burst": "1e6"}
PAUSE_SECONDS: Final = 0.02

T = TypeVar("T")


class Load:
    """Visitors who ask without a pause. What went wrong is kept, with what was asked and when."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._began = time.monotonic()
        self._over = threading.Event()
        self.done: Counter[str] = Counter()
        self.failed: list[str] = []

    def _client(self) -> httpx.Client:
        return httpx.Client(base_url=self._url, timeout=PATIENCE, verify=False)

    def runs(self) -> None:
        """A lesson, asked for as JSON."""
        with self._client() as client:
            self._again("run", lambda: _ended(client.post("/api/v1/traces", json={"source": LESSON})))

    def streams(self) -> None:
        """A run that takes longer than most, as events."""

        def stream() -> str:
            with client.stream("POST", "/api/v1/traces", json={"source": SLOW}, headers=EVENTS) as response:
                *_, (name, told) = events(response)
            return "" if name == "document" and told["trace"]["ended"] == {"kind": "finished"} else f"{name}: {told}"

        with self._client() as client:
            self._again("stream", stream)

    def links(self) -> None:
        """Sharing, and opening what was shared, each on any web."""

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
        """The page, by a new connection each time, as newcomers come."""

        def page() -> str:
            with self._client() as client:
                answer = client.get("/")
            return "" if answer.status_code == 200 else answer.text

        self._again("page", page)

    def _again(self, kind: str, ask: Callable[[], str]) -> None:
        while not self._over.is_set():
            asked = time.monotonic() - self._began
            try:
                wrong = ask()
            except httpx.HTTPError as error:
                wrong = repr(error)
            if wrong:
                self.failed.append(f"{asked:.2f} to {time.monotonic() - self._began:.2f} s, {kind}: {wrong[:300]}")
            else:
                self.done[kind] += 1
            self._over.wait(PAUSE_SECONDS)

    @contextmanager
    def going(self, times: int) -> Iterator[None]:
        """So many of each meanwhile; at the end all have their answers."""
        kinds = (self.runs, self.streams, self.links, self.pages)
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


class Replaceable:
    """Something of which a new one takes the place of the old one."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def start(self, start: Callable[[], AbstractContextManager[T]]) -> T:
        """The first one."""
        return self._stack.enter_context(start())

    def stop(self) -> None:
        """As its administrator stops it; it must end as one that was told to."""
        self._stack.close()


def until(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0.05)


def answers(url: str, path: str) -> httpx.Response | None:
    try:
        return httpx.get(url + path, timeout=PATIENCE, verify=False)
    except httpx.HTTPError:
        return None


def takes_runs(up: Running) -> bool:
    """Whether a web's health says so; asked of itself."""
    health = answers(up.url, "/api/v1/health")
    return health is not None and health.status_code == 200


def knows(up: Running, worker: RunningWorker) -> bool:
    """Whether a web may give runs to a worker."""
    metrics = answers(up.url, "/metrics")
    return metrics is not None and f'stepgrad_worker_places{{worker="{worker.name}"}}' in metrics.text


@pytest.mark.parametrize(("rounds", "times"), [(1, 1), pytest.param(5, 3, marks=pytest.mark.long)])
def test_a_rolling_update(rounds: int, times: int) -> None:
    with composition() as made, ExitStack() as rest:
        webs: dict[str, Running] = {}
        holds: dict[str, Replaceable] = {name: Replaceable() for name in ("web-1", "web-2", "worker-1", "worker-2")}
        for held in holds.values():
            rest.callback(held.stop)
        for name in ("web-1", "web-2"):
            webs[name] = holds[name].start(lambda name=name: made.web(name, **FREELY))  # type: ignore[misc]
        for name in ("worker-1", "worker-2"):
            worker = holds[name].start(lambda name=name: made.worker(name))  # type: ignore[misc]
        until(lambda: all(takes_runs(up) and knows(up, worker) for up in webs.values()))
        load = Load(made.url)
        with load.going(times):
            for _ in range(rounds):
                _replace_all(made, holds, webs)
        assert load.failed == []
        assert all(load.done[kind] > 3 * rounds for kind in ("run", "stream", "link", "page")), load.done


def _replace_all(made: Composition, holds: dict[str, Replaceable], webs: dict[str, Running]) -> None:
    for name in ("worker-1", "worker-2"):
        new = Replaceable()
        worker: Any = new.start(lambda name=name: made.worker(name))  # type: ignore[misc]
        until(lambda worker=worker: all(knows(up, worker) for up in webs.values()))  # type: ignore[misc]
        holds[name].stop()
        holds[name] = new
    for name in ("web-1", "web-2"):
        holds[name].stop()
        webs[name] = holds[name].start(lambda name=name: made.web(name, **FREELY))  # type: ignore[misc]
        until(lambda name=name: takes_runs(webs[name]))  # type: ignore[misc]
        time.sleep(3)  # the proxy looks once a second, and nothing tells when it has
