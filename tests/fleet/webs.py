"""Several real webs on one Redis and one PostgreSQL, which reach each other."""

import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from tests.fleet.running import running_worker
from tests.redis_server import RedisServer
from tests.waiting import wait_until
from tests.web.server import Running, running

SETTINGS = {"visitor_burst": "1e6", "address_burst": "1e6", "rooms_of_one_address": "1000", "accept_tier": "B"}


class Webs(list[Running]):
    """Those that are up."""

    def __init__(self, up: list[Running], redis: RedisServer, database: str, key: bytes) -> None:
        super().__init__(up)
        self.redis = redis
        self.database = database
        self.key = key

    @contextmanager
    def another(self, **settings: str) -> Iterator[Running]:
        """One more of them, up to the end of the block."""
        with running_web(self.redis, self.database, self.key, **settings) as web:
            has_worker(web)
            yield web


def free_port() -> str:
    """A port on which nobody listens now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


@contextmanager
def running_webs(redis: RedisServer, database: str, count: int = 2, **settings: str) -> "Iterator[Webs]":
    """So many webs with one signing key, and a worker for the links of their rooms."""
    with ExitStack() as all_of_them, ThreadPoolExecutor(count + 1) as pool:
        key = secrets.token_bytes(32)
        starting = [pool.submit(all_of_them.enter_context, running_web(redis, database, key, **settings)) for _ in range(count)]
        pool.submit(all_of_them.enter_context, running_worker(redis.url_of("worker-1"))).result()
        webs = [each.result() for each in starting]
        for web in webs:
            has_worker(web)
        yield Webs(webs, redis, database, key)


def has_worker(web: Running) -> None:
    """Wait until a web knows of the worker."""
    with web.client() as client:
        wait_until(lambda: client.get("/api/v1/health").status_code == 200)


def answered(ask: Callable[[], httpx.Response], status: int) -> httpx.Response:
    """The answer with that status, asked for until it comes."""
    answers: list[httpx.Response] = []

    def is_there() -> bool:
        answers.append(ask())
        return answers[-1].status_code == status

    wait_until(is_there, lambda: answers[-1].text)
    return answers[-1]


@contextmanager
def running_web(redis: RedisServer, database: str, key: bytes, **settings: str) -> Iterator[Running]:
    """One more web."""
    data = Path(tempfile.mkdtemp(prefix="stepgrad-web-"))
    (data / "signing-key").write_bytes(key)
    data.chmod(0o755)
    os.chmod(data / "signing-key", 0o644)
    port = free_port()
    given = {"redis_url": redis.url, "database": database, "web_address": f"http://127.0.0.1:{port}", "port": port}
    try:
        with running(**{**SETTINGS, **given, "data": str(data), **settings}) as web:
            web.data = data
            yield web
    finally:
        shutil.rmtree(data)
