"""All rooms of a server: permissions, operations, and expiry."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import msgspec
import structlog

from app.background import in_background
from app.questions.asked import Answer
from app.questions.posed import Posed
from app.rooms import errors
from app.rooms.codes import new_code
from app.rooms.credentials import Credentials, new_secret, secret_hash
from app.rooms.devices import Devices
from app.rooms.errors import RoomRefused
from app.rooms.loaded_rooms import LoadedRooms
from app.rooms.polls import KeptPoll, Poll, checked
from app.rooms.polls import Shown as PollShown
from app.rooms.room import OF_SHOWN, Document, Follower, Room, RoomClient
from app.rooms.room_record import KeptState, Shown, ShownLink
from app.store.errors import StoreError
from app.store.room_rows import KeptRoom, KeptVote, RoomRows

TICK_SECONDS: Final = 1.0
"""Interval of the periodic work, which saves rooms, counts members, and ends expired rooms."""

LOOK_SECONDS: Final = 60.0
"""Interval of checks for expired rooms that no web has loaded."""

MOST_DEVICES: Final = 4
"""Maximum number of a teacher's devices."""

POINTING: Final = frozenset({"pointer", "selection"})
"""Keys that a teacher may change ten times a second, and that are stored once a second."""

STREAMS_OF_MEMBER: Final = 3
STREAMS_OF_SECRET: Final = 8
"""Maximum number of streams and polls of one secret. A further stream or poll ends the oldest."""


@dataclass(frozen=True, kw_only=True)
class RoomLimits:
    """Limits of rooms."""

    members: int
    of_address: int
    """Maximum number of open rooms per address."""
    in_all: int
    hours: float
    """Lifetime of a room."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """The code and secrets of a room. The server sends the code and the secrets once, to the room's teacher."""

    code: str
    secret: str
    projector: str


