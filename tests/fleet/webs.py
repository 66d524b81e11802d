"""Run several web processes with one PostgreSQL behind HAProxy."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx

from tests.haproxy import HAProxy, free_ports, running_haproxy
from tests.waiting import wait_until
from tests.web.server import Running, running_command

SETTINGS = {
    "visitor_per_second": "1e6",
    "visitor_burst": "1e6",
    "address_per_second": "1e6",
    "address_burst": "1e6",
    "rooms_of_one_address": "1000",
    "accept_tier": "B",
    "proxies": "127.0.0.1",
    "runs_in_flight": "2",
}


class Web:
    """A web process that can be restarted at the same address."""

    def __init__(self, database: str, **settings: str) -> None:
        self._settings = {**SETTINGS, "database": database, **settings}
        self._port = str(free_ports(1)[0])
        self._stack = ExitStack()
        self.url = f"http://127.0.0.1:{self._port}"
        self.up: Running

    def start(self) -> None:
        """Start the process, and wait until it is ready."""
        self.up = self._stack.enter_context(running_command(sys.executable, "-m", "app", port=self._port, **self._settings))

    def kill(self) -> None:
        self.up.kill()
        self._stack.close()

    def stop(self) -> None:
        """Stop the process as an operator does."""
        self._stack.close()

    @property
    def rooms(self) -> int:
        """Return the number of rooms in the memory of the process."""
        metrics = httpx.get(f"{self.url}/metrics", verify=False).text
        return int(next(float(line.split()[1]) for line in metrics.splitlines() if line.startswith("stepgrad_rooms ")))


class Webs(list[Web]):
    """Two web processes, and the `proxy` in front of them."""

    proxy: HAProxy

    def both_up(self) -> None:
        """Wait until the proxy sends requests to both web processes."""
        wait_until(lambda: self.proxy.up(1) and self.proxy.up(2))

    def of_room(self) -> tuple[Web, Web]:
        """Return the web that has the only room, and the other web. A web drops a room that it lost after up to a second."""

        def web_of_room() -> Web | None:
            counts = [web.rooms for web in self]
            return self[counts.index(1)] if sorted(counts) == [0, 1] else None

        one, other = self
        return (one, other) if wait_until(web_of_room) is one else (other, one)


@contextmanager
def running_webs(database: str, **settings: str) -> Iterator[Webs]:
    """Run two web processes with one database behind HAProxy."""
    webs = Webs(Web(database, **settings) for _ in range(2))
    with ExitStack() as all_of_them, ThreadPoolExecutor(2) as pool:
        for web in webs:
            all_of_them.callback(web.stop)
        list(pool.map(Web.start, webs))
        webs.proxy = all_of_them.enter_context(running_haproxy(webs[0].url, webs[1].url))
        webs.both_up()
        yield webs


def answered(ask: Callable[[], httpx.Response], status: int) -> httpx.Response:
    """Repeat a request until the response has this status, and return the response."""
    answers: list[httpx.Response] = []

    def is_there() -> bool:
        answers.append(ask())
        return answers[-1].status_code == status

    wait_until(is_there, lambda: answers[-1].text)
    return answers[-1]
