"""After many runs, one after another and concurrently, no process, file descriptor or file is left."""

import math
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from app.explainers import pool
from app.sandbox.inside.protocol import TRACE, frame
from app.trace.heads import Head
from tests.sandbox.forgeries import AMPLIFIERS, CONTRADICTIONS, ODDITIES, snippet
from tests.waiting import wait_until
from tests.web.server import Running

SOURCE = "import torch\nx = torch.ones(3, requires_grad=True)\n(x * {}).sum().backward()\n"
UGLY = (
    "import os\nos._exit(3)\n",
    "import ctypes\nctypes.string_at(0)\n",
    "while True: print('x' * 10000)\n",
    "import os\nopen('/tmp/left behind', 'w').write('x' * 1000)\nos.close(2)\n",
    "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n",
    "x = = 1\n",
)

COUNTED = Head(statements=99, operators=99)
"""Larger than the actual numbers, because the server rejects smaller ones."""
EMIT = f"""
import os
def emit(content):
    payload = len(content).to_bytes(4) + {COUNTED.payload(b"")[4:]!r} + content
    os.write(4, b"SBX1\\x01" + len(payload).to_bytes(4) + payload)
"""
FORGED_END = frame(TRACE, COUNTED._replace(end="finished").payload(b'{"ended": {"kind": "finished"}}'))
CRASH = b'{"ended": {"kind": "crashed", "signal": 999, "name": "<img>"}}'
FORGED_CRASH = frame(TRACE, COUNTED._replace(end="raised").payload(CRASH))
HOSTILE = (
    *UGLY,
    "import os\nos.abort()\n",
    f"import ctypes, os\nos.write(4, {FORGED_END!r}); ctypes.CDLL(None).syscall(101, 0, 0, 0, 0)\n",
    f"import os\nos.write(4, {FORGED_CRASH!r})\n",
    "import os\nos.write(4, b'x' * 100_000)\n",
    *(EMIT + snippet(forgery) for forgery in (*AMPLIFIERS.values(), *ODDITIES.values(), *CONTRADICTIONS.values())),
    "import torch\nx = torch.ones(1, requires_grad=True)\ng = [torch.ones(1) for _ in range(300)]\nx.sum().backward()\n"
    "for _ in range(300): h = x.grad\n",
    "import torch\nxs = [torch.ones(1, requires_grad=True)]\nfor i in range(1, 300): xs.append(xs[i - 1] + xs[i // 2])\n",
)
"""Runs that try to leave processes or files behind, or send invalid data."""


def descendants(pid: int) -> list[int]:
    """Return all descendants of `pid`, including processes in other namespaces."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                status = (entry / "stat").read_text()
            except OSError:
                continue
            parents.setdefault(int(status.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def explainers(server: Running) -> int:
    """Return the number of processes of the server that explain recordings."""
    found = 0
    for pid in descendants(server.process.pid):
        try:
            found += b"app.explainers" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
    return found


def left(server: Running, client: httpx.Client) -> tuple[float, int, list[Path]]:
    """Return the number of file descriptors, the number of descendants, and the files in the temporary directory."""
    # The server reports its own file descriptors, because other processes cannot inspect it.
    descriptors = re.search(r"^process_open_fds (\S+)$", client.get("/metrics").text, re.MULTILINE)
    assert descriptors is not None
    return float(descriptors[1]), len(descendants(server.process.pid)), sorted(server.temporary.rglob("*"))


def at_rest(server: Running, client: httpx.Client) -> tuple[float, int, list[Path]]:
    """Return the result of `left` when it has been the same 60 times in a row.

    The processes of a run or the canary exist for a moment after the response. The server also replaces processes that
    explain recordings; the result counts only while all of them exist.
    """
    seen: list[tuple[float, int, list[Path]]] = []

    def is_at_rest() -> bool:
        seen.append(left(server, client))
        if explainers(server) != pool.processes() or seen[-1] != seen[0]:
            seen.clear()
        return len(seen) == 60

    wait_until(is_at_rest)
    return seen[0]


def until_at_rest(server: Running, client: httpx.Client, before: tuple[float, int, list[Path]]) -> None:
    """Wait until `left` returns the same as before the runs."""

    def is_at_rest() -> bool:
        descriptors, processes, files = left(server, client)
        return descriptors <= before[0] and (processes, files) == before[1:]

    wait_until(is_at_rest, lambda: f"before: {before}; now: {left(server, client)}")


def run(client: httpx.Client, source: str) -> None:
    assert client.post("/api/v1/traces", json={"source": source}).status_code == 200


def test_eighty_runs_in_a_row_leave_nothing(server: Running, client: httpx.Client) -> None:
    for source in (*UGLY, SOURCE):
        run(client, source)
    before = at_rest(server, client)
    for number in range(80):
        run(client, UGLY[number // 14] if number % 14 == 0 else SOURCE.format(number))
    until_at_rest(server, client, before)


def uses(server: Running) -> tuple[int, int]:
    """Return the server's memory in bytes and its number of threads."""
    status = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if ":\t" in line
    )
    return int(status["VmRSS"].split()[0]) << 10, int(status["Threads"])


@pytest.mark.long
def test_two_thousand_runs_with_hostile_ones_among_them(server: Running, client: httpx.Client) -> None:
    """120 of the 2,000 runs are hostile. The server's descriptors, processes, threads, files and memory do not grow."""
    for source in (*HOSTILE, SOURCE):
        run(client, source)
    before, (memory, threads) = at_rest(server, client), uses(server)
    hostile = 0
    for number in range(2000):
        if number * 120 // 2000 >= hostile:
            run(client, HOSTILE[hostile % len(HOSTILE)])
            hostile += 1
        else:
            run(client, SOURCE.format(number))
    assert hostile == 120
    until_at_rest(server, client, before)
    memory_after, threads_after = uses(server)
    assert threads_after <= threads
    assert memory_after < memory + (64 << 20)


def test_sixty_at_once_are_all_answered_and_leave_nothing(server: Running, client: httpx.Client) -> None:
    def one(number: int) -> int:
        with server.client() as visitor:
            return visitor.post("/api/v1/traces", json={"source": SOURCE.format(number)}).status_code

    run(client, SOURCE)
    before = at_rest(server, client)
    with ThreadPoolExecutor(60) as pool:
        assert list(pool.map(one, range(60))) == [200] * 60
    run(client, SOURCE)
    # The sixty clients may keep their connections open.
    until_at_rest(server, client, (math.inf, *before[1:]))


def test_sixty_links_at_once(server: Running) -> None:
    def one(number: int) -> str:
        with server.client() as visitor:
            snippet_id = visitor.post("/api/v1/snippets", json={"source": SOURCE.format(number % 10)}).json()["id"]
            return str(visitor.get(f"/api/v1/snippets/{snippet_id}").json()["source"])

    with ThreadPoolExecutor(60) as pool:
        assert list(pool.map(one, range(60))) == [SOURCE.format(number % 10) for number in range(60)]


def test_a_visitor_who_leaves_ends_the_run(server: Running, client: httpx.Client) -> None:
    run(client, SOURCE)
    before = at_rest(server, client)
    for _ in range(2 * (os.cpu_count() or 1) + 1):
        with pytest.raises(httpx.TimeoutException):
            client.post("/api/v1/traces", json={"source": "import time\ntime.sleep(1000)\n"}, timeout=0.3)
    run(client, SOURCE)
    until_at_rest(server, client, before)
