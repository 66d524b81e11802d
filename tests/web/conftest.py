"""Fixtures for the tests of the web server: a server that all tests share, and HTTP clients."""

import asyncio
from collections.abc import Callable, Iterator

import httpx
import pytest
import uvloop

from tests.web.server import Hosted, Running, hosted, running


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Return the event loop that the server uses."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """Start a server with long timeouts for runs and trials, and without rate limits."""
    settings = {"visitor_burst": "1e6", "address_burst": "1e6", "contact": "mailto:security@stepgrad.example"}
    with running(limits__wall_seconds="300", limits__cpu_seconds="60", trial_seconds="60", **settings) as up:
        yield up


@pytest.fixture(scope="session")
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened


@pytest.fixture(scope="session")
def cramped() -> Iterator[Hosted]:
    """Start a server that allows one run of three seconds at a time, one waiting run, and no links."""
    settings = {"runs_in_flight": "1", "queue_length": "1", "queue_seconds": "1", "store_bytes": "1"}
    with hosted(limits__wall_seconds="3", **settings) as up:
        yield up
