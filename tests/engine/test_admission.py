"""Admission of runs: a limited number of slots, and a limited, fair queue. No slot is lost when a waiting visitor leaves."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import Admission, Capacity, Refused, Requester, Withdrawn
from tests.sandbox.processes import PATIENCE

CAPACITY = Capacity(slots=1, queue_length=10, queue_seconds=PATIENCE, of_one_address=100)


def somebody(number: int, address: str = "192.0.2.1") -> Requester:
    return Requester(visitor=f"visitor {number}", address=address)


class Holder:
    """A requester that keeps its slot until it is released."""

    def __init__(self, admission: Admission, requester: Requester) -> None:
        self.requester = requester
        self.stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.holds = False
        self.positions: list[int] = []
        self.heard = asyncio.Event()
        self.release = asyncio.Event()
        self.task = asyncio.create_task(self._hold(admission))

    async def _hold(self, admission: Admission) -> None:
        async with admission.slot(self.requester, self._hear, self.stop):
            self.holds = True
            try:
                await self.release.wait()
            finally:
                self.holds = False

    def _hear(self, position: int) -> None:
        self.positions.append(position)
        self.heard.set()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def go(*holders: Holder) -> None:
    for holder in holders:
        holder.release.set()
    await asyncio.gather(*(holder.task for holder in holders))


async def test_never_more_than_its_places() -> None:
    admission = Admission(replace(CAPACITY, slots=2))
    holders = [Holder(admission, somebody(number)) for number in range(5)]
    await settle()
    assert (admission.running, admission.waiting) == (2, 3)
    await go(*holders)
    assert (admission.running, admission.waiting) == (0, 0)


async def test_places_come_and_go() -> None:
    """Workers change the number of slots. Without any slot, all runs wait. If the number of slots decreases, current runs can
    finish.
    """
    admission = Admission(replace(CAPACITY, slots=0))
    holders = [Holder(admission, somebody(number)) for number in range(3)]
    await settle()
    assert (admission.running, admission.waiting) == (0, 3)
    admission.resize(2)
    await settle()
    assert (admission.running, admission.waiting) == (2, 1)
    admission.resize(1)
    await go(holders[0])
    await settle()
    assert (admission.running, admission.waiting) == (1, 1)
    await go(*holders[1:])
    full = Admission(replace(CAPACITY, slots=0, queue_length=0))
    with pytest.raises(Refused, match="The queue is full"):
        async with full.slot(somebody(0)):
            pytest.fail("there was no slot")


async def test_those_of_one_address_go_in_the_order_of_arrival() -> None:
    admission = Admission(CAPACITY)
    holders = [Holder(admission, somebody(number)) for number in range(6)]
    await settle()
    for holder in holders:
        assert [each.holds for each in holders] == [each is holder for each in holders]
        await go(holder)


async def test_addresses_take_turns() -> None:
    """A visitor from another address does not wait for a class that came first."""
    admission = Admission(CAPACITY)
    students = [Holder(admission, somebody(number, "the class")) for number in range(5)]
    home = Holder(admission, somebody(100, "at home"))
    await settle()
    assert home.positions == [2], "the class has its turn first"
    await go(students[0], students[1])
    await settle()
    assert home.holds
    await go(home, *students[2:])


async def test_a_full_queue_refuses_at_once() -> None:
    admission = Admission(replace(CAPACITY, queue_length=2))
    holders = [Holder(admission, somebody(number)) for number in range(3)]
    await settle()
    with pytest.raises(Refused, match="2 runs are waiting") as refused:
        async with admission.slot(somebody(3)):
            pytest.fail("there was no slot")
    assert (refused.value.reason, refused.value.retry_after >= 1) == ("queue", True)
    await go(*holders)


async def test_one_address_cannot_keep_the_others_out() -> None:
    """If one address fills the queue, its last runs are refused in favour of others, until addresses have equally many runs."""
    admission = Admission(replace(CAPACITY, queue_length=4))
    crowd = [Holder(admission, somebody(number, "crowd")) for number in range(5)]
    await settle()
    others = [Holder(admission, somebody(10 + number, f"home {number % 2}")) for number in range(4)]
    await settle()
    for refused in (*crowd[3:], others[2], others[3]):
        with pytest.raises(Refused) as caught:
            await refused.task
        assert caught.value.reason == "queue"
    assert [requester.address for requester in admission.order()] == ["crowd", "home 0", "home 1", "crowd"]
    await go(*crowd[:3], *others[:2])


async def test_no_queue_at_all_still_serves_a_free_place() -> None:
    async with Admission(replace(CAPACITY, queue_length=0)).slot(somebody(0)):
        pass


async def test_of_one_visitor_one_goes_and_one_waits() -> None:
    """A visitor's second run waits even if slots are free, and a third run is refused."""
    admission = Admission(replace(CAPACITY, slots=3))
    first, second = Holder(admission, somebody(0)), Holder(admission, somebody(0))
    await settle()
    assert (first.holds, second.holds, second.positions) == (True, False, [1])
    with pytest.raises(Refused, match="You already have an active run and a queued run") as refused:
        async with admission.slot(somebody(0)):
            pytest.fail("there was no slot")
    assert refused.value.reason == "visitor"
    other = Holder(admission, somebody(1))
    await settle()
    assert other.holds, "it does not wait for what waits for something else"
    await go(first)
    await settle()
    assert second.holds
    await go(second, other)


