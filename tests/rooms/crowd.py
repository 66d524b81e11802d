"""Simulate many students in one event loop. Each student is a visitor with separate HTTP connections."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from tests.sandbox.processes import PATIENCE
from tests.waiting import until

T = TypeVar("T")
READING_SECONDS = 2.0
"""The pause between two runs of a student in seconds. It is shorter than a person's."""
STEP = re.compile(rb'"at":"step=(\d+)"')
SNIPPET = "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * {}).sum()\ny.backward()\n"


@dataclass(frozen=True)
class Answer:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """An HTTP connection of one visitor."""

    def __init__(self, url: str, cookie: str = "") -> None:
        parts = urlsplit(url)
        self._address, self._host = (parts.hostname, parts.port), parts.netloc
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self.cookie = cookie

    async def send(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str]]:
        """Send a request. Return the status and the headers, and do not read the body."""
        given = {"Host": self._host, "Accept-Encoding": "gzip"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            given |= {"Content-Type": "application/json", "Content-Length": str(len(content))}
        if self.cookie:
            given["Cookie"] = self.cookie
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        status, *lines = (await self._head(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + content)).split("\r\n")
        told = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
        if "set-cookie" in told and not self.cookie:
            self.cookie = told["set-cookie"].partition(";")[0]
        return int(status.split()[1]), told

    async def _head(self, request: bytes) -> str:
        """Return the head of the response. If the server has closed the idle connection, connect again, as browsers do."""
        is_used = self._writer is not None
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(*self._address, limit=1 << 20)
        assert self._reader is not None
        try:
            self._writer.write(request)
            return (await self._reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionError):
            self.close()
            if not is_used:
                raise
        return await self._head(request)

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send a request, and read the complete response."""
        status, told = await self.send(method, path, body, **headers)
        assert self._reader is not None
        if "content-length" in told:
            content = await self._reader.readexactly(int(told["content-length"]))
        elif told.get("transfer-encoding") == "chunked":
            content = b"".join([piece async for piece in self.pieces()])
        else:
            content = b""
        if told.get("connection") == "close":
            self.close()
        return Answer(status, told, content)

    async def pieces(self) -> Any:
        """Yield the chunks of a response with chunked encoding."""
        assert self._reader is not None
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            yield (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readexactly(2)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()
        self._reader = self._writer = None


@dataclass
class Student:
    """A student who follows the teacher.

    `heard` contains when each step arrived, and `sizes` the number of bytes of each event.
    """

    url: str
    room: str
    token: str = ""
    heard: dict[int, float] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    following: asyncio.Task[None] | None = None
    connection: Connection = field(init=False)
    stream: Connection = field(init=False)
    has_state: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.connection = Connection(self.url)

    async def join(self) -> Self:
        """Join the room, and read its event stream."""
        joined = await self.connection.ask("POST", f"/api/v1/rooms/{self.room}/members", {})
        assert joined.status == 201, joined
        self.token = joined.json()["token"]
        self.stream = Connection(self.url, self.connection.cookie)
        status, _ = await self.stream.send("GET", f"/api/v1/rooms/{self.room}/events", X_Room_Token=self.token)
        assert status == 200, status
        self.following = asyncio.create_task(self._follow())
        await self.has_state.wait()
        return self

    async def load(self, recording: str) -> int:
        """Load the document, and return its size in bytes."""
        path = f"/api/v1/rooms/{self.room}/document/{recording}"
        answer = await self.connection.ask("GET", path, X_Room_Token=self.token)
        assert answer.status == 200, answer
        return len(answer.body)

    async def _follow(self) -> None:
        async for piece in self.stream.pieces():
            step = STEP.search(piece)
            if step is not None:
                self.heard[int(step[1])] = time.perf_counter()
                self.sizes.append(len(piece))
                self.has_state.set()

    def leave(self) -> None:
        self.connection.close()
        self.stream.close()
        if self.following is not None:
            self.following.cancel()


@dataclass
class Class:
    """A teacher with a room, and students."""

    url: str
    teacher: Connection
    code: str
    secret: str
    recording: str
    students: list[Student] = field(default_factory=list)

    async def joined(self, count: int) -> Self:
        """Let `count` more students join at the same time."""
        self.students += await together(Student(self.url, self.code).join() for _ in range(count))
        return self

    async def step(self, number: int) -> list[float]:
        """Go to a step. Return how long it took to reach each student, in seconds."""
        began = time.perf_counter()
        led = await self.teacher.ask("PATCH", f"/api/v1/rooms/{self.code}", {"at": f"step={number}"}, X_Room_Secret=self.secret)
        assert led.status == 200, led
        await until(lambda: all(number in student.heard for student in self.students))
        return [student.heard[number] - began for student in self.students]

    async def end(self) -> None:
        """End the room, and close all connections."""
        await self.teacher.ask("DELETE", f"/api/v1/rooms/{self.code}", X_Room_Secret=self.secret)
        self.teacher.close()
        for student in self.students:
            student.leave()


async def opened(url: str, source: str = SNIPPET.format(2)) -> Class:
    """Open a room for a new link, without students."""
    teacher = Connection(url)
    link = (await teacher.ask("POST", "/api/v1/snippets", {"source": source})).json()
    room = await teacher.ask("POST", "/api/v1/rooms", {"snippet": link["id"]})
    assert room.status == 201, room
    told = room.json()
    state = await teacher.ask("GET", f"/api/v1/rooms/{told['code']}/state", X_Room_Secret=told["secret"])
    return Class(url, teacher, told["code"], told["secret"], state.json()["snippet"]["recording"])


async def together(work: Iterable[Awaitable[T]]) -> list[T]:
    """Await all of these at the same time, with a timeout."""
    async with asyncio.timeout(PATIENCE):
        return list(await asyncio.gather(*work))


async def run_snippets(students: Iterable[Student], stop: asyncio.Event) -> int:
    """Let students run snippets, with pauses, until `stop` is set. Return the number of runs."""

    async def one(number: int, student: Student) -> int:
        count = 0
        connection = Connection(student.url, student.connection.cookie)
        while not stop.is_set():
            source = SNIPPET.format(f"{number}.{count}")
            answer = await connection.ask("POST", "/api/v1/traces", {"source": source})
            assert answer.status == 200, answer
            count += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), READING_SECONDS)
        connection.close()
        return count

    return sum(await asyncio.gather(*(one(number, student) for number, student in enumerate(students))))


def percentile(times: list[float], part: float) -> float:
    """Return the smallest time that is not exceeded by this fraction of the times."""
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]
