"""Limits on open connections, per address and in total. The server closes idle connections first."""

import asyncio
import random
from collections import Counter
from ipaddress import ip_network

import pytest

from app.web.edge.connections import Connections, Idle
from app.web.edge.http import MOST_HEADERS, MOST_UNDER_WAY, SURPLUS_CONNECTIONS, BoundedHttp
from tests.sandbox.processes import PATIENCE
from tests.waiting import soon
from tests.web.protocol import HEAD, REQUEST, WAITING, Application, Client, Serving, serving

pytestmark = pytest.mark.asyncio
ATTACKER, OTHER = "127.0.0.2", "127.0.0.3"


def stay(clients: list[Client]) -> list[bool]:
    return [not client.protocol.is_lost for client in clients]


async def crowd(server: Serving, number: int, source: str, begin: bytes = b"") -> list[Client]:
    """Open `number` connections from one address, and send `begin` on each."""
    clients = []
    for _ in range(number):
        clients.append(client := await server.connect(source))
        if begin:
            await client.send(begin)
    return clients


@pytest.mark.parametrize(
    "begin", [b"", b"GET / HTTP/1.1\r\nHost: loc", b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 9\r\n\r\n{"]
)
async def test_idle_connections_of_one_address_keep_nobody_out(begin: bytes) -> None:
    """An attacker could once block the server with 4,200 idle connections. Now the connection that has been idle longest is
    closed.
    """
    async with serving(Application(), Connections(20, 1000)) as server:
        others = await crowd(server, 2, OTHER)
        attackers = await crowd(server, 60, ATTACKER, begin)
        visitor = await server.connect(OTHER)
        assert (await visitor.ask()).endswith(b"xx")
        await soon(lambda: sum(stay(attackers)) <= 17)
        assert stay(others) == [True, True], "of the address that has most"
        assert stay(attackers) == [False] * 43 + [True] * 17
        if begin:
            assert await attackers[0].problem() == (503, "too_many_connections")


async def test_one_address_has_so_many_idle_connections() -> None:
    bounds: Connections[BoundedHttp] = Connections(1000, 3)
    async with serving(Application(), bounds) as server:
        clients = await crowd(server, 5, ATTACKER)
        await soon(lambda: sum(stay(clients)) <= 3)
        assert stay(clients) == [False, False, True, True, True]
        assert (await clients[2].ask()).endswith(b"xx"), "and the next to go is who has been idle longest"
        await server.connect(ATTACKER)
        await soon(lambda: sum(stay(clients)) <= 2)
        assert stay(clients) == [False, False, True, False, True]
        assert bounds.idle.number(ATTACKER) == 3


async def test_streams_and_runs_of_a_class_are_not_bounded_as_idle_ones() -> None:
    """Many clients at one address wait for responses, and their browsers open additional connections."""
    application = Application()
    async with serving(application, Connections(1000, 5)) as server:
        answered = await crowd(server, 300, OTHER, WAITING)
        spare = await crowd(server, 20, OTHER)
        await soon(lambda: sum(stay(spare)) <= 5)
        assert all(stay(answered)) and application.waiting == 300


async def test_a_household_counts_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.edge.http.address_of", lambda peer, *_: f"2001:db8:0:{peer.rpartition('.')[2]}::/64")
    async with serving(Application(), Connections(1000, 2)) as server:
        household = [client for number in range(1, 10) for client in await crowd(server, 2, f"127.0.0.{number}")]
        await soon(lambda: sum(stay(household)) == 8)
        assert all(stay(household[-8:])), "those that were idle longest give way"


async def test_a_proxy_bounds_its_clients_itself() -> None:
    bounds: Connections[BoundedHttp] = Connections(40, 3, (ip_network("127.0.0.2"),))
    async with serving(Application(), bounds) as server:
        clients = await crowd(server, 30, ATTACKER)
        direct = await crowd(server, 5, OTHER)
        await soon(lambda: sum(stay(direct)) <= 3)
        assert all(stay(clients))


async def test_when_all_are_being_answered_whoever_comes_is_refused() -> None:
    application = Application()
    async with serving(application, Connections(3, 100)) as server:
        busy = await crowd(server, 3, OTHER, WAITING)
        surplus = await crowd(server, 2, OTHER)
        for client in surplus:
            client.write(REQUEST)
            assert await client.problem() == (503, "too_many_connections")
        await soon(lambda: surplus[1].protocol.is_lost)
        late = await server.connect(OTHER)
        busy[0].writer.close()
        await soon(lambda: busy[0].protocol.is_lost)
        assert (await late.ask()).endswith(b"xx"), "there is room again"
        assert all(stay(busy[1:])) and application.waiting == 2


async def test_beyond_the_surplus_nobody_hears_why() -> None:
    async with serving(Application(), Connections(1, 1000)) as server:
        await crowd(server, 1, OTHER, WAITING)
        surplus = await crowd(server, SURPLUS_CONNECTIONS, OTHER)
        one_more = await server.connect(OTHER)
        assert await one_more.until_hung_up() == b""
        assert all(stay(surplus))


@pytest.mark.parametrize("gone", ["half-closed", "closed"])
@pytest.mark.parametrize("behind", [b"", REQUEST], ids=["alone", "with another request behind"])
async def test_whoever_sends_no_more_is_gone(gone: str, behind: bytes) -> None:
    application = Application()
    async with serving(application) as server:
        client = await server.connect()
        await client.send(WAITING + behind)
        await soon(lambda: application.waiting)
        client.writer.write_eof() if gone == "half-closed" else client.writer.close()
        await asyncio.wait_for(application.hung_up.wait(), PATIENCE)
        await soon(lambda: client.protocol.is_lost)
        assert application.waiting == 0


async def test_so_many_requests_wait_behind_one() -> None:
    """A single read of a socket may contain thousands of requests."""
    application = Application()
    async with serving(application) as server:
        client = await server.connect()
        client.write(REQUEST * MOST_UNDER_WAY)
        for _ in range(MOST_UNDER_WAY):
            assert await client.reader.readline() == b"HTTP/1.1 200 OK\r\n"
            await client.reader.readuntil(b"\r\n\r\nxx")
        client.write(WAITING + REQUEST * 2000)
        await soon(lambda: client.protocol.is_lost)
        assert len(client.protocol.pipeline) <= MOST_UNDER_WAY
        await soon(lambda: application.hung_up.is_set() and not application.waiting)


@pytest.mark.parametrize("place", ["head", "trailer"])
async def test_a_request_has_so_many_headers(place: str) -> None:
    """A single read of a socket may contain thousands of headers, and the size is checked once per read."""
    many = b"a:\r\n" * MOST_HEADERS
    async with serving(Application()) as server:
        client = await server.connect()
        if place == "head":
            client.write(b"GET / HTTP/1.1\r\n" + HEAD + many + b"\r\n")
        else:
            client.write(b"POST / HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + many + b"\r\n")
        assert await client.problem() == (431, "too_large")
        fewer = await server.connect()
        fewer.write(b"GET / HTTP/1.1\r\n" + HEAD + many[:-4] + b"\r\n")
        assert await fewer.reader.readline() == b"HTTP/1.1 200 OK\r\n"


async def test_who_has_most_is_known_whatever_comes_and_goes() -> None:
    """Compares the counts, which are updated incrementally, with a complete count."""
    choose, idle, known = random.Random(0), Idle[int](), dict[int, str]()
    for _ in range(5000):
        connection = choose.randrange(60)
        address = str(connection % 7)
        if choose.random() < 0.5:
            idle.add(connection, address)
            known.pop(connection, None)
            known[connection] = address
        else:
            idle.discard(connection, address)
            known.pop(connection, None)
        of_each = Counter(known.values())
        longest = idle.longest_where_most()
        assert (longest is None) == (not known)
        if longest is not None:
            assert of_each[known[longest]] == max(of_each.values())
            assert longest == next(each for each in known if known[each] == known[longest])
        assert idle.number(address) == of_each[address]
