"""Leases of rooms in a real Redis, between two webs of this process."""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

import pytest
import pytest_asyncio

from app.fleet import ThisWeb, names, open_redis
from app.fleet.living import LIFE_MILLISECONDS
from app.fleet.webs.leases import CLAIM, YOUNG_SECONDS
from app.rooms.errors import RoomRefused
from app.rooms.leases import There
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.processes import PATIENCE
from tests.waiting import until

CODE = "ABCDEF"


class Tenant:
    """Whoever holds rooms; `ours` says what the store would."""

    def __init__(self) -> None:
        self.gone: list[str] = []
        self.asked: list[str] = []
        self.ours = True

    def lost(self, codes: Collection[str]) -> None:
        """Note it."""
        self.gone += codes

    async def still_ours(self, codes: Collection[str]) -> Collection[str]:
        """All or none."""
        self.asked += codes
        return codes if self.ours else []


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    """One that has been up for long enough that it knows who holds what."""
    with redis_server() as up:
        time.sleep(YOUNG_SECONDS)  # noqa: TID251 - Redis knows its own age alone
        yield up


@asynccontextmanager
async def web(redis: RedisServer, address: str = "http://127.0.0.1:1") -> AsyncIterator[tuple[ThisWeb, Tenant]]:
    """One web that has announced itself."""
    client = open_redis(redis.url)
    tenant = Tenant()
    made = ThisWeb(client, address)
    made.rooms.serve(tenant)
    try:
        async with made.announced():
            yield made, tenant
    finally:
        await client.aclose()


@pytest_asyncio.fixture
async def webs(redis: RedisServer) -> AsyncIterator[list[tuple[ThisWeb, Tenant]]]:
    """Two of them."""
    async with AsyncExitStack() as both:
        yield [await both.enter_async_context(web(redis, f"http://127.0.0.1:{number}")) for number in (1, 2)]
    assert redis.tell("DEL", names.room(CODE)) in (":0\r\n", ":1\r\n")


async def test_a_room_has_one_holder(webs: list[tuple[ThisWeb, Tenant]], redis: RedisServer) -> None:
    (one, _), (other, of_other) = webs
    assert await one.rooms.holder(CODE) is None and await one.rooms.claim(CODE) is None
    there = There(web=one.id, address="http://127.0.0.1:1")
    assert await other.rooms.holder(CODE) == await other.rooms.claim(CODE) == there
    assert one.rooms.is_held(CODE) and not other.rooms.is_held(CODE)
    await other.rooms.give_up([CODE])
    assert await one.rooms.holder(CODE) is None and await other.rooms.holder(CODE) == there, "nobody gives up another's"
    await asyncio.sleep(LIFE_MILLISECONDS / 1000 + 0.2)
    assert one.rooms.is_held(CODE) and await other.rooms.holder(CODE) == there, "it is renewed"
    redis.tell("SET", names.room(CODE), "gone")
    assert await other.rooms.claim(CODE) == There(web="gone", address=None)
    redis.tell("DEL", names.room(CODE))
    await one.rooms.give_up([CODE])
    assert not one.rooms.is_held(CODE) and await other.rooms.claim(CODE) is None and of_other.gone == []


async def test_what_one_web_leaves_the_next_one_has_once(webs: list[tuple[ThisWeb, Tenant]]) -> None:
    (one, _), (other, _) = webs
    assert await other.rooms.left(CODE) is None
    await one.rooms.leave(CODE, b"parcel")
    assert await other.rooms.left(CODE) == b"parcel" and await other.rooms.left(CODE) is None


async def test_whoever_lost_a_room_is_told(webs: list[tuple[ThisWeb, Tenant]], redis: RedisServer) -> None:
    (one, tenant), (other, _) = webs
    assert await one.rooms.claim(CODE) is None
    redis.tell("SET", names.room(CODE), other.id)
    await until(lambda: tenant.gone == [CODE])
    assert not one.rooms.is_held(CODE) and tenant.asked == [] and one.rooms.held == []


