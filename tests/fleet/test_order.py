"""The order that all webs share: two of them decide as one machine does, and no place is lost with a web or with Redis."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import astuple, replace
from hashlib import blake2b
from itertools import count
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine import Admission, Admitting, EngineUnavailable
from app.fleet import SharedAdmission, ThisWeb, names, open_redis
from app.fleet.living import LIFE_MILLISECONDS
from tests.engine.test_admission import CAPACITY, Holder, go, settle, somebody
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.processes import PATIENCE

SECRET = b"of the webs"
QUEUES = count()
NAMES = ("tickets", "rows", "turns", "running", "busy", "visitors", "addresses", "spare", "sparing", "spares")


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server(keeps=True) as up:
        yield up


def queue(name: str) -> names.Keys:
    """One that nobody else uses."""
    return names.Keys(cast(Any, name))


class Spare(Holder):
    """Somebody who asks for a place to spare, and hears when a visitor waits for it."""

    wanted = False

    async def _hold(self, admission: Admitting) -> None:
        async with admission.spare(self.requester) as wanted:
            wanted.add_done_callback(self._want)
            self.holds = True
            try:
                await self.release.wait()
            finally:
                self.holds = False
                wanted.remove_done_callback(self._want)

    def _want(self, _: asyncio.Future[None]) -> None:
        self.wanted = True


# --- compared with one machine ------------------------------------------------------------------------------------------


class Compared:
    """The same comings and goings at an Admission and at two webs, in turns."""

    def __init__(self, webs: list[ThisWeb], places: int, queue_length: int, of_one_address: int) -> None:
        capacity = replace(CAPACITY, places=places, queue_length=queue_length, of_one_address=of_one_address)
        keys = queue(f"queue{next(QUEUES)}")
        self.one = Admission(capacity)
        self.two = [SharedAdmission(web, keys, capacity, SECRET) for web in webs]
        self.pairs: list[tuple[Holder, Holder]] = []

    def ask(self, holder: type[Holder], number: int) -> None:
        who = number % 12
        # Of the homes each two share a /56, and all the /48.
        address = "the class" if who < 6 else f"2001:db8:0:{who * 0x80:x}::/64"
        requester = somebody(who, address)
        shared = self.two[number // 12 % 2]
        self.pairs.append((holder(self.one, requester), holder(cast(Any, shared), requester)))

    def present(self, *, holds: bool) -> list[tuple[Holder, Holder]]:
        return [pair for pair in self.pairs if not pair[0].task.done() and (pair[0].holds or not holds)]

    def resize(self, places: int) -> None:
        self.one.resize(places)
        for shared in self.two:
            shared.resize(places)

    async def turn(self, *, hears: bool) -> None:
        """All that follows has happened; where it `hears` no news of places, the looks have told."""
        while True:
            await settle()
            asked = [ticket for shared in self.two for ticket in shared._tickets.values()]
            leaving = [task for shared in self.two for task in shared._leaving.values()]
            words = [await self._word(shared, hears=hears) for shared in self.two]
            if not any(words) and not leaving and all(ticket.has_entered for ticket in asked):
                break
        for shared in self.two:
            await shared.look()
        await settle()

    async def _word(self, shared: SharedAdmission, *, hears: bool) -> bool:
        news = cast("bytes | None", await cast(Any, shared._redis.lpop(shared._news)))
        word, _, ticket = (news or b"").decode().partition(" ")
        if hears or word == "gone":
            shared._hear(ticket, word)
        return news is not None

    def check(self) -> None:
        for one, shared in self.pairs:
            assert (one.holds, one.task.done()) == (shared.holds, shared.task.done())
            assert getattr(one, "wanted", None) == getattr(shared, "wanted", None)
            assert one.positions[:1] == shared.positions[:1]
            if one.task.done():
                assert said_by(one) == said_by(shared)
        order = [cast(Any, waiting.on_position).__self__ for waiting in self.one._order()]
        positions = {id(one): shared.positions[-1] for one, shared in self.pairs if one in order}
        assert [positions[id(one)] for one in order] == list(range(1, len(order) + 1))
        assert self.one.running == sum(shared.running for shared in self.two)
        assert self.one.waiting == sum(shared.waiting for shared in self.two)


def said_by(holder: Holder) -> tuple[object, ...]:
    if holder.task.cancelled():
        return ("cancelled",)
    error = holder.task.exception()
    return (type(error), str(error), getattr(error, "reason", ""))


KINDS = ["ask", "ask", "ask", "ask", "ask", "spare", "end", "end", "end", "cancel", "stop", "resize"]
EVENTS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 23), st.booleans()), min_size=30, max_size=50)


async def play(
    webs: list[ThisWeb], events: list[tuple[str, int, bool]], places: int, queue_length: int, of_one_address: int
) -> None:
    compared = Compared(webs, places, queue_length, of_one_address)
    for event, number, hears in events:
        if event == "ask":
            compared.ask(Holder, number)
        elif event == "spare":
            compared.ask(Spare, number)
        elif event == "resize":
            compared.resize(number % 5)
        elif pairs := compared.present(holds=event == "end"):
            for holder in pairs[number % len(pairs)]:
                if event == "end":
                    holder.release.set()
                elif event == "cancel":
                    holder.task.cancel()
                elif not holder.stop.done():
                    holder.stop.set_result(None)
        await compared.turn(hears=hears)
        compared.check()
    compared.resize(9)
    for holder in (holder for pair in compared.pairs for holder in pair):
        holder.release.set()
    while any(not holder.task.done() for pair in compared.pairs for holder in pair):
        await compared.turn(hears=True)
    await compared.turn(hears=True)
    left = [f"{compared.two[0]._key}:{name}" for name in NAMES]
    assert not await webs[0].redis.exists(*left)


def compare(redis: RedisServer, examples: int) -> None:
    with asyncio.Runner() as runner:
        clients = [open_redis(redis.url) for _ in range(2)]
        webs = [ThisWeb(client) for client in clients]

        @settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(EVENTS, st.integers(1, 4), st.integers(0, 6), st.integers(1, 7))
        def whatever_comes(events: list[tuple[str, int, bool]], places: int, queue_length: int, of_one_address: int) -> None:
            async def within() -> None:
                async with asyncio.timeout(PATIENCE):
                    for web in webs:
                        await web.redis.set(names.web(web.id), "")
                    await play(webs, events, places, queue_length, of_one_address)

            runner.run(within())

        try:
            whatever_comes()
        finally:
            for client in clients:
                runner.run(client.aclose())


def test_two_webs_decide_as_one_machine(redis: RedisServer) -> None:
    compare(redis, 30)


@pytest.mark.long
def test_two_webs_decide_as_one_machine_whatever_comes(redis: RedisServer) -> None:
    compare(redis, 500)


# --- webs and Redis that go ---------------------------------------------------------------------------------------------


@asynccontextmanager
async def silent_web(redis: RedisServer) -> AsyncIterator[ThisWeb]:
    """One that has said once that it lives, and says nothing more."""
    client = open_redis(redis.url)
    web = ThisWeb(client)
    await client.set(names.web(web.id), "", px=LIFE_MILLISECONDS)
    try:
        yield web
    finally:
        await client.aclose()


@asynccontextmanager
async def admission_of(redis: RedisServer, name: str, places: int = 1) -> AsyncIterator[SharedAdmission]:
    client = open_redis(redis.url)
    web = ThisWeb(client)
    shared = SharedAdmission(web, queue(name), replace(CAPACITY, places=places), SECRET)
    try:
        async with web.announced(), shared.working():
            yield shared
    finally:
        await client.aclose()


def holder(shared: SharedAdmission, number: int) -> Holder:
    return Holder(cast(Any, shared), somebody(number))


async def until(*holders: Holder, holds: bool = True) -> float:
    """How long it took until all of them hold a place, or wait."""
    began = time.monotonic()
    async with asyncio.timeout(PATIENCE):
        while not all(each.holds if holds else each.positions for each in holders):  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)
    return time.monotonic() - began


async def test_what_a_web_held_that_is_gone_is_free(redis: RedisServer) -> None:
    """And once it is back: its run has gone on and is counted again, and what waited there has lost its turn."""
    async with silent_web(redis) as web, admission_of(redis, "gone") as other:
        silent = SharedAdmission(web, queue("gone"), other.capacity, SECRET)
        runs = holder(silent, 1)
        await until(runs)
        waits = holder(silent, 2)
        await until(waits, holds=False)
        first = holder(other, 3)
        await until(first, holds=False)
        second = holder(other, 4)
        usual = await until(second, holds=False)
        assert await until(first) < 3 + 20 * usual
        await silent.look()
        await silent.look()
        with pytest.raises(EngineUnavailable) as caught:
            await waits.task
        assert caught.value.kind == "queue_unavailable"
        await go(first)
        third = holder(other, 5)
        await until(third, holds=False)
        assert runs.holds and not second.holds, "the worker is busy still"
        await go(runs)
        await until(second)
        await go(second)
        await go(third)


async def test_a_clock_that_goes_back_keeps_no_place_and_no_standstill(redis: RedisServer) -> None:
    """As if it had gone back by an hour: what a web holds that died is free after its usual time."""
    async with silent_web(redis) as web, admission_of(redis, "back") as other:
        holds = holder(SharedAdmission(web, queue("back"), other.capacity, SECRET), 1)
        await until(holds)
        state = cast(Any, other._redis)
        moved = int(await state.hget(other._key, "moved"))
        await state.hset(other._key, "moved", moved + 3_600_000)
        await state.pexpire(names.web(web.id), 3_600_000)
        async with asyncio.timeout(PATIENCE):
            while await state.pttl(names.web(web.id)) > LIFE_MILLISECONDS:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.05)
        assert moved <= int(await state.hget(other._key, "moved")) < moved + 60_000
        await go(holds)


async def test_no_key_of_the_order_stays(redis: RedisServer) -> None:
    async with admission_of(redis, "keys") as shared:
        runs = holder(shared, 1)
        await until(runs)
        waits, spare = holder(shared, 2), Spare(cast(Any, shared), somebody(9))
        async with asyncio.timeout(PATIENCE):
            while sum(ticket.has_entered for ticket in shared._tickets.values()) < 3:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.01)
        found = [key async for key in shared._redis.scan_iter(f"{shared._key}*")]
        assert len(found) >= 10, found
        assert all([await shared._redis.pttl(key) > 0 for key in found]), found
        for each in (runs, waits, spare):
            each.release.set()
        await asyncio.gather(runs.task, waits.task, spare.task)


async def test_whoever_reads_redis_learns_no_address(redis: RedisServer) -> None:
    """Webs with one secret know each other's visitors. Without it nobody can try all addresses until one fits."""
    async with admission_of(redis, "hashed") as one, admission_of(redis, "hashed") as other:
        runs = holder(one, 1)
        await until(runs)
        waits = holder(other, 1)
        await until(waits, holds=False)
        visitors, addresses = [await cast(Any, one._redis.hgetall(f"{one._key}:{name}")) for name in ("visitors", "addresses")]
        assert list(visitors.values()) == list(addresses.values()) == [b"2"]
        guest = ThisWeb(one._redis)
        guesses = [SharedAdmission(guest, queue("hashed"), one.capacity, secret) for secret in (b"", SECRET)]
        of_visitor, of_address = [[each._hashed(text).encode() for each in guesses] for text in astuple(somebody(1))]
        assert [each in visitors for each in of_visitor] == [each in addresses for each in of_address] == [False, True]
        for text in astuple(somebody(1)):
            assert blake2b(text.encode(), digest_size=16).hexdigest().encode() not in visitors.keys() | addresses.keys()
        await go(runs)
        await until(waits)
        await go(waits)


