"""Large rooms: delays of steps, followers that do not read, and the effect of many join requests on others."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.web.rooms.room_recordings import MOST_PACKED
from tests.rooms.crowd import Connection, Student, opened, percentile, together
from tests.rooms.lectures import LARGE, SETTINGS, arrivals, lecture
from tests.sandbox.processes import PATIENCE
from tests.waiting import until
from tests.web.server import Running, hosted, running

pytestmark = pytest.mark.asyncio
OF_STORE = 10
"""How many more file descriptors the server may have open afterwards. A room that was not removed would need five."""


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """Start a server that allows 300 students at one address."""
    with running(limits__wall_seconds="60", **SETTINGS) as up:
        yield up


@pytest.mark.parametrize(
    ("rooms", "students", "count", "p95", "most"),
    [
        (2, 30, 6, PATIENCE, PATIENCE),
        pytest.param(1, 300, 60, 0.1, 0.3, marks=pytest.mark.long),
        pytest.param(20, 30, 60, 0.1, 0.3, marks=pytest.mark.long),
    ],
)
async def test_a_step_reaches_all(server: Running, rooms: int, students: int, count: int, p95: float, most: float) -> None:
    """The small test has no strict limit, because other tests run at the same time."""
    times = await lecture(server.url, rooms, students, min(students, 30), count)
    assert len(times) == rooms * students * count
    assert percentile(times, 0.95) <= p95 and max(times) <= most, (percentile(times, 0.95), max(times))


@pytest.mark.long
async def test_300_join_a_document_of_a_megabyte(server: Running) -> None:
    arrived = await arrivals(server, 300, 5, LARGE)
    assert MOST_PACKED > arrived.document_bytes > 1 << 20
    assert arrived.seconds <= 10


async def test_some_join_a_document_of_a_megabyte(server: Running) -> None:
    assert (await arrivals(server, 10, 1, LARGE)).document_bytes > 1 << 20


def unsent(pid: int, port: int) -> int:
    """Return how many bytes for a client's port are in the server's send queue in the kernel."""
    rows = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    queues = [row.split()[4] for row in rows if row.split()[2].endswith(f":{port:04X}")]
    return int(queues[0].partition(":")[0], 16)


async def test_whoever_does_not_read_gets_the_newest(server: Running) -> None:
    """The server buffers little for a follower that does not read 90 changes of 1.6 KB each. When the follower reads, it gets
    the last change.
    """
    room = await opened(server.url)
    student = Student(server.url, room.code)
    token = (await student.connection.ask("POST", f"/api/v1/rooms/{room.code}/members", {})).json()["token"]
    loop = asyncio.get_running_loop()
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.setblocking(False)
    host, port = server.url.removeprefix("http://").split(":")
    await loop.sock_connect(slow, (host, int(port)))
    request = f"GET /api/v1/rooms/{room.code}/events HTTP/1.1\r\nHost: localhost\r\nX-Room-Token: {token}\r\n\r\n"
    await loop.sock_sendall(slow, request.encode())
    path, secret = f"/api/v1/rooms/{room.code}", room.secret
    for number in range(90):
        led = await room.teacher.ask("PATCH", path, {"view": f"pin={number}" + "x" * 1500}, X_Room_Secret=secret)
        if led.status == 429:  # the requests come faster than from any teacher
            await asyncio.sleep(float(led.headers["retry-after"]))
        else:
            assert led.status == 200
            await asyncio.sleep(0.1)  # the pause lets the room send each change separately
    held = unsent(server.process.pid, slow.getsockname()[1])
    assert held <= 64 << 10
    await room.teacher.ask("PATCH", path, {"view": "pin=last"}, X_Room_Secret=secret)
    read = b""
    async with asyncio.timeout(PATIENCE):
        while b"pin=last" not in read:
            read += await loop.sock_recv(slow, 1 << 16)
    assert len(read) < 96 << 10, "and not all that there was"
    slow.close()
    student.connection.close()
    await room.end()


async def test_a_flood_keeps_nobody_out_who_follows() -> None:
    """A thousand attempts to join from the address of a full class are refused, and the lecture continues."""
    with hosted(visitor_burst="1e6", address_burst="1e6", room_members="40") as server:
        room = await (await opened(server.url)).joined(40)
        asked = await room.teacher.ask(
            "POST",
            f"/api/v1/rooms/{room.code}/poll",
            {"question": {"kind": "raises", "after": 0, "until": 9}},
            X_Room_Secret=room.secret,
        )
        flood = [Connection(server.url) for _ in range(20)]

        async def join_on(connection: Connection) -> list[int]:
            said = []
            for _ in range(50):
                connection.cookie = ""  # without a cookie, each request comes from a new visitor
                answer = await connection.ask("POST", f"/api/v1/rooms/{room.code}/members", {})
                said.append(answer.status)
                assert answer.status == 429 and answer.json()["error"] in ("room_full", "too_fast")
            return said

        flooding = asyncio.ensure_future(together(join_on(each) for each in flood))
        for step in range(2, 8):
            await room.step(step)
        vote = {"poll": asked.json()["id"], "answer": {"kind": "whether", "whether": False}}
        votes = await together(
            each.connection.ask("POST", f"/api/v1/rooms/{room.code}/votes", vote, X_Room_Token=each.token)
            for each in room.students
        )
        assert {answer.status for answer in votes} == {204}
        assert sum(map(len, await flooding)) == 1000
        forged = [
            await flood[0].ask("POST", f"/api/v1/rooms/{room.code}/votes", vote, X_Room_Token=token)
            for token in ("", "x.y", f"{room.students[0].token}x", room.code)
        ]
        assert {answer.status for answer in forged} == {403}
        async with asyncio.timeout(PATIENCE):
            count = 0
            while count != 40:
                state = await room.teacher.ask("GET", f"/api/v1/rooms/{room.code}/state", X_Room_Secret=room.secret)
                count = state.json()["votes"]["count"]
        for connection in flood:
            connection.close()
        await room.end()


async def test_one_address_follows_by_so_many_connections() -> None:
    """The limit applies to all rooms together. Otherwise, a client could open rooms to use up the server's connections."""
    with hosted(visitor_burst="1e6", room_members="4") as server:
        rooms = [await (await opened(server.url)).joined(count) for count in (4, 4)]
        late = Connection(server.url)
        path, secret = f"/api/v1/rooms/{rooms[0].code}", rooms[0].secret
        for where in ("events", "state?wait=1"):
            refused = await late.ask("GET", f"{path}/{where}", X_Room_Secret=secret)
            assert (refused.status, refused.json()["error"]) == (429, "too_many_streams")
        await rooms[1].end()
        async with asyncio.timeout(PATIENCE):
            while (await late.ask("GET", f"{path}/state", X_Room_Secret=secret)).status == 429:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        late.close()
        await rooms[0].end()


