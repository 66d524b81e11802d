"""What webs share in Redis, each by itself: the latest recordings within their budget, stops of runs, and how often one may ask."""

import asyncio
import hashlib
import random
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from app.fleet import SharedFiles, SharedRates, SharedRecent, Stops, names, open_redis
from app.fleet.webs.asking import REST_SECONDS
from app.fleet.webs.recent import AROUND, PIECE_BYTES
from tests.redis_server import RedisServer, redis_server

MINUTES = 60_000


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


@pytest_asyncio.fixture
async def client(redis: RedisServer) -> AsyncIterator[Any]:
    """As the web's own user."""
    redis.tell("FLUSHALL")
    opened = open_redis(redis.url)
    yield opened
    await opened.aclose()


def trace(number: int, size: int = 1000) -> tuple[str, bytes]:
    """The hash and the bytes of a recording that does not pack."""
    made = random.Random(number).randbytes(size)
    return hashlib.sha256(made).hexdigest(), made


async def counted(client: Any) -> int:
    return int(await client.hget(names.RECENT_SIZES, "all") or 0)


# --- recordings ---------------------------------------------------------------------------------------------------------


async def test_the_latest_answer_to_a_request_is_found_by_every_web(client: Any) -> None:
    mine, others = (SharedRecent(client, 4 << 20) for _ in range(2))
    (early, first), (late, second) = trace(1), trace(2, 3 * PIECE_BYTES)
    await mine.add("request", early, first, 0.5)
    assert await others.hash_of("request") == early
    assert await others.get(early) == (first, 0.5) and await others.may_be_fetched(early)
    await mine.add("request", late, second, 1.5)
    assert await others.hash_of("request") == late
    assert await others.get(late) == (second, 1.5)
    assert await others.get(early) == (first, 0.5), "who saw the earlier one may share it"
    accident, third = trace(3)
    await mine.add(None, accident, third, 1.0)
    assert await others.hash_of("request") == late, "it answers no request"
    assert await others.get(accident) == (third, 1.0) and await others.may_be_fetched(accident)
    await others.forget(late)
    assert await mine.may_be_fetched(late) is False
    assert await mine.get(late) == (second, 1.5), "whoever ran it may still share it"
    assert (await mine.get("other"), await mine.hash_of("other"), await mine.may_be_fetched("other")) == (None, None, None)


async def test_the_oldest_make_room_and_all_die_by_themselves(client: Any) -> None:
    size = 100_000
    recent = SharedRecent(client, 5 * (size + AROUND + 200))
    for number in range(8):
        await recent.add(f"request {number}", *trace(number, size), 0.1)
        assert await counted(client) <= 5 * (size + AROUND + 200)
    found = [await recent.get(trace(number, size)[0]) is not None for number in range(8)]
    assert found == [False] * 3 + [True] * 5
    assert await client.zcard(names.RECENT_ORDER) == 5
    await recent.add("request 7", *trace(7, size), 0.1)
    assert await client.zcard(names.RECENT_ORDER) == 5, "the same again costs no other its place"
    await recent.add("too large", *trace(10, 6 * size), 0.1)
    kept = trace(7, size)[0]
    assert await recent.hash_of("too large") is None and await recent.get(kept) is not None
    keys = [names.RECENT_ORDER, names.RECENT_SIZES, names.recent(kept), names.recorded(kept), names.latest("request 7")]
    assert all([0 < await client.pttl(key) <= 30 * MINUTES for key in keys])
    # As if half an hour had passed: what is left of them goes with the next one.
    for member in await client.zrange(names.RECENT_ORDER, 0, -1):
        await client.zadd(names.RECENT_ORDER, {member: 1})
    await recent.add("late", *trace(11), 0.1)
    late = names.recent(trace(11)[0])
    assert await client.zrange(names.RECENT_ORDER, 0, -1) == [late.encode()]
    assert await counted(client) == int(await client.hget(names.RECENT_SIZES, late))


