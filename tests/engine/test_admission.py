"""Admission: places are bounded, the queue is bounded and served in order, and nothing leaks when a waiter leaves."""

import asyncio

import pytest

from app.engine import Admission, Refused

pytestmark = pytest.mark.asyncio


async def hold(admission: Admission, release: asyncio.Event, order: list[int] | None = None, number: int = 0) -> None:
    async with admission.place():
        if order is not None:
            order.append(number)
        await release.wait()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_never_more_than_its_places() -> None:
    admission, release = Admission(2, 10, 5), asyncio.Event()
    tasks = [asyncio.create_task(hold(admission, release)) for _ in range(5)]
    await settle()
    assert (admission.running, admission.waiting) == (2, 3)
    release.set()
    await asyncio.gather(*tasks)
    assert (admission.running, admission.waiting) == (0, 0)


async def test_order_of_arrival() -> None:
    admission, release, order = Admission(1, 10, 5), asyncio.Event(), list[int]()
    tasks = [asyncio.create_task(hold(admission, release, order, number)) for number in range(6)]
    await settle()
    release.set()
    await asyncio.gather(*tasks)
    assert order == list(range(6))


async def test_full_queue_refuses_at_once() -> None:
    admission, release = Admission(1, 2, 5), asyncio.Event()
    tasks = [asyncio.create_task(hold(admission, release)) for _ in range(3)]
    await settle()
    with pytest.raises(Refused, match="2 runs are waiting already") as refused:
        async with admission.place():
            pytest.fail("there was no place")
    assert refused.value.retry_after >= 1
    release.set()
    await asyncio.gather(*tasks)


async def test_no_queue_at_all_still_serves_a_free_place() -> None:
    async with Admission(1, 0, 5).place():
        pass


async def test_waiting_too_long_is_refused() -> None:
    admission, release = Admission(1, 2, 0.01), asyncio.Event()
    task = asyncio.create_task(hold(admission, release))
    await settle()
    with pytest.raises(Refused, match=r"within 0\.01 seconds"):
        await hold(admission, release)
    release.set()
    await task
    async with admission.place():
        assert admission.running == 1


async def test_a_waiter_who_leaves_takes_no_place() -> None:
    admission, release = Admission(1, 5, 5), asyncio.Event()
    holder = asyncio.create_task(hold(admission, release))
    leaver = asyncio.create_task(hold(admission, release))
    await settle()
    leaver.cancel()
    await asyncio.gather(leaver, return_exceptions=True)
    assert admission.waiting == 0
    release.set()
    await holder
    async with asyncio.timeout(1), admission.place():
        assert admission.running == 1


async def test_a_run_that_fails_gives_its_place_back() -> None:
    admission = Admission(1, 0, 5)
    with pytest.raises(ZeroDivisionError):
        async with admission.place():
            raise ZeroDivisionError
    assert admission.running == 0
    async with admission.place():
        pass