async def test_of_one_address_there_is_a_limit() -> None:
    admission = Admission(replace(CAPACITY, of_one_address=3))
    holders = [Holder(admission, somebody(number)) for number in range(3)]
    await settle()
    with pytest.raises(Refused, match="Your network address already has 3 active and queued runs") as refused:
        async with admission.slot(somebody(3)):
            pytest.fail("there was no slot")
    assert refused.value.reason == "address"
    elsewhere = Holder(admission, somebody(4, "192.0.2.2"))
    await go(*holders, elsewhere)


async def test_waiting_too_long_is_refused() -> None:
    admission = Admission(replace(CAPACITY, queue_seconds=0.01))
    holder = Holder(admission, somebody(0))
    late = Holder(admission, somebody(1))
    with pytest.raises(Refused, match=r"within 0\.01 seconds"):
        await late.task
    await go(holder)
    async with admission.slot(somebody(1)):
        assert admission.running == 1


async def test_a_waiter_who_is_stopped_has_withdrawn() -> None:
    admission = Admission(CAPACITY)
    holder, waiter = Holder(admission, somebody(0)), Holder(admission, somebody(1))
    await settle()
    waiter.stop.set_result(None)
    with pytest.raises(Withdrawn):
        await waiter.task
    assert admission.waiting == 0
    await go(holder)


async def test_everybody_hears_how_the_queue_moves() -> None:
    admission = Admission(replace(CAPACITY, queue_length=100))
    holders = [Holder(admission, somebody(number)) for number in range(50)]
    await settle()
    assert [holder.positions for holder in holders] == [[], *([number] for number in range(1, 50))]
    holders[-1].heard.clear()
    await go(*holders[:3])
    await asyncio.wait_for(holders[-1].heard.wait(), PATIENCE)
    assert [holder.positions[-1] for holder in holders[4:]] == list(range(1, 47))
    await go(*holders[3:])


async def test_a_run_that_fails_gives_its_place_back() -> None:
    admission = Admission(CAPACITY)
    with pytest.raises(ZeroDivisionError):
        async with admission.slot(somebody(0)):
            raise ZeroDivisionError
    assert admission.running == 0
    async with admission.slot(somebody(0)):
        pass


async def test_a_place_given_in_the_moment_of_leaving_is_not_lost() -> None:
    admission = Admission(CAPACITY)
    holder, leaver, next_one = (Holder(admission, somebody(number)) for number in range(3))
    await settle()
    holder.release.set()
    await holder.task  # the visitor who leaves has received the slot, but the waiting task has not resumed yet
    leaver.task.cancel()
    await asyncio.gather(leaver.task, return_exceptions=True)
    await settle()
    assert next_one.holds
    await go(next_one)


EVENTS = st.lists(
    st.tuples(st.sampled_from(["ask", "ask", "end", "cancel", "stop", "turn"]), st.integers(0, 1000)), min_size=1, max_size=80
)


@given(EVENTS, st.integers(1, 3), st.integers(0, 6))
def test_whatever_comes_and_goes(events: list[tuple[str, int]], slots: int, queue_length: int) -> None:
    """Runs arrive, end and are cancelled in random order, sometimes several before the event loop continues."""

    async def play() -> None:
        admission = Admission(replace(CAPACITY, slots=slots, queue_length=queue_length, of_one_address=5))
        asked: list[Holder] = []
        for event, number in events:
            present = [holder for holder in asked if not holder.task.done()]
            if event == "ask":
                asked.append(Holder(admission, somebody(number % 6, f"address {number % 6 % 3}")))
            elif event == "turn":
                await settle()
                check(admission, asked)
            elif present:
                chosen = present[number % len(present)]
                if event == "end":
                    chosen.release.set()
                elif event == "cancel":
                    chosen.task.cancel()
                elif not chosen.stop.done():
                    chosen.stop.set_result(None)
        await settle()
        for holder in asked:
            holder.release.set()
        await asyncio.wait_for(asyncio.gather(*(holder.task for holder in asked), return_exceptions=True), PATIENCE)
        check(admission, asked)
        assert (admission.running, admission.waiting, list(admission.order())) == (0, 0, []), "nobody starves"

    asyncio.run(play())


def check(admission: Admission, asked: list[Holder]) -> None:
    holding = [holder for holder in asked if holder.holds]
    waiting = [holder for holder in asked if not holder.holds and not holder.task.done()]
    assert (admission.running, admission.waiting) == (len(holding), len(waiting))
    assert len(holding) <= admission.capacity.slots
    busy = Counter(holder.requester.visitor for holder in holding)
    assert set(busy.values()) <= {1}
    assert sorted(map(repr, admission.order())) == sorted(repr(holder.requester) for holder in waiting)
    if len(holding) < admission.capacity.slots:
        assert all(busy[holder.requester.visitor] for holder in waiting), "a slot is free, and somebody waits for nothing"
    for holder in holding:
        earlier = asked[: asked.index(holder)]
        assert not any(each in waiting and each.requester == holder.requester for each in earlier), "before its turn"
