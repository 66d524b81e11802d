"""Fixtures that run the tests of the store with SQLite and with PostgreSQL."""

import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.store import Store
from tests.postgresql import Cluster


@pytest.fixture
def folder() -> Iterator[Path]:
    """Create a folder, in memory if possible, because commits to a busy disk are slow."""
    with tempfile.TemporaryDirectory(
        prefix="stepgrad-test-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ) as name:
        yield Path(name)


@pytest.fixture
def sqlite(folder: Path) -> str:
    """Return the URL of an SQLite file that does not exist yet."""
    return f"sqlite:///{folder / 'store.sqlite'}"


@pytest.fixture
def postgresql(cluster: Cluster) -> Iterator[str]:
    """Return the URL of an empty PostgreSQL database."""
    with cluster.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """Return the URL of a new database, once for SQLite and once for PostgreSQL."""
    return str(request.getfixturevalue(request.param))


@pytest_asyncio.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """Open an empty store, once for SQLite and once for PostgreSQL."""
    opened = await Store.open(url, 1 << 20)
    yield opened
    await opened.close()
