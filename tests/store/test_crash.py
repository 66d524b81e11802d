"""Kill a process that writes to the store, or the database. All acknowledged links can be read afterwards."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.store import Store
from tests.postgresql import Cluster
from tests.waiting import wait_until

WRITER = """
import asyncio, sys
from app.store import Store, StoreUnavailable
from tests.store.recordings import recording

async def write():
    store = await Store.open(sys.argv[1], 1 << 30)
    for number in range(1_000_000):
        source = f"x = {number}" + "#" * 50_000
        try:
            print(await store.keep(source, 0, recording(source)), flush=True)
        except StoreUnavailable:
            await asyncio.sleep(0.01)

asyncio.run(write())
"""


class Writer:
    """A process that creates links until it is killed."""

    def __init__(self, url: str, heard: Path) -> None:
        self._heard = heard
        with heard.open("a") as said:
            self._process = subprocess.Popen([sys.executable, "-c", WRITER, url], stdout=said)

    def said(self) -> list[str]:
        """Return the acknowledged links, including those of earlier writers."""
        return [line.strip() for line in self._heard.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def goes_on(self, count: int) -> None:
        """Wait until the process has created `count` more links."""
        enough = len(self.said()) + count
        wait_until(lambda: self._process.poll() is not None or len(self.said()) >= enough)
        assert self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.mark.parametrize("counts", [(1, 7, 23), pytest.param(tuple(range(1, 51)), marks=pytest.mark.long)], ids=["few", "many"])
def test_the_writer_is_killed(url: str, counts: tuple[int, ...], folder: Path) -> None:
    for count in counts:  # crash several times in a row
        writer = Writer(url, folder / "heard")
        writer.goes_on(count)
        writer.kill()
    asyncio.run(read_all(url, writer.said()))
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.close()


@pytest.mark.parametrize("times", [1, pytest.param(50, marks=pytest.mark.long)])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGQUIT])
def test_postgresql_is_killed(cluster: Cluster, postgresql: str, how: signal.Signals, times: int, folder: Path) -> None:
    """After each crash of PostgreSQL, the writer continues without a restart."""
    writer = Writer(postgresql, folder / "heard")
    try:
        for _ in range(times):
            writer.goes_on(3)
            cluster.stop(how)
            cluster.start()
        writer.goes_on(3)
    finally:
        writer.kill()
    asyncio.run(read_all(postgresql, writer.said()))


async def read_all(url: str, said: list[str]) -> None:
    store = await Store.open(url, 1 << 30)
    for snippet_id in said:
        snippet = await store.snippet(snippet_id)
        assert snippet is not None
        assert (await store.recording(snippet.recording)).hash == snippet.recording
    await store.close()
