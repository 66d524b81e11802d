"""A process killed while it writes leaves a store that reads, with everything that it had said was kept."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from app.store import Store

WRITER = """
import asyncio, sys
from app.store import Store
from tests.store.recordings import recording

async def write():
    store = await Store.open(sys.argv[1], 1 << 30)
    for number in range(1_000_000):
        source = f"x = {number}" + "#" * 50_000
        print(await store.keep(source, 0, recording(source)), flush=True)

asyncio.run(write())
"""


def test_killed_while_writing(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    url = f"sqlite+aiosqlite:///{path}"
    said: list[str] = []
    for count in (1, 7, 23):  # three crashes, one upon the other
        with subprocess.Popen([sys.executable, "-c", WRITER, url], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            said += [writer.stdout.readline().strip() for _ in range(count)]
            writer.send_signal(signal.SIGKILL)
            said += [line.strip() for line in writer.stdout if line.endswith("\n")]
    asyncio.run(read_all(url, said))
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


async def read_all(url: str, said: list[str]) -> None:
    store = await Store.open(url, 1 << 30)
    for snippet_id in said:
        snippet = await store.snippet(snippet_id)
        assert snippet is not None
        assert (await store.recording(snippet.recording)).hash == snippet.recording
    await store.close()
