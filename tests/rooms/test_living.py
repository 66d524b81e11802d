"""Rooms of several processes over one store, in both databases: each is one's at a time, and none overwrites another's."""

import asyncio
from collections.abc import Collection
from datetime import timedelta

import pytest

from app.rooms.collecting import Collecting
from app.rooms.errors import RoomRefused
from app.rooms.leases import Tenant, There
from app.rooms.rooms import Rooms
from app.rooms.variants import Outcome
from app.store import Store
from tests.rooms.made import NO, RAISES, YES, Clock, heard, joined, opened, rooms_over, states

pytestmark = pytest.mark.asyncio


class Shared:
    """The leases of one of several processes; what they share is a dictionary."""

    are_all_here = False

    def __init__(self, name: str, held: dict[str, str]) -> None:
        self._name = name
        self._held = held
        self.is_sure = True
        self.parcels: dict[str, bytes] = {}
        self.tenant: Tenant | None = None

    def serve(self, tenant: Tenant) -> None:
        """Note it."""
        self.tenant = tenant

    async def holder(self, code: str) -> There | None:
        """Another one."""
        holder = self._held.get(code, self._name)
        return None if holder == self._name else There(web=holder, address=f"http://{holder}")

    async def claim(self, code: str, *, is_new: bool = False) -> There | None:
        """It, if nobody has it."""
        self._held.setdefault(code, self._name)
        return await self.holder(code)

    def is_held(self, code: str) -> bool:
        """While the test says so."""
        return self.is_sure and self._held.get(code) == self._name

    async def give_up(self, codes: Collection[str]) -> None:
        """Those that are its own."""
        for code in codes:
            if self._held.get(code) == self._name:
                del self._held[code]

    async def leave(self, code: str, parcel: bytes) -> None:
        """For whoever asks."""
        self.parcels[code] = parcel

    async def left(self, code: str) -> bytes | None:
        """What the test put there."""
        return self.parcels.pop(code, None)


def two() -> tuple[Shared, Shared, dict[str, str]]:
    """The leases of two processes."""
    held: dict[str, str] = {}
    return Shared("one", held), Shared("other", held), held


async def fetched(rooms: Rooms, code: str) -> None:
    """Have a room in this process."""
    assert await rooms.reach(code) is None


async def test_a_room_that_took_too_long_to_get_here_is_looked_for_again(store: Store) -> None:
    of_one, of_other, _ = two()
    async with rooms_over(store, leases=of_one) as one:
        _, told, _ = await opened(one)
    async with rooms_over(store, leases=of_other) as other:
        of_other.is_sure = False
        assert await other.reach(told.code) == There(web="", address=None), (
            "there is one, so that nobody is to hear of a wrong code"
        )
        of_other.is_sure = True
        await fetched(other, told.code)
        assert other.find(told.code).row.fence == 3


async def test_a_room_lives_in_one_process(store: Store) -> None:
    of_one, of_other, _ = two()
    async with rooms_over(store, leases=of_one) as one, rooms_over(store, leases=of_other) as other:
        room, told, _ = await opened(one)
        assert await other.reach(told.code.lower()) == There(web="one", address="http://one")
        assert (one.count, other.count) == (1, 0) and await other.code_of(told.code.lower()) == told.code
        with pytest.raises(RoomRefused):
            other.find(told.code)
        for wrong in ("AAAAAA", "no code"):
            assert await other.reach(wrong) is None
            with pytest.raises(RoomRefused):
                await other.code_of(wrong)
        assert of_other._held == {told.code: "one"}, "for a code that never was no lease is kept"
        await one.end(room)
        assert of_one._held == {} and await other.reach(told.code) is None and other.count == 0


async def test_a_process_that_stops_hands_its_rooms_over(store: Store) -> None:
    of_one, of_other, _ = two()
    async with rooms_over(store, leases=of_one) as one, rooms_over(store, leases=of_other) as other:
        room, told, teacher = await opened(one)
        following = one.follow(room, teacher)
        poll = await one.ask(room, "step=1", RAISES, "live")
        voting = asyncio.ensure_future(one.vote(room, joined(one, room, "visitor"), poll, YES))
        await asyncio.sleep(0)
        n = one.lead(room, {"at": "step=9"})
        one.press_lost(room, joined(one, room, "visitor"), "step=9")
        collecting = Collecting(one)
        number = collecting.open(room, 7, True)
        member = joined(one, room, "visitor")
        for ended in ("1", "2"):
            outcome = Outcome(kind="finished", digest=ended, lines=(ended,))
            collecting.file(room, member, collecting.begin(room, member, number, f"x = {ended}"), outcome, f"x = {ended}")
        await one.hand_over()
        of_other.parcels = of_one.parcels
        await voting
        assert following.is_over
        for late in (lambda: one.lead(room, {"at": "step=10"}), lambda: one.follow(room, teacher)):
            with pytest.raises(RoomRefused) as error:
                late()
            assert error.value.is_elsewhere
        with pytest.raises(RoomRefused):
            await one.reach("AAAAAA")
        await fetched(other, told.code)
        there = other.find(told.code)
        state = await heard(other.follow(there, other.who(there, told.secret, "")))
        assert state["n"] > n and state["at"] == "step=9" and state["lost"] == [["step=9", 1]] and state["votes"]["count"] == 1
        assert (state["variants"]["id"], state["variants"]["count"]) == (number, 1) and there.variants is not None
        assert (there.variants.seed, there.variants.stand_in, there.variants.bytes) == (7, True, 5)
        place = state["variants"]["classes"][0]["id"]
        assert Collecting(other).sources(there, place) == [("x = 2", 1)] and of_other.parcels == {}
        member = joined(other, there, "visitor")
        begun = Collecting(other).begin(there, member, number, "x = 2")
        assert begun[1] == 3, "runs are counted on"
        for name in ("another", "visitor"):
            member = joined(other, there, name)
            begun = Collecting(other).begin(there, member, number, "y = 2")
            Collecting(other).file(there, member, begun, Outcome(kind="finished", digest="2", lines=("2",)), "y = 2")
        assert Collecting(other).sources(there, place) == [("y = 2", 2)], "in the class of before"


