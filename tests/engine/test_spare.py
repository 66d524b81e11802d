"""Slots for background runs: visitors have priority, one slot always remains free, and every end of a run releases the slot."""

import asyncio
from dataclasses import replace

import pytest

from app.engine import Admission, Refused, Requester
from tests.engine.test_admission import CAPACITY, Holder, go, settle, somebody


class BackgroundHolder(Holder):
    """A requester of a slot for a background run."""

    async def _hold(self, admission: Admission) -> None:
        async with admission.spare(self.requester):
            self.holds = True
            try:
                await self.release.wait()
            finally:
                self.holds = False


async def test_behind_every_visitor_who_waits() -> None:
    admission = Admission(CAPACITY)
    first = Holder(admission, somebody(1))
    await settle()
    background, second = BackgroundHolder(admission, somebody(2)), Holder(admission, somebody(3))
    await settle()
    assert (first.holds, second.holds, background.holds) == (True, False, False)
    await go(first)
    await settle()
    assert (second.holds, background.holds) == (True, False)
    await go(second)
    await settle()
    assert background.holds and admission.running == 1
    await go(background)
    assert (admission.running, admission.waiting) == (0, 0)


async def test_a_visitor_who_comes_meanwhile_finds_a_place() -> None:
    admission = Admission(replace(CAPACITY, slots=3))
    background = [BackgroundHolder(admission, somebody(number)) for number in range(3)]
    await settle()
    assert [each.holds for each in background] == [True, True, False]
    visitor = Holder(admission, somebody(0))
    await settle()
    assert visitor.holds, "his run in the background counts for no turn of the visitor's"
    await go(visitor, *background)
    assert admission.running == 0


async def test_who_can_do_without_a_place_hears_of_a_visitor_who_waits() -> None:
    admission = Admission(replace(CAPACITY, slots=2))
    told = asyncio.Event()

    async def hold() -> None:
        async with admission.spare(somebody(0)) as wanted:
            await wanted
            told.set()

    background = asyncio.create_task(hold())
    await settle()
    first = Holder(admission, somebody(1))
    await settle()
    assert first.holds and not told.is_set(), "there was a slot"
    second = Holder(admission, somebody(2))
    await settle()
    assert told.is_set() and second.holds
    await background
    await go(first, second)
    assert (admission.running, admission.waiting) == (0, 0)


async def test_refused_when_many_wait_and_after_the_longest_wait() -> None:
    admission = Admission(replace(CAPACITY, queue_length=2, queue_seconds=0.05))
    visitor = Holder(admission, somebody(9))
    await settle()
    waiting = [BackgroundHolder(admission, somebody(1)), BackgroundHolder(admission, somebody(2))]
    await settle()
    with pytest.raises(Refused):
        async with admission.spare(somebody(3)):
            raise AssertionError
    for each in waiting:
        with pytest.raises(Refused):
            await each.task
    await go(visitor)
    assert admission.running == 0


async def test_without_a_queue_nobody_waits() -> None:
    admission = Admission(replace(CAPACITY, slots=3, queue_length=0))
    held = [BackgroundHolder(admission, somebody(number)) for number in (1, 2)]
    await settle()
    assert [each.holds for each in held] == [True, True]
    refused = BackgroundHolder(admission, somebody(3))
    await settle()
    assert isinstance(refused.task.done() and refused.task.exception(), Refused)
    await go(*held)


async def test_of_one_visitor_two() -> None:
    admission = Admission(replace(CAPACITY, slots=9))
    held = [
        BackgroundHolder(admission, somebody(1)),
        BackgroundHolder(admission, Requester(visitor="visitor 1", address="192.0.2.2")),
    ]
    await settle()
    with pytest.raises(Refused):
        async with admission.spare(somebody(1)):
            raise AssertionError
    await go(*held)


@pytest.mark.parametrize("is_waiting", [False, True])
async def test_given_back_when_it_is_cancelled(is_waiting: bool) -> None:
    admission = Admission(CAPACITY)
    visitor = Holder(admission, somebody(1)) if is_waiting else None
    await settle()
    background = BackgroundHolder(admission, somebody(2))
    await settle()
    assert background.holds is not is_waiting
    background.task.cancel()
    await asyncio.wait([background.task])
    if visitor is not None:
        await go(visitor)
    next_one = Holder(admission, somebody(3))
    await settle()
    assert next_one.holds
    await go(next_one)
    assert (admission.running, admission.waiting) == (0, 0)