def resident(pid: int) -> int:
    return next(int(line.split()[1]) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmRSS" in line)


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


async def test_rooms_that_ended_leave_nothing(server: Running) -> None:
    """Opens fifty rooms with followers, a question, votes and different documents."""
    pid = server.process.pid

    async def one(number: int) -> None:
        room = await (await opened(server.url, f"x = {number!r}\n" + "#" * 50_000)).joined(3)
        path = f"/api/v1/rooms/{room.code}"
        question = {"kind": "raises", "after": 0, "until": 9}
        asked = await room.teacher.ask("POST", f"{path}/poll", {"question": question}, X_Room_Secret=room.secret)
        for student in room.students:
            await student.load(room.recording)
            vote = {"poll": asked.json()["id"], "answer": {"kind": "whether", "whether": False}}
            voted = await student.connection.ask("POST", f"{path}/votes", vote, X_Room_Token=student.token)
            assert voted.status == 204
        await room.step(2)
        ended = await room.teacher.ask("DELETE", path, X_Room_Secret=room.secret)
        assert ended.status == 204
        await together(each.following for each in room.students if each.following)
        await room.end()

    await together(one(number) for number in range(5))
    before = resident(pid), descriptors(pid)
    for batch in range(10):
        await together(one(10 * batch + number) for number in range(5))
    await until(lambda: descriptors(pid) <= before[1] + OF_STORE)
    assert resident(pid) - before[0] < 20 << 10
    operator = Connection(server.url)
    metrics = await operator.ask("GET", "/metrics")
    operator.close()
    assert b"stepgrad_rooms 0.0" in metrics.body and b"stepgrad_room_followers 0.0" in metrics.body
