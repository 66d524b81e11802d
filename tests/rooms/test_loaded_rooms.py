"""Several processes share a database of rooms. A process loads a room on request, and never overwrites newer changes of
another process.
"""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from app.rooms.collecting import Collecting
from app.rooms.errors import RoomRefused
from app.rooms.variants import Outcome
from app.store import Store
from app.store.errors import StoreUnavailable
from tests.rooms.made import LINK, NO, RAISES, YES, Clock, heard, joined, opened, rooms_over, states
from tests.waiting import soon

pytestmark = pytest.mark.asyncio


async def test_a_room_is_stored_and_taken_where_it_is_asked_for_first(store: Store) -> None:
    async with rooms_over(store) as one, rooms_over(store) as other:
        told = await one.open(LINK, "192.0.2.1", is_owned=True)
        assert (one.count, other.count) == (0, 0)
        asked = await asyncio.gather(*(other.find(told.code.lower()) for _ in range(5)))
        assert len(set(map(id, asked))) == 1 and asked[0].row.fence == 2, "all who ask at once take it once"
        assert await other.find(told.code) is asked[0] and (one.count, other.count) == (0, 1)
        for wrong in ("AAAAAA", "no code"):
            with pytest.raises(RoomRefused):
                await other.find(wrong)
        await other.end(asked[0])
        with pytest.raises(RoomRefused):
            await one.find(told.code)


async def test_a_process_that_lost_a_room_drops_it_within_a_second_and_overwrites_nothing(store: Store) -> None:
    async with rooms_over(store) as one, rooms_over(store) as other:
        room, told, teacher = await opened(one)
        following = one.follow(room, teacher)
        member = joined(one, room, "visitor")
        poll = await one.ask(room, "step=1", RAISES, "live")
        there = await other.find(told.code)
        await other.lead(there, {"at": "step=7"})
        await other.vote(there, joined(other, there, "visitor"), poll, NO)
        await soon(lambda: following.is_over)
        room.is_unsaved = room.lost.press("step=1", member.name)
        assert await one._loaded._kept.save([room]) == [room]
        assert one.count == 0 and list(other.open_ones) == [there]
        with pytest.raises(RoomRefused) as error:
            await one.lead(room, {"at": "step=10"})
        assert (error.value.kind, error.value.retry_after) == ("room_unreachable", 1)
        with pytest.raises(RoomRefused):
            one.follow(room, teacher)
        await other._loaded.keep_up()
        assert '"at":"step=7"' in (await states(store))[0] and await store.rooms.presses([room.row.id]) == []
        assert [vote.answer for vote in await store.rooms.votes([(room.row.id, poll)])] == [
            '{"kind":"whether","whether":false}'
        ]


async def test_what_is_written_at_once_says_that_a_room_was_taken(store: Store) -> None:
    async with rooms_over(store) as one, rooms_over(store) as other:
        for change in ("vote", "step", "ask", "end"):
            room, told, teacher = await opened(one)
            member = joined(one, room, "visitor")
            poll = await one.ask(room, "step=1", RAISES, "live")
            following = one.follow(room, teacher)
            there = await other.find(told.code)
            with pytest.raises(RoomRefused) as error:
                if change == "vote":
                    await one.vote(room, member, poll, YES)
                elif change == "step":
                    await one.lead(room, {"at": "step=2"})
                elif change == "ask":
                    await one.ask(room, "step=1", RAISES, "live")
                else:
                    await one.end(room)
            assert error.value.kind == "room_unreachable" and following.is_over and one.count == 0
            assert await store.rooms.votes([(room.row.id, poll)]) == []
            await other.end(there)


async def test_a_room_that_another_process_ended_is_dropped(store: Store) -> None:
    async with rooms_over(store) as one, rooms_over(store) as other:
        room, told, teacher = await opened(one)
        following = one.follow(room, teacher)
        await other.end(await other.find(told.code))
        await soon(lambda: following.is_over)
        assert one.count == 0