async def test_where_the_clock_went_back_it_is_the_oldest_still_that_make_room(client: Any) -> None:
    size = 100_000
    recent = SharedRecent(client, 3 * (size + AROUND + 200))
    for number in range(3):
        await recent.add(f"request {number}", *trace(number, size), 0.1)
        await client.zincrby(names.RECENT_ORDER, 3_600_000, names.recent(trace(number, size)[0]))
    for number in range(3, 6):
        await recent.add(f"request {number}", *trace(number, size), 0.1)
        await asyncio.sleep(0.002)  # two moments
    assert [await recent.get(trace(number, size)[0]) is not None for number in range(6)] == [False] * 3 + [True] * 3


async def test_what_another_web_wrote_is_bounded_and_checked(client: Any) -> None:
    recent = SharedRecent(client, 4 << 20)
    recording_hash, made = trace(1)
    await recent.add("request", recording_hash, made, 0.5)
    key = names.recent(recording_hash)
    for field, forged in (
        ("size", "5"),
        ("size", "1001"),
        ("size", "99999999999"),
        ("size", "x"),
        ("seconds", "x"),
        ("count", "2"),
        ("count", "99999999"),
        ("hash", "0" * 64),
        ("1", b"no zlib"),
    ):
        kept = await client.hget(key, field)
        await client.hset(key, field, forged)
        assert await recent.get(recording_hash) is None, field
        await client.hset(key, field, kept)
    assert await recent.get(recording_hash) is not None


async def test_nothing_is_kept_where_redis_is_full_or_away(client: Any, redis: RedisServer) -> None:
    recent = SharedRecent(client, 64 << 20)
    redis.tell("CONFIG", "SET", "maxmemory", "1")
    await recent.add("request", *trace(1), 0.5)
    redis.tell("CONFIG", "SET", "maxmemory", "0")
    assert await SharedRecent(client, 64 << 20).get("request") is None
    gone = open_redis("unix:///nowhere/at/all")
    nowhere = SharedRecent(gone, 64 << 20)
    await nowhere.add("request", *trace(1), 0.5)
    assert (await nowhere.get("request"), await nowhere.hash_of("request"), await nowhere.may_be_fetched("x")) == (
        None,
        None,
        None,
    )
    await gone.aclose()


# --- stops --------------------------------------------------------------------------------------------------------------


async def test_a_run_is_stopped_by_its_visitor_at_another_web(client: Any) -> None:
    here, there = "a" * 16, "b" * 16
    mine, others = Stops(client, here), Stops(client, there)
    stopped = []

    def stop(run: str, is_visitor: Any) -> bool:
        stopped.append(run)
        return run == f"{there}run" and bool(is_visitor("visitor"))

    assert await mine.ask(f"{there}run", "visitor") is False, "no web of that name lives"
    await client.set(names.web(there), "", px=10_000)
    async with others.answering(stop):
        assert await mine.ask(f"{there}run", "visitor") is True
        assert await mine.ask(f"{there}run", "another") is False
        assert await mine.ask(f"{there}other", "visitor") is False
        assert len(stopped) == 3
        for strange in ("", here, there, f"{here}run", "x", "ü" * 40, "* " * 20, "../" * 9):
            assert await mine.ask(strange, "visitor") is False
        assert len(stopped) == 3
    began = asyncio.get_running_loop().time()
    assert await mine.ask(f"{there}run", "visitor") is None, "it hangs"
    assert asyncio.get_running_loop().time() - began < 1
    gone = open_redis("unix:///nowhere/at/all")
    assert await Stops(gone, here).ask(f"{there}run", "visitor") is None
    await gone.aclose()
    assert b"visitor" not in b"".join(await client.lrange(names.stops(there), 0, -1))


# --- rates --------------------------------------------------------------------------------------------------------------


async def test_all_webs_take_from_one_bucket(client: Any) -> None:
    mine, others = (SharedRates(client, b"key") for _ in range(2))
    bucket = ("visitors", "192.0.2.1", 0.5, 4.0)
    assert [await rates.take([bucket]) for rates in (mine, others) * 2] == [0, 0, 0, 0]
    assert [0 < await rates.take([bucket]) <= 2 for rates in (mine, others)] == [True, True]  # type: ignore[operator]
    assert await mine.take([("addresses", "192.0.2.1", 0.5, 4.0)]) == 0, "each kind has its own"
    assert await mine.take([("visitors", "192.0.2.2", 0.5, 4.0)]) == 0
    keys = [key async for key in client.scan_iter(names.rate("*", "*"))]
    assert len(keys) == 3 and not any(b"192" in key for key in keys)
    assert all([0 < await client.pttl(key) <= 8_000 for key in keys]), "it dies when it is full again"