async def test_who_had_a_room_before_overwrites_nothing(store: Store) -> None:
    of_one, of_other, held = two()
    async with rooms_over(store, leases=of_one) as one, rooms_over(store, leases=of_other) as other:
        room, told, teacher = await opened(one)
        member = joined(one, room, "visitor")
        poll = await one.ask(room, "step=1", RAISES, "live")
        following = one.follow(room, teacher)
        of_one.is_sure = False  # it stands still, or has lost Redis
        for change in (lambda: one.lead(room, {"at": "step=2"}), lambda: one.press_lost(room, member, "step=1")):
            with pytest.raises(RoomRefused) as error:
                change()
            assert (error.value.kind, error.value.retry_after) == ("room_read_only", 2)
        assert not following.is_over and one.find(told.code) is room, "and it is told still"
        held.clear()
        await fetched(other, told.code)
        there = other.find(told.code)
        other.lead(there, {"at": "step=7"})
        await other.vote(there, joined(other, there, "visitor"), poll, NO)
        held[told.code], of_one.is_sure = "one", True  # what it believes
        with pytest.raises(RoomRefused) as error:
            await one.vote(room, member, poll, YES)
        assert error.value.kind == "room_unreachable"
        with pytest.raises(RoomRefused):
            await one.ask(room, "step=1", RAISES, "live")
        assert following.is_over and one.count == 0, "then it knows"
        held[told.code] = "other"
        await other._living.save_unsaved()
        assert '"at":"step=7"' in (await states(store))[0] and '"polls":1' in (await states(store))[0]
        assert [vote.answer for vote in await store.rooms.votes([(room.row.id, poll)])] == [
            '{"kind":"whether","whether":false}'
        ]


async def test_after_a_gap_the_store_says_whose_it_is(store: Store) -> None:
    of_one, of_other, held = two()
    async with rooms_over(store, leases=of_one) as one, rooms_over(store, leases=of_other) as other:
        stays, goes = (await opened(one))[0], (await opened(one))[0]
        held.clear()
        await fetched(other, goes.row.code)
        assert of_one.tenant is not None
        codes = [stays.row.code, goes.row.code]
        assert await of_one.tenant.still_ours(codes) == [stays.row.code]
        assert list(one.open_ones) == [stays]
        of_one.tenant.lost(codes)
        assert one.count == 0


async def test_of_two_processes_without_leases_the_later_one_has_them_all(store: Store) -> None:
    """Two servers without Redis on one store: no change is lost, whoever comes takes the room over."""
    async with rooms_over(store) as one:
        room, told, _ = await opened(one)
        one.lead(room, {"at": "step=5"})
        await one._living.save_unsaved()
        async with rooms_over(store) as other:
            there = other.find(told.code)
            assert there.shown.at == "step=5"
            with pytest.raises(RoomRefused) as error:
                await one.drop_poll(room)
            assert error.value.kind == "room_unreachable" and one.count == 0
            other.lead(there, {"at": "step=6"})
            await other._living.save_unsaved()
            await fetched(one, told.code)
            assert one.find(told.code).shown.at == "step=6"


async def test_all_processes_together_have_so_many_rooms(store: Store) -> None:
    of_one, of_other, _ = two()
    async with rooms_over(store, leases=of_one) as one, rooms_over(store, leases=of_other) as other:
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


async def test_old_rooms_that_live_nowhere_end(store: Store) -> None:
    clock = Clock()
    of_one, of_other, _ = two()
    async with rooms_over(store, clock, leases=of_one) as one:
        await opened(one)
    clock.today += timedelta(hours=25)
    async with rooms_over(store, clock, leases=of_other), asyncio.timeout(30):
        while await states(store):  # noqa: ASYNC110 - a row sends no event
            await asyncio.sleep(0.05)
