"""Rooms without a web server, with SQLite and PostgreSQL: permissions, visible state, and recovery after a crash."""

import asyncio
from datetime import timedelta
from unittest.mock import AsyncMock

import pytest
from msgspec.structs import replace

from app.questions.asked import Answer
from app.rooms.errors import RoomRefused
from app.rooms.room_record import Pointer, ShownLink
from app.rooms.rooms import STREAMS_OF_MEMBER
from app.store import KeptPress, Store
from tests.rooms.made import DOCUMENT, LINK, NO, RAISES, YES, Clock, heard, heard_until, joined, opened, rooms_over, states
from tests.sandbox.processes import PATIENCE
from tests.waiting import until

pytestmark = pytest.mark.asyncio


def refused(error: pytest.ExceptionInfo[RoomRefused]) -> str:
    """Return the error code that a request causes."""
    return error.value.kind


async def test_everybody_is_told_what_they_may_know(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, told, teacher = await opened(rooms)
        member, projector = joined(rooms, room, "visitor"), rooms.who(room, told.projector, "")
        assert (teacher.role, projector.role, member.role) == ("teacher", "projector", "member")
        followers = [rooms.follow(room, who) for who in (teacher, projector, member)]
        states = [await heard(follower) for follower in followers]
        assert states[1] == states[2] == {key: value for key, value in states[0].items() if key != "lost"}
        assert (states[0]["at"], states[0]["snippet"]["id"], states[0]["lost"]) == ("step=1", "link", [])
        n = await rooms.lead(room, {"at": "step=2", "pointer": Pointer(pane="graph", on="node 3", x=0.5, y=0.25)})
        pointer = {"pane": "graph", "on": "node 3", "x": 0.5, "y": 0.25}
        for follower in followers:
            assert await heard(follower) == {"n": n, "at": "step=2", "pointer": pointer}
        rooms.press_lost(room, member, "step=2")
        assert (await heard(followers[0]))["lost"] == [["step=2", 1]]
        await rooms.lead(room, {"at": "step=3"})
        for follower in followers:
            assert (await heard(follower)).keys() == {"n", "at"}, "of a press nobody else is told"


async def test_changes_merge_and_a_slow_follower_gets_the_newest(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, teacher = await opened(rooms)
        quick, slow = rooms.follow(room, teacher), rooms.follow(room, joined(rooms, room, "slow"))
        await heard(slow)
        await heard(quick)
        began, heard_quickly, last = asyncio.get_running_loop().time(), 0, ""
        for number in range(2, 60):
            await rooms.lead(room, {"at": f"step={number}"})
            await asyncio.sleep(0.01)
            if quick._flag.is_set():
                heard_quickly += 1
                last = (await heard(quick))["at"]
        if last != "step=59":
            await heard_until(quick, "at", "step=59")
        assert heard_quickly <= 10 * (asyncio.get_running_loop().time() - began) + 1
        state = await heard(slow)
        assert (state["n"], state["at"]) == (room.state.n, "step=59")


async def test_another_link_begins_anew(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, teacher = await opened(rooms)
        await rooms.lead(room, {"at": "step=5", "view": "zoom=2"})
        await rooms.ask(room, room.shown.at, RAISES, "live")
        follower = rooms.follow(room, teacher)
        await heard_until(follower, "at", "step=5")
        other = ShownLink(id="other", recording="1" * 64, title="")
        await rooms.lead(room, {"view": "zoom=3"}, other, DOCUMENT)
        state = await heard_until(follower, "view", "zoom=3")
        assert (state["at"], state["snippet"]["id"], state["poll"], state["votes"]) == ("step=1", "other", None, None)


async def test_votes(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, _ = await opened(rooms)
        member, other = joined(rooms, room, "one"), joined(rooms, room, "two")
        with pytest.raises(RoomRefused) as error:
            await rooms.vote(room, member, 1, YES)
        assert refused(error) == "no_poll"
        await rooms.lead(room, {"at": "step=7"})
        poll = await rooms.ask(room, room.shown.at, RAISES, "live")
        follower = rooms.follow(room, member)
        await asyncio.gather(rooms.vote(room, member, poll, YES), rooms.vote(room, other, poll, YES))
        await rooms.vote(room, member, poll, NO)
        with pytest.raises(RoomRefused) as error:
            await rooms.vote(room, member, poll, Answer(kind="number", number=1))
        assert refused(error) == "illegal_answer"
        tally = [[{"kind": "whether", "whether": True}, 1], [{"kind": "whether", "whether": False}, 1]]
        state = await heard_until(follower, "votes", {"poll": poll, "count": 2, "tally": tally, "others": 0})
        assert (state["poll"]["at"], state["poll"]["right"], state["poll"]["open"]) == ("step=7", None, True)
        await rooms.change_poll(room, poll, shown=None, is_closed=True, is_revealed=False, hands=None)
        with pytest.raises(RoomRefused) as error:
            await rooms.vote(room, other, poll, NO)
        assert refused(error) == "poll_closed"
        await rooms.change_poll(room, poll, shown=None, is_closed=False, is_revealed=True, hands=[(NO, 20)])
        while (state := state | await heard(follower))["poll"]["right"] is None:
            pass
        assert state["poll"]["right"] == [{"kind": "whether", "whether": False}] and state["votes"]["tally"][0][1] == 21
        with pytest.raises(RoomRefused) as error:
            await rooms.change_poll(room, poll + 1, shown=None, is_closed=False, is_revealed=True, hands=None)
        assert refused(error) == "no_poll"


async def test_a_vote_that_was_in_time_counts_whatever_comes_meanwhile(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, _ = await opened(rooms)
        members = [joined(rooms, room, f"visitor {number}") for number in range(5)]
        poll = await rooms.ask(room, room.shown.at, RAISES, "live")
        voting = [asyncio.ensure_future(rooms.vote(room, member, poll, YES)) for member in members]
        await asyncio.sleep(0)
        voting[0].cancel()  # the connection broke after the vote was sent
        await rooms.change_poll(room, poll, shown=None, is_closed=True, is_revealed=False, hands=None)
        assert room.poll is not None and room.poll.votes_for(is_teacher=True)["count"] == 5
        await asyncio.gather(*voting, return_exceptions=True)
        assert len(await store.rooms.votes([(room.row.id, poll)])) == 5


async def test_a_crash_loses_nothing_that_was_acknowledged(store: Store) -> None:
    """The first process does not close the store, so the second process finds only what was stored at once."""
    clock = Clock()
    crashed = rooms_over(store, clock)
    rooms = await crashed.__aenter__()
    room, told, _ = await opened(rooms)
    member = joined(rooms, room, "visitor")
    token = rooms.join(room, "visitor")
    await rooms.lead(room, {"at": "step=4"})
    first = await rooms.ask(room, room.shown.at, RAISES, "live")
    await rooms.vote(room, member, first, NO)
    poll = await rooms.ask(room, room.shown.at, RAISES, "hidden")
    await rooms.vote(room, member, poll, YES)
    rooms.press_lost(room, member, "step=4")
    await rooms.change_poll(room, poll, shown=None, is_closed=False, is_revealed=False, hands=[(NO, 2)])
    room.lost.press("step=4", "another")
    last = room.state.n
    async with rooms_over(store, clock) as again:
        there = await again.find(told.code)
        assert again.who(there, told.secret, "").role == "teacher" and again.who(there, told.projector, "").role == "projector"
        follower = again.follow(there, again.who(there, told.secret, ""), after=last)
        state = await heard(follower)
        assert state["n"] > last and state["at"] == "step=4" and state["poll"]["id"] == poll and state["poll"]["open"]
        assert state["votes"]["tally"] == [
            [{"kind": "whether", "whether": False}, 2],
            [{"kind": "whether", "whether": True}, 1],
        ]
        assert state["lost"] == [["step=4", 1]]
        assert again.who(there, "", token) == member
        again.follow(there, member).close()
        again.press_lost(there, member, "step=4")
        await again.vote(there, member, poll, NO)
        assert there.poll is not None and there.poll.votes_for(is_teacher=True)["tally"] == [(NO, 3)]
        assert await store.rooms.votes([(room.row.id, first)]) == [], "of earlier questions nothing is kept"
        await again.end(there)
    assert (await states(store), await store.rooms.presses([room.row.id])) == ([], [])
    await crashed.__aexit__(None, None, None)
    assert await states(store) == [], "what has ended stays ended"


async def test_what_changes_is_written_within_a_second(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, _ = await opened(rooms)
        await rooms.lead(room, {"at": "step=9"})
        async with asyncio.timeout(30):
            while '"at":"step=9"' not in (await states(store))[0]:  # noqa: ASYNC110 - a row sends no event
                await asyncio.sleep(0.05)
        assert not room.is_unsaved


async def test_a_room_that_no_longer_reads_is_ended(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, _ = await opened(rooms)
        row = room.row
    await store.rooms.save([replace(row, state='{"of": "another version"}')])
    async with rooms_over(store) as rooms:
        with pytest.raises(RoomRefused):
            await rooms.find(row.code)
    assert await states(store) == []


async def test_a_room_ends(store: Store) -> None:
    clock = Clock()
    async with rooms_over(store, clock) as rooms:
        room, told, teacher = await opened(rooms)
        follower = rooms.follow(room, teacher)
        await heard(follower)
        await rooms.end(room)
        assert (await heard(follower))["ended"] is True
        async with asyncio.timeout(5):
            assert await follower.news(PATIENCE) is None and follower.is_over
        for code in (told.code, "AAAAAA", "no code"):
            with pytest.raises(RoomRefused) as error:
                await rooms.find(code)
            assert refused(error) == "unknown_room"
        later, _, _ = await opened(rooms)
        clock.today += timedelta(hours=25)
        await until(lambda: later.is_ended)
        assert rooms.count == 0


async def test_who_is_who(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, told, _ = await opened(rooms)
        other, _, _ = await opened(rooms)
        token = rooms.join(other, "visitor")
        for secret, forged in (("", ""), ("x", ""), ("", token), (told.code, told.code), (token, "")):
            with pytest.raises(RoomRefused) as error:
                rooms.who(room, secret, forged)
            assert refused(error) == "not_allowed"
        with pytest.raises(RoomRefused):
            rooms.who(other, told.secret, "")


async def test_devices_and_taking_over(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, told, teacher = await opened(rooms)
        second = await rooms.claim(room, rooms.offer(room))
        assert second.secret != told.secret and second.projector == told.projector
        followers = [rooms.follow(room, teacher), rooms.follow(room, rooms.who(room, told.projector, ""))]
        member = rooms.follow(room, joined(rooms, room, "visitor"))
        taken = await rooms.take_over(room)
        assert [each.is_over for each in (*followers, member)] == [True, True, False]
        for dead in (told.secret, second.secret, told.projector):
            with pytest.raises(RoomRefused):
                rooms.who(room, dead, "")
        assert rooms.who(room, taken.secret, "").role == "teacher"
        for _ in range(3):
            await rooms.claim(room, rooms.offer(room))
        with pytest.raises(RoomRefused) as error:
            rooms.offer(room)
        assert refused(error) == "too_many_devices"
    async with rooms_over(store) as rooms:
        assert rooms.who(await rooms.find(told.code), taken.secret, "").role == "teacher"


async def test_bounds(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, _ = await opened(rooms)
        for _ in range(2):
            await opened(rooms)
        with pytest.raises(RoomRefused) as error:
            await opened(rooms)
        assert refused(error) == "too_many_rooms" and "(3)" in str(error.value)
        await opened(rooms, "192.0.2.2")
        with pytest.raises(RoomRefused) as error:
            await opened(rooms, "192.0.2.3")
        assert refused(error) == "too_many_rooms" and str(error.value).startswith("This server")
        followers = [rooms.follow(room, joined(rooms, room, f"visitor {number}")) for number in range(5)]
        with pytest.raises(RoomRefused) as error:
            rooms.join(room, "sixth")
        assert refused(error) == "room_full"
        followers[0].close()
        rooms.join(room, "sixth")
        again = [rooms.follow(room, followers[1].who) for _ in range(STREAMS_OF_MEMBER)]
        assert followers[1].is_over and not any(follower.is_over for follower in again)
        more = [rooms.follow(room, followers[1].who) for _ in range(STREAMS_OF_MEMBER - 1)]
        assert all(follower.is_over for follower in again[:-1]) and len(room.followers[followers[1].who.name]) == 6
        with pytest.raises(RoomRefused) as error:
            rooms.follow(room, followers[1].who)
        assert refused(error) == "too_many_streams", "those of before are not gone"
        for follower in (*followers[1:], *again, *more):
            follower.close()
        assert room.followers == {}


async def test_a_room_that_cannot_be_opened_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rooms_over(store) as rooms:
        for error in (RuntimeError("no store"), asyncio.CancelledError()):
            monkeypatch.setattr(store.rooms, "add", AsyncMock(side_effect=error))
            with pytest.raises(type(error)):
                await opened(rooms)
        assert (rooms.count, await states(store)) == (0, [])


async def test_presses_of_any_number_of_steps_are_kept_once(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, _ = await opened(rooms)
        presses = [KeptPress(room=room.row.id, at=f"step={number}", member="m") for number in range(33_000)]
        await store.rooms.save([room.row], presses)
        await store.rooms.save([room.row], [*presses[:5], KeptPress(room="ended", at="step=1", member="m")])
        assert len(await store.rooms.presses([room.row.id, "ended"])) == len(presses)


async def test_a_poll_is_not_filled_by_one_who_joins_again_and_again(store: Store) -> None:
    """Two students follow. Many others join from their address without following: they cannot vote, but the two can."""
    async with rooms_over(store) as rooms:
        room, _, _ = await opened(rooms)
        poll = await rooms.ask(room, "step=1", RAISES, "live")
        early, late = (rooms.follow(room, joined(rooms, room, name)) for name in ("early", "late"))
        await rooms.vote(room, early.who, poll, YES)
        token = rooms.who(room, "", rooms.join(room, "only a token"))
        with pytest.raises(RoomRefused) as error:
            await rooms.vote(room, token, poll, NO)
        assert refused(error) == "not_following"
        with pytest.raises(RoomRefused) as error:
            rooms.press_lost(room, token, "step=1")
        assert refused(error) == "not_following"
        for number in range(9):
            await rooms.vote(room, joined(rooms, room, f"flood {number}"), poll, NO)
        await rooms.vote(room, late.who, poll, YES)
        await rooms.vote(room, early.who, poll, YES)
        tally = [(NO, 3), (YES, 2)]
        assert room.poll is not None and room.poll.votes_for(is_teacher=True)["tally"] == tally
        kept = await store.rooms.votes([(room.row.id, poll)])
        assert len(kept) == 5 and {early.who.name, late.who.name} < {vote.member for vote in kept}


async def test_members_are_counted(store: Store) -> None:
    clock = Clock()
    async with rooms_over(store, clock) as rooms:
        room, _, teacher = await opened(rooms)
        watching = rooms.follow(room, teacher)
        follower = rooms.follow(room, joined(rooms, room, "visitor"))
        await heard_until(watching, "members", 1)
        follower.close()
        clock.now += 10
        await heard_until(watching, "members", 0)


async def test_the_link_that_takes_it_over_is_told(store: Store) -> None:
    async with rooms_over(store) as rooms:
        room, _, teacher = await opened(rooms)
        assert (await heard(rooms.follow(room, teacher)))["opened_on"] == "link"
        other = await rooms.open(LINK, "192.0.2.1", is_owned=False)
        there = await rooms.find(other.code)
        assert (await heard(rooms.follow(there, rooms.who(there, other.secret, ""))))["opened_on"] is None