async def test_a_bucket_fills_again_by_the_clock_of_redis(client: Any) -> None:
    rates, bucket = SharedRates(client, b"key"), ("visitors", "somebody", 10.0, 1.0)
    assert await rates.take([bucket]) == 0
    wait = await rates.take([bucket])
    assert wait is not None and 0 < wait <= 0.1
    await asyncio.sleep(wait + 0.01)
    assert (await rates.take([bucket], 0), await rates.take([bucket])) == (0, 0), "looking takes nothing"
    often = ("visitors", "often", 1e9, 1e9)
    seldom = ("visitors", "seldom", 1e-9, 1.0)
    assert [await rates.take([each]) for each in (often, often, seldom)] == [0, 0, 0]
    assert (await rates.take([seldom]) or 0) > 1e8


async def test_a_bucket_fills_again_where_the_clock_went_back(client: Any) -> None:
    rates, bucket = SharedRates(client, b"key"), ("visitors", "somebody", 10.0, 1.0)
    assert await rates.take([bucket]) == 0
    (key,) = [each async for each in client.scan_iter(names.rate("*", "*"))]
    _, counted = (await client.get(key)).split()
    await client.set(key, b"0.5 %d" % (float(counted) + 3_600_000), px=3_600_000)
    wait = await rates.take([bucket])
    assert wait is not None and 0 < wait <= 0.05
    await asyncio.sleep(wait + 0.01)
    assert await rates.take([bucket]) == 0


async def test_a_request_that_is_refused_costs_nobody_else_a_token(client: Any) -> None:
    rates = SharedRates(client, b"key")
    visitor, address = ("visitors", "v", 0.001, 1.0), ("addresses", "a", 0.001, 2.0)
    assert await rates.take([visitor, address]) == 0
    assert await rates.take([visitor, address]) != 0
    assert await rates.take([address]) == 0


async def test_each_web_counts_alone_where_redis_is_slow(client: Any, redis: RedisServer) -> None:
    rates, bucket = SharedRates(client, b"key"), ("visitors", "v", 1.0, 9.0)
    assert await rates.take([bucket]) == 0
    loop = asyncio.get_running_loop()
    redis.signal(signal.SIGSTOP)
    began = loop.time()
    assert await rates.take([bucket]) is None
    assert [await rates.take([bucket]) for _ in range(20)] == [None] * 20
    assert loop.time() - began < REST_SECONDS / 2, "it is not asked again at once"
    redis.signal(signal.SIGCONT)
    await asyncio.sleep(began + 2 * REST_SECONDS - loop.time())
    assert await rates.take([bucket]) == 0


# --- static files -------------------------------------------------------------------------------------------------------


async def test_files_of_another_build_are_those_that_a_web_signed(client: Any) -> None:
    build, script = "0123456789ab", b"export const answer = 42;" * 100
    mine, others = (SharedFiles(client, b"key") for _ in range(2))
    async with mine.offering(build, {"bundle/player.js": script, "img/empty.svg": b""}):
        assert await others.get(build, "bundle/player.js") == script
        assert await others.get(build, "img/empty.svg") == b""
        for strange in (
            ("0123456789ac", "bundle/player.js"),
            (build, "bundle/other.js"),
            (build, "x" * 9999),
            ("*", "*"),
            (build, "é"),
        ):
            assert await others.get(*strange) is None
        assert await SharedFiles(client, b"another key").get(build, "bundle/player.js") is None
        await client.hset(names.files(build), "bundle/other.js", await client.hget(names.files(build), "bundle/player.js"))
        assert await others.get(build, "bundle/other.js") is None, "what was signed for one place is good for no other"
    assert await others.get(build, "bundle/player.js") == script, "its web is gone, but its pages may be open"
    assert 0 < await client.pttl(names.files(build)) <= 24 * 60 * MINUTES