@pytest.mark.parametrize("is_ours", [True, False])
async def test_after_a_gap_the_store_is_asked(webs: list[tuple[ThisWeb, Tenant]], redis: RedisServer, is_ours: bool) -> None:
    (one, tenant), (other, _) = webs
    tenant.ours = is_ours
    assert await one.rooms.claim(CODE) is None
    redis.tell("DEL", names.room(CODE))
    await until(lambda: tenant.asked)
    await until(lambda: one.rooms.is_held(CODE) == is_ours)
    assert (await other.rooms.holder(CODE) is not None) == is_ours


async def test_a_full_redis_keeps_what_it_has(webs: list[tuple[ThisWeb, Tenant]], redis: RedisServer) -> None:
    (one, tenant), _ = webs
    assert await one.rooms.claim(CODE) is None
    redis.tell("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(RoomRefused):
            await one.rooms.claim("GHJKLM", is_new=True)
        await asyncio.sleep(LIFE_MILLISECONDS / 1000 + 0.2)
        assert one.rooms.is_held(CODE) and one.is_known and (tenant.gone, tenant.asked) == ([], [])
    finally:
        redis.tell("CONFIG", "SET", "maxmemory", "0")


async def test_who_cannot_renew_holds_nothing(redis: RedisServer) -> None:
    async with web(redis) as (one, tenant):
        assert await one.rooms.claim(CODE) is None
        redis.kill()
        try:
            await until(lambda: not one.rooms.is_held(CODE))
            with pytest.raises(RoomRefused) as error:
                await one.rooms.holder("GHJKLM")
            assert (error.value.kind, error.value.retry_after) == ("room_unreachable", 2)
        finally:
            redis.start()
        async with web(redis) as (other, _):
            there = There(web="", address=None)
            assert await other.rooms.claim("GHJKLM") == there, "a young Redis does not know yet who holds what"
            assert await other.rooms.claim("GHJKLM", is_new=True) is None
            await until(lambda: one.rooms.is_held(CODE))
            assert tenant.asked == [CODE] and tenant.gone == []
            assert (await other.rooms.claim(CODE)) == There(web=one.id, address="http://127.0.0.1:1")


async def test_a_web_that_is_gone_is_noticed(redis: RedisServer) -> None:
    noticed: list[str] = []
    async with web(redis) as (one, _):
        async with web(redis) as (other, _):
            goes = other.id
            with one.watching("never", lambda: noticed.append("never")), one.watching(goes, lambda: noticed.append("early")):
                await until(lambda: "never" in noticed)
            assert "early" not in noticed
        with one.watching(goes, lambda: noticed.append("gone")):
            await until(lambda: "gone" in noticed)
        assert one._watched == {}


async def test_whoever_died_before_the_clock_went_back_is_gone_all_the_same(redis: RedisServer) -> None:
    """What was to live for a moment would live for an hour."""
    noticed: list[str] = []
    async with web(redis) as (one, _):
        for key, value in ((names.room(CODE), "dead"), (names.web("dead"), "http://127.0.0.1:3")):
            redis.tell("SET", key, value, "PX", "3600000")
        with one.watching("dead", lambda: noticed.append("gone")):
            assert await one.rooms.claim(CODE) == There(web="dead", address="http://127.0.0.1:3")
            async with asyncio.timeout(PATIENCE):
                while await one.rooms.claim(CODE) is not None:  # noqa: ASYNC110 - a key in Redis sends no event
                    await asyncio.sleep(0.1)
            await until(lambda: noticed)
        assert one.rooms.is_held(CODE)
        before_it_began = CLAIM.replace("redis.call('INFO', 'server')", "'uptime_in_seconds:-3600'")
        assert await cast(Any, one.redis.eval(before_it_began, 1, names.room("GHJKLM"), one.id, "kept")) == b""
        redis.tell("DEL", names.room(CODE), names.room("GHJKLM"))


async def test_a_web_without_an_address_among_others_says_so(redis: RedisServer, capsys: pytest.CaptureFixture[str]) -> None:
    async with web(redis, ""):
        assert "cannot be reached" not in capsys.readouterr().out
        async with web(redis, ""):
            assert "cannot be reached" in capsys.readouterr().out
