"""Measure lectures with many students: how fast steps reach them, and how fast they can join."""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

from tests.rooms.crowd import Class, Student, opened, run_snippets, together
from tests.web.server import Running

STEP_BYTES: Final = 200
SETTINGS: Final = {"visitor_burst": "1e6", "address_burst": "1e6", "rooms_of_one_address": "60"}
"""Settings for a server with clients that all have the same address."""
LARGE: Final = "import torch\nfor number in range(1150):\n    x = torch.rand(256)\n"
"""A snippet with a compressed document of slightly more than 1 MB."""


async def steps(of: list[Class], count: int, seconds: float) -> list[float]:
    """Let each teacher go to `count` steps, one every `seconds` seconds. Return the delays of all steps for all students."""

    async def lecture(number: int, each: Class) -> list[float]:
        await asyncio.sleep(seconds * number / len(of))
        times = []
        for step in range(2, 2 + count):
            began = time.monotonic()
            times += await each.step(step)
            await asyncio.sleep(max(0.0, began + seconds - time.monotonic()))
        return times

    taken = await asyncio.gather(*(lecture(number, each) for number, each in enumerate(of)))
    return [each for times in taken for each in times]


async def lecture(url: str, rooms: int, students: int, running_snippets: int, count: int) -> list[float]:
    """Return the delays of all steps for all students while some students run snippets."""
    classes = await together(opened(url) for _ in range(rooms))
    try:
        await together(each.joined(students) for each in classes)
        stop = asyncio.Event()
        everybody = [student for each in classes for student in each.students]
        working = asyncio.ensure_future(run_snippets(everybody[:running_snippets], stop))
        times = await steps(classes, count, 0.5)
        stop.set()
        assert await working >= running_snippets
        assert max(size for student in everybody for size in student.sizes[1:]) <= STEP_BYTES
        return times
    finally:
        for each in classes:
            await each.end()


@dataclass(frozen=True)
class Arrivals:
    """How long it took until all students had the document, in seconds, and the document's size in bytes."""

    seconds: float
    document_bytes: int


async def arrivals(server: Running, students: int, within: float, source: str) -> Arrivals:
    """Let students join within `within` seconds, and load the document."""
    room = await opened(server.url, source)

    async def arrive(number: int) -> int:
        await asyncio.sleep(within * number / students)
        student = await Student(server.url, room.code).join()
        room.students.append(student)
        return await student.load(room.recording)

    began = time.perf_counter()
    try:
        loaded = await together(arrive(number) for number in range(students))
        return Arrivals(time.perf_counter() - began, loaded[0])
    finally:
        await room.end()
