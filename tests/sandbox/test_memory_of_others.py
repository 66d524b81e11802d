"""A run finds no data of other runs in the memory that it inherits from the zygote, in use or freed."""

import ast
import asyncio
import os
import random
import re
import secrets
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.sandbox import Run, Sandbox
from app.sandbox.inside.start import Method
from app.sandbox.supervisor import Child, ZygoteSupervisor
from app.trace.records import Limits, Request
from tests.sandbox.conftest import PATIENT, PLAIN, said
from tests.sandbox.processes import BETWEEN, Process, below, until_one_stands_by
from tests.sandbox.traced import traced

AT_ONCE, BATCHES = 8, 4
TEXTS = re.compile(rb"planted (?:source|output) \d+\.|\d{9,}|0\.\d{6,}")
LASTING = "step()\nimport time\ntime.sleep(300)\n"

WALK = """
import gc, socket, sys
gc.unfreeze()
frames = [sys._getframe()]
while frames[-1].f_back is not None:
    frames.append(frames[-1].f_back)
reached, todo = {}, [*gc.get_objects(), *frames]
while todo:
    thing = todo.pop()
    if id(thing) not in reached:
        reached[id(thing)] = thing
        todo += gc.get_referents(thing)
planted = {number ^ 1 for number in PLANTED}  # otherwise the walk would find this list
say(repr({
    'frames': [frame.f_code.co_name for frame in frames],
    'zygote': [type(thing).__name__ for thing in reached.values() if type(thing).__module__ == 'app.sandbox.inside.zygote'],
    'sockets': sum(isinstance(thing, socket.socket) and thing.fileno() >= 0 for thing in reached.values()),
    'numbers': sum(type(thing) is int and thing in planted for thing in reached.values()),
    'texts': sum(type(thing) in (str, bytes) and len(thing) < 10**4 and any(str(number) in str(thing) for number in planted)
                 for thing in reached.values()),
}))
"""


def limits(number: int) -> Limits:
    """Return limits for one run. The limits contain a number that does not occur in memory by chance."""
    return Limits(wall_seconds=PATIENT.wall_seconds, memory_bytes=0x1_2345_6789 + number * 0x10101)


class Others:
    """Earlier and concurrent runs, with secrets in their requests."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ids: list[int] = []
        self.ended: list[Run] = []
        self._asked = 0
        expect = ZygoteSupervisor.expect

        def expect_and_remember(supervisor: ZygoteSupervisor, run_id: int) -> Child:
            self.ids.append(run_id)
            return expect(supervisor, run_id)

        monkeypatch.setattr(ZygoteSupervisor, "expect", expect_and_remember)

    def request(self, rest: str = "") -> Request:
        """Return a request with new secrets."""
        self._asked += 1
        number = self._asked
        source = f"# planted source {number}.\nimport os\nos.write(1, b'planted output {number}.')\n{rest}"
        return Request(source=source, limits=limits(number))

    def numbers(self) -> list[int]:
        """Return all secret numbers, and the ids of the runs, which the zygote had to know."""
        known = [limits(number).memory_bytes for number in range(1, self._asked + 1)]
        return [*self.ids, *known]

    def planted(self) -> tuple[set[bytes], set[int]]:
        """Return the byte strings and 8-byte words that must not occur in another process's memory."""
        texts, words = set[bytes](), set[int]()
        for number in range(1, self._asked + 1):
            texts |= {f"planted source {number}.".encode(), f"planted output {number}.".encode()}
        for number in self.numbers():
            texts.add(str(number).encode())
            words |= {number, number % 2**30 | number >> 30 << 32}  # a number in the formats of C and of Python
        for seconds in (each.cost.cpu_seconds for each in self.ended):
            if len(str(seconds)) >= 8:  # shorter numbers may occur by chance
                texts.add(str(seconds).encode())
                words.add(int.from_bytes(struct.pack("<d", seconds), "little"))
        return texts, words

    async def come_and_go(self, sandbox: Sandbox) -> None:
        """Execute many runs, one after another and at the same time."""
        for _ in range(BATCHES):
            self.ended += await asyncio.gather(*(traced(sandbox.run(self.request())) for _ in range(AT_ONCE)))
            self.ended.append(await traced(sandbox.run(self.request())))


@asynccontextmanager
async def lasting(sandbox: Sandbox, *requests: Request) -> AsyncIterator[list[Process]]:
    """Start runs that continue until the end of the `with` block, and yield their processes."""
    before = {process.pid for process in below(os.getpid())}
    tasks = [asyncio.create_task(_begin(sandbox, request)) for request in requests]
    begun = [await task for task in tasks]
    try:
        yield [process for process in below(os.getpid()) if process.pid not in before and process.name != BETWEEN]
    finally:
        for each in begun:
            each.cancel()
        await asyncio.gather(*begun, return_exceptions=True)


async def _begin(sandbox: Sandbox, request: Request) -> "asyncio.Task[Run]":
    begun = asyncio.Event()
    task = asyncio.create_task(traced(sandbox.run(request, on_progress=lambda head: begun.set() if head.statements else None)))
    await begun.wait()
    return task


def found(process: Process, texts: set[bytes], words: set[int]) -> list[object]:
    """Return the secrets in a process's writable memory, including inherited memory."""
    there: set[object] = set()
    sought = np.array(sorted(words), dtype=np.uint64)
    with Path(f"/proc/{process.pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            begin, end = (int(bound, 16) for bound in span.split("-"))
            if rights.startswith("rw"):
                memory.seek(begin)
                piece = memory.read(end - begin)
                there.update(texts.intersection(TEXTS.findall(piece)))
                for shift in (0, 4):
                    aligned = np.frombuffer(piece[shift : len(piece) - 8 + shift], np.uint64)
                    there.update(aligned[np.isin(aligned, sought)].tolist())
    return sorted(there, key=str)


METHODS = pytest.mark.parametrize("method", ["clone", "double"])


@METHODS
@pytest.mark.parametrize("digits", [18, 19])  # json stores them in blocks of 32 and 48 bytes
async def test_its_memory_holds_nothing_of_other_runs(method: Method, digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda _: 10 ** (digits - 1) + random.getrandbits(56))
    others = Others(monkeypatch)
    async with Sandbox(replace(PLAIN, method=method)) as sandbox:
        await others.come_and_go(sandbox)
        async with lasting(sandbox, *(others.request(LASTING) for _ in range(3))) as beside:
            planted = others.planted()
            assert found(beside[-1], *planted), "it holds its own"
            await until_one_stands_by()
            asked = Request(source=LASTING, limits=PATIENT)
            async with lasting(sandbox, asked, asked, asked) as runs:  # one of the runs uses the standby child
                waiting = await until_one_stands_by()
                assert [found(process, *planted) for process in [*runs, waiting]] == [[], [], [], []]


@METHODS
async def test_no_object_that_it_reaches_speaks_of_another(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    others = Others(monkeypatch)
    async with Sandbox(replace(PLAIN, method=method)) as sandbox:
        await others.come_and_go(sandbox)
        async with lasting(sandbox, *(others.request(LASTING) for _ in range(3))):
            walk = WALK.replace("PLANTED", repr([number ^ 1 for number in others.numbers()]))
            await until_one_stands_by()
            for (told,) in await asyncio.gather(*(said(sandbox, walk) for _ in range(3))):  # one run uses the standby child
                assert ast.literal_eval(told) == {
                    "frames": ["<module>", "run", "live", "main", "<module>"],
                    "zygote": [],
                    "sockets": 0,
                    "numbers": 0,
                    "texts": 0,
                }
