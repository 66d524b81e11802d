"""The fixtures of this folder: a server for all tests, and a client of it."""

import asyncio
from collections.abc import Callable, Iterator

import httpx
import pytest
import uvloop

from tests.web.server import Hosted, Running, hosted, running


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Use the same event loop as the server."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server with the default settings, except long timeouts for runs and trials, and no rate limits."""
    settings = {"visitor_burst": "1e6", "address_burst": "1e6", "contact": "mailto:security@stepgrad.example"}
    with running(limits__wall_seconds="300", limits__cpu_seconds="60", trial_seconds="60", **settings) as up:
        yield up


@pytest.fixture(scope="session")
def client(server: Running) -> Iterator[httpx.Client]:
    """A client of the server."""
    with server.client() as opened:
        yield opened


@pytest.fixture(scope="session")
def cramped() -> Iterator[Hosted]:
    """A server with room for one run of three seconds, one waiting run, and no link."""
    settings = {"runs_in_flight": "1", "queue_length": "1", "queue_seconds": "1", "store_bytes": "1"}
    with hosted(limits__wall_seconds="3", **settings) as up:
        yield up