async def test_redis_is_killed_and_begins_anew(redis: RedisServer) -> None:
    """Those who wait hear at once that there is no queue. With what its disk kept, or with nothing: no place is lost."""
    async with admission_of(redis, "killed") as shared:
        runs = holder(shared, 1)
        await until(runs)
        waits = holder(shared, 2)
        await until(waits, holds=False)
        redis.kill()
        with pytest.raises(EngineUnavailable):
            await asyncio.wait_for(waits.task, PATIENCE)
        with pytest.raises(EngineUnavailable):
            async with shared.place(somebody(3)):
                pytest.fail("there is no queue")
        await asyncio.wait_for(go(runs), PATIENCE)  # Redis hears nothing of it
        redis.start()
        next_one = await holder_once_there(shared, 4)
        waits = holder(shared, 5)
        await until(waits, holds=False)
        redis.tell("FLUSHALL")
        with pytest.raises(EngineUnavailable):
            await asyncio.wait_for(waits.task, PATIENCE)
        last = holder(shared, 6)
        await until(last, holds=False)
        assert next_one.holds and not last.holds
        await go(next_one)
        await until(last)
        await go(last)


@pytest.mark.parametrize("harm", ["DEL {}:tickets", "ZADD {}:turns 0 nobody", "SET {}:rows text"])
async def test_what_no_script_can_read_ends_no_order_for_ever(redis: RedisServer, harm: str) -> None:
    async with admission_of(redis, "harmed") as shared:
        runs = holder(shared, 1)
        await until(runs)
        waits = holder(shared, 2)
        await until(waits, holds=False)
        redis.tell(*harm.format(shared._key).split())
        with pytest.raises(EngineUnavailable):
            await asyncio.wait_for(waits.task, PATIENCE)
        await go(runs)
        await go(await holder_once_there(shared, 3))


async def holder_once_there(shared: SharedAdmission, number: int) -> Holder:
    """One that has a place, asked for until Redis gives it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            one = holder(shared, number)
            while not one.holds and not one.task.done():  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.01)
            if one.holds:
                return one
            with pytest.raises(EngineUnavailable):
                await one.task
            await asyncio.sleep(0.05)