async def test_a_process_that_stops_leaves_everything_to_the_next(store: Store) -> None:
    async with rooms_over(store) as one, rooms_over(store) as other:
        room, told, teacher = await opened(one)
        following = one.follow(room, teacher)
        member = joined(one, room, "visitor")
        poll = await one.ask(room, "step=1", RAISES, "live")
        voting = asyncio.ensure_future(one.vote(room, member, poll, YES))
        await asyncio.sleep(0)
        n = await one.lead(room, {"at": "step=9"})
        one.press_lost(room, member, "step=9")
        collecting = Collecting(one)
        number = collecting.open(room, 7, True)
        for ended in ("1", "2"):
            outcome = Outcome(kind="finished", digest=ended, lines=(ended,))
            collecting.file(room, member, collecting.begin(room, member, number, f"x = {ended}"), outcome, f"x = {ended}")
        await one.hand_over()
        await voting
        assert following.is_over
        with pytest.raises(RoomRefused) as error:
            await one.lead(room, {"at": "step=10"})
        assert error.value.kind == "room_unreachable"
        with pytest.raises(RoomRefused):
            one.follow(room, teacher)
        with pytest.raises(RoomRefused) as error:
            await one.find("AAAAAA")
        assert error.value.kind == "room_unreachable"
        there = await other.find(told.code)
        state = await heard(other.follow(there, other.who(there, told.secret, "")))
        assert state["n"] > n and state["at"] == "step=9" and state["lost"] == [["step=9", 1]] and state["votes"]["count"] == 1
        assert (state["variants"]["id"], state["variants"]["count"]) == (number, 1) and there.variants is not None
        assert (there.variants.seed, there.variants.stand_in, there.variants.bytes) == (7, True, 5)
        place = state["variants"]["classes"][0]["id"]
        assert Collecting(other).sources(there, place) == [("x = 2", 1)]
        member = joined(other, there, "visitor")
        begun = Collecting(other).begin(there, member, number, "x = 2")
        assert begun[1] == 3, "runs are counted on"
        for name in ("another", "visitor"):
            member = joined(other, there, name)
            begun = Collecting(other).begin(there, member, number, "y = 2")
            Collecting(other).file(there, member, begun, Outcome(kind="finished", digest="2", lines=("2",)), "y = 2")
        assert Collecting(other).sources(there, place) == [("y = 2", 2)], "in the class of before"


async def test_variants_are_kept_as_long_as_they_are_collected(store: Store) -> None:
    async with rooms_over(store) as one, rooms_over(store) as other:
        room, told, _ = await opened(one)
        number = Collecting(one).open(room, 7, False)
        async with asyncio.timeout(30):
            while (kept := await store.rooms.variants(room.row.id)) is None:  # noqa: ASYNC110 - a row sends no event
                await asyncio.sleep(0.05)
        there = await other.find(told.code)
        assert there.variants is not None and there.variants.id == number
        await store.rooms.keep_variants(room.row, b"of one that another process has")
        assert await store.rooms.variants(room.row.id) == kept
        Collecting(other).end(there)
        await other._loaded.keep_up()
        assert await store.rooms.variants(room.row.id) is None
        Collecting(other).open(there, 7, False)
        await other._loaded.keep_up()
        await store.rooms.keep_variants(there.row, b"of another version")
        await one._loaded.keep_up()  # the process removes the room from its memory
        again = await one.find(told.code)
        assert again.variants is None
        await one.end(again)
        assert await store.rooms.variants(room.row.id) is None


async def test_while_the_store_is_away_streams_stay_and_changes_are_written_later(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with rooms_over(store) as rooms:
        room, _, teacher = await opened(rooms)
        following = rooms.follow(room, teacher)

        async def away(*_: object, **__: object) -> set[str]:
            raise StoreUnavailable("The store does not respond.")

        with monkeypatch.context() as broken:
            for name in ("save", "not_ours", "keep_variants"):
                broken.setattr(store.rooms, name, away)
            await rooms.lead(room, {"at": "step=3"})
            Collecting(rooms).open(room, 7, False)
            await rooms._loaded.keep_up()
            assert room.is_unsaved and not following.is_over and rooms.count == 1
        await rooms._loaded.keep_up()
        assert not room.is_unsaved and not room.are_variants_unsaved
        assert '"at":"step=3"' in (await states(store))[0] and await store.rooms.variants(room.row.id) is not None


async def test_all_processes_together_have_so_many_rooms(store: Store) -> None:
    async with rooms_over(store) as one, rooms_over(store) as other:
        for number in range(3):
            await opened((one, other)[number % 2])
        for rooms in (one, other):
            with pytest.raises(RoomRefused) as error:
                await rooms.check_place("192.0.2.1")
            assert error.value.kind == "too_many_rooms"
        asked = await asyncio.gather(
            *(opened((one, other)[number % 2], f"192.0.2.{number + 2}") for number in range(4)), return_exceptions=True
        )
        assert sum(isinstance(each, RoomRefused) for each in asked) == 3 and one.count + other.count == 4


async def test_old_rooms_that_no_process_has_end(store: Store) -> None:
    clock = Clock()
    async with rooms_over(store, clock) as one:
        room, _, _ = await opened(one)
    await store.rooms.keep_variants(replace(room.row, fence=2), b"with its variants")
    clock.today += timedelta(hours=25)
    async with rooms_over(store, clock), asyncio.timeout(30):
        while await states(store):  # noqa: ASYNC110 - a row sends no event
            await asyncio.sleep(0.05)
    assert await store.rooms.variants(room.row.id) is None