class Rooms:
    """The open rooms, in memory and in the store.

    Every method may raise RoomRefused; methods that write may raise StoreError. A room stays loaded from its first request
    until another web takes the room.
    """

    def __init__(
        self,
        rows: RoomRows,
        credentials: Credentials,
        limits: RoomLimits,
        today: Callable[[], datetime],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rows = rows
        self._credentials = credentials
        self.limits = limits
        self._today = today
        self._clock = clock
        self._devices = Devices(clock)
        self._loaded = LoadedRooms(rows, limits.members, lambda room: self._devices.forget(room.row.id))
        self._looked_at = -LOOK_SECONDS

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Run the periodic work while the block lasts."""
        try:
            async with in_background(self._tick()):
                yield
        finally:
            await self._loaded.close()

    async def hand_over(self) -> None:
        """Save all rooms and end streams and polls, because the server stops. Then another web can take the rooms."""
        await self._loaded.hand_over()

    # --- lookup and permissions ---------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """The number of loaded rooms."""
        return len(self._loaded.rooms)

    @property
    def open_ones(self) -> Iterable[Room]:
        """All loaded rooms."""
        return self._loaded.rooms.values()

    @property
    def followers(self) -> int:
        """The number of streams and polls."""
        return sum(len(row) for room in self.open_ones for row in room.followers.values())

    async def find(self, typed: str) -> Room:
        """Load the room with this code. Raises StoreError."""
        room = await self._loaded.find(typed)
        if room is None:
            raise errors.unknown_room()
        return room

    def who(self, room: Room, secret: str, token: str) -> RoomClient:
        """Identify a client by its secret or token. Raises RoomRefused if neither is valid."""
        hashed = secret_hash(secret)
        if secret and hashed in room.row.secrets:
            return RoomClient(role="teacher", name=hashed)
        if secret and self._credentials.is_projector(secret, room.row.id, room.row.takeovers):
            return RoomClient(role="projector", name=hashed)
        member = self._credentials.member(room.row.id, token)
        if member is None:
            raise errors.not_allowed()
        return RoomClient(role="member", name=member)

    # --- opening, ending, joining ---------------------------------------------------------------------------------------

    async def open(self, link: ShownLink, address: str, *, is_owned: bool) -> Opened:
        """Store a new room for a link.

        `is_owned` means that the request had the link's deletion token, which allows a later takeover.
        """
        code, secret, kept = new_code(), new_secret(), KeptState(n=0, shown=Shown(snippet=link))
        row = KeptRoom(
            id=new_secret(),
            code=code,
            secrets=(secret_hash(secret),),
            takeovers=0,
            link=link.id if is_owned else None,
            opener=self._credentials.opener(address),
            opened=self._today(),
            state=msgspec.json.encode(kept).decode(),
        )
        try:
            added = await self._rows.add(row, self.limits.of_address, self.limits.in_all)
        except BaseException:
            await self._undo(row)
            raise
        if added == "code_taken":
            return await self.open(link, address, is_owned=is_owned)
        if added != "added":
            raise errors.too_many_rooms(self.limits.of_address if added == "full_of_opener" else None)
        return Opened(code=code, secret=secret, projector=self._credentials.projector(row.id, 0))

    async def check_place(self, address: str) -> None:
        """Raise RoomRefused if the open rooms of all webs reach the limit."""
        is_full, all_of_them = await self._rows.counts(self._credentials.opener(address), self.limits.of_address)
        if is_full:
            raise errors.too_many_rooms(self.limits.of_address)
        if all_of_them >= self.limits.in_all:
            raise errors.too_many_rooms(None)

    async def _undo(self, row: KeptRoom) -> None:
        """Delete a room after a failed opening. The server has not sent the room's secret."""
        try:
            await self._rows.end(row)
        except StoreError as error:  # the room then stays until the end of its lifetime
            structlog.get_logger().warning("room not deleted", error=error.for_operators())

    def check(self, room: Room) -> None:
        """Raise RoomRefused unless this web may change the room now."""
        self._loaded.check(room)

    async def end(self, room: Room) -> None:
        """End a room: delete its data and notify all followers."""
        self.check(room)
        await self._loaded.end(room)
        room.is_ended = True
        room.variants = None
        room.change("ended", "variants")
        room.publish()
        await room.close()

    def join(self, room: Room, visitor: str) -> str:
        """Add a visitor to the room; return the member's token."""
        token = self._credentials.token(room.row.id, visitor)
        self.admit(room, token.partition(".")[0])
        return token

    def follow(self, room: Room, who: RoomClient, after: int = 0) -> Follower:
        """Follow the changes of a room. The caller must close the follower."""
        self.check(room)
        row = room.followers.get(who.name, [])
        most = STREAMS_OF_MEMBER if who.role == "member" else STREAMS_OF_SECRET
        if len(row) >= 2 * most:  # earlier connections were told to end, but are still open
            raise errors.too_many_windows(most)
        if who.role == "member":
            self.admit(room, who.name)
            room.members.come(who.name)
        room.followers[who.name] = row
        staying = [each for each in row if not each.is_over]
        if len(staying) >= most:
            staying[0].end()

        def leave(follower: Follower) -> None:
            row.remove(follower)
            if not row:
                room.followers.pop(who.name, None)
            if who.role == "member":
                room.members.go(who.name, self._clock())

        follower = Follower(room, who, after, leave)
        row.append(follower)
        return follower

    def admit(self, room: Room, member: str) -> None:
        """Reserve a place for a member."""
        if not room.members.admit(member, self._clock()):
            raise errors.room_full(room.members.most)

    def check_follows(self, room: Room, who: RoomClient) -> None:
        """Raise RoomRefused if a member does not follow the room, by a stream or by polling.

        One visitor may get many tokens, but must not vote with all these tokens.
        """
        if not room.members.may_send(who.name, self._clock()):
            raise errors.not_following()

    # --- operations of the teacher ------------------------------------------------------------------------------------------

    async def lead(
        self, room: Room, changes: dict[str, object], link: ShownLink | None = None, document: Document | None = None
    ) -> int:
        """Show another step, view, pointer, selection or link (at its first step); return the number of the change.

        This method stores the change before it returns, except for pointer and selection, so that another web can continue from
        the change. If the store does not respond, the web stores the change later.
        """
        self.check(room)
        if link is not None:
            room.document = document
            room.shown = Shown(snippet=link)
            room.poll = None
        room.shown = msgspec.structs.replace(room.shown, **changes)
        room.is_unsaved = True
        n = room.change(*({"snippet", "poll", "votes", *OF_SHOWN} if link is not None else ()), *changes)
        if link is not None or not POINTING.issuperset(changes):
            await self._loaded.save_soon(room)
        return n

    async def ask(self, room: Room, at: str, posed: Posed | None, shown: PollShown) -> int:
        """Ask a question at a step, in place of an earlier question; return the number of the question.

        `posed` is None for a question without a known answer.
        """
        posed = checked(posed)
        self.check(room)
        room.polls += 1
        room.poll = Poll(KeptPoll(id=room.polls, at=at, posed=posed, shown=shown))
        room.change("poll", "votes")
        await self._loaded.save(room, but_votes_of=room.polls)
        return room.polls

    async def change_poll(
        self,
        room: Room,
        poll_id: int,
        *,
        shown: PollShown | None,
        is_closed: bool,
        is_revealed: bool,
        hands: Sequence[tuple[Answer, int]] | None,
    ) -> None:
        """Show or hide votes, close, reveal, or count hands."""
        self.check(room)
        poll = self._poll(room, poll_id)
        poll.change(shown=shown, is_closed=is_closed, is_revealed=is_revealed, hands=hands)
        if is_closed or is_revealed:
            await self._loaded.votes.flush()  # so that votes that arrived before this call still count
        room.change("poll", "votes")
        await self._loaded.save(room)

    async def drop_poll(self, room: Room) -> None:
        """Delete the poll, if the room has a poll."""
        self.check(room)
        room.poll = None
        room.change("poll", "votes")
        await self._loaded.save(room)

    def offer(self, room: Room) -> str:
        """Create a one-time code for another device of the teacher."""
        self.check(room)
        if len(room.row.secrets) >= MOST_DEVICES:
            raise errors.too_many_devices(MOST_DEVICES)
        return self._devices.offer(room.row.id)

    async def claim(self, room: Room, typed: str) -> Opened:
        """Issue a secret to the device that sends the one-time code."""
        self.check(room)
        if not self._devices.claim(room.row.id, typed) or len(room.row.secrets) >= MOST_DEVICES:
            raise errors.not_allowed()
        secret = new_secret()
        return await self._with_secrets(room, secret, (*room.row.secrets, secret_hash(secret)), room.row.takeovers)

    async def take_over(self, room: Room) -> Opened:
        """Issue new secrets to the holder of the link's deletion token, and revoke all earlier secrets."""
        self.check(room)
        self._devices.forget(room.row.id)  # first, so that an earlier device cannot use its one-time code during the takeover
        secret = new_secret()
        opened = await self._with_secrets(room, secret, (secret_hash(secret),), room.row.takeovers + 1)
        for follower in [each for row in room.followers.values() for each in row if each.who.role != "member"]:
            follower.end()
        return opened

    async def _with_secrets(self, room: Room, secret: str, secrets: tuple[str, ...], takeovers: int) -> Opened:
        room.row = msgspec.structs.replace(room.row, secrets=secrets, takeovers=takeovers)
        await self._loaded.save(room)
        return Opened(code=room.row.code, secret=secret, projector=self._credentials.projector(room.row.id, takeovers))

    # --- operations of members ------------------------------------------------------------------------------------------------

    async def vote(self, room: Room, who: RoomClient, poll_id: int, answer: Answer) -> None:
        """Store and count an answer."""
        self.check(room)
        poll = self._poll(room, poll_id)
        if not poll.kept.is_open:
            raise errors.poll_closed()
        poll.check(answer)
        self.check_follows(room, who)
        gone = poll.take_place(who.name, room.members)
        kept = msgspec.json.encode(answer).decode()

        def count() -> None:
            if gone is not None:
                poll.forget(gone)
            poll.count(who.name, answer)
            room.change("votes")

        vote = KeptVote(room=room.row.id, poll=poll_id, member=who.name, answer=kept)
        await self._loaded.vote(room, vote, gone, count)

    def press_lost(self, room: Room, who: RoomClient, at: str) -> None:
        """Record that a member is lost at a step."""
        self.check(room)
        self.check_follows(room, who)
        if room.lost.press(at, who.name):
            room.is_unsaved = True
            room.change("lost")

    def _poll(self, room: Room, poll_id: int) -> Poll:
        if room.poll is None or room.poll.kept.id != poll_id:
            raise errors.no_poll()
        return room.poll

    # --- periodic work -----------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            try:
                self._count_members()
                await self._end_old()
                await self._loaded.keep_up()
            except Exception:  # a background task must not end: log the bug and continue
                structlog.get_logger().exception("bug", rooms="tick")

    def _count_members(self) -> None:
        for room in self.open_ones:
            following = room.members.following(self._clock())
            if following != room.following:
                room.following = following
                room.change("members")

    async def _end_old(self) -> None:
        oldest = self._today() - timedelta(hours=self.limits.hours)
        try:
            for room in [room for room in self.open_ones if room.row.opened < oldest]:
                with suppress(RoomRefused):  # another web has taken the room, and ends it
                    await self.end(room)
            if time.monotonic() >= self._looked_at + LOOK_SECONDS:
                self._looked_at = time.monotonic()
                await self._rows.end_before(oldest)
        except StoreError as error:
            structlog.get_logger().warning("old rooms not ended", error=error.for_operators())
