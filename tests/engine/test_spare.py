"""Places that no visitor waits for: behind all of them, never all places, and given back however it ends."""

import asyncio
from dataclasses import replace

import pytest

from app.engine import Admission, Refused, Requester
from tests.engine.test_admission import CAPACITY, Holder, go, settle, somebody


class Behind(Holder):
    """Somebody who asks for a place to spare."""

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
    behind, second = Behind(admission, somebody(2)), Holder(admission, somebody(3))
    await settle()
    assert (first.holds, second.holds, behind.holds) == (True, False, False)
    await go(first)
    await settle()
    assert (second.holds, behind.holds) == (True, False)
    await go(second)
    await settle()
    assert behind.holds and admission.running == 1
    await go(behind)
    assert (admission.running, admission.waiting) == (0, 0)


async def test_a_visitor_who_comes_meanwhile_finds_a_place() -> None:
    admission = Admission(replace(CAPACITY, places=3))
    behind = [Behind(admission, somebody(number)) for number in range(3)]
    await settle()
    assert [each.holds for each in behind] == [True, True, False]
    visitor = Holder(admission, somebody(0))
    await settle()
    assert visitor.holds, "his own run behind counts for no turn of his"
    await go(visitor, *behind)
    assert admission.running == 0


async def test_refused_when_many_wait_and_after_the_longest_wait() -> None:
    admission = Admission(replace(CAPACITY, queue_length=2, queue_seconds=0.05))
    visitor = Holder(admission, somebody(9))
    await settle()
    waiting = [Behind(admission, somebody(1)), Behind(admission, somebody(2))]
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
    admission = Admission(replace(CAPACITY, places=3, queue_length=0))
    held = [Behind(admission, somebody(number)) for number in (1, 2)]
    await settle()
    assert [each.holds for each in held] == [True, True]
    refused = Behind(admission, somebody(3))
    await settle()
    assert isinstance(refused.task.done() and refused.task.exception(), Refused)
    await go(*held)


async def test_of_one_visitor_two() -> None:
    admission = Admission(replace(CAPACITY, places=9))
    held = [Behind(admission, somebody(1)), Behind(admission, Requester(visitor="visitor 1", address="192.0.2.2"))]
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
    behind = Behind(admission, somebody(2))
    await settle()
    assert behind.holds is not is_waiting
    behind.task.cancel()
    await asyncio.wait([behind.task])
    if visitor is not None:
        await go(visitor)
    next_one = Holder(admission, somebody(3))
    await settle()
    assert next_one.holds
    await go(next_one)
    assert (admission.running, admission.waiting) == (0, 0)
