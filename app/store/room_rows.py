"""The rows of open rooms. After a crash, another server continues a room from its rows. The rows of an ended room are deleted."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

import msgspec
from sqlalchemy import ColumnElement, Table, and_, delete, func, insert, or_, select, text, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.networks import TIMES
from app.store.database import Database
from app.store.tables import room_presses, room_variants, room_votes, rooms

PRESSES_AT_ONCE: Final = 1000

OPENING: Final = 0x5E96_4200
"""The advisory lock, in PostgreSQL, for opening a room. The lock serializes the count and the insertion of rooms."""

Added = Literal["added", "code_taken", "full_of_opener", "full"]
"""The result of opening a room."""


class KeptRoom(msgspec.Struct, frozen=True, kw_only=True):
    """An open room, without its votes and presses."""

    id: str
    code: str
    secrets: tuple[str, ...]
    """SHA-256 of the secret of each of the teacher's devices."""
    takeovers: int
    link: str | None
    """The link whose deletion token allows a takeover of the room; None if there is none."""
    opener: str
    """Hashes of the networks of the address that opened the room, narrowest first, joined by dots."""
    opened: datetime
    state: str
    """The room's state and question, as JSON."""
    fence: int = 1
    """How often the room was taken over. A process whose number is lower may not write."""


class KeptVote(msgspec.Struct, frozen=True, kw_only=True):
    """A member's vote."""

    room: str
    poll: int
    member: str
    answer: str
    """The answer, as JSON."""


class KeptPress(msgspec.Struct, frozen=True, kw_only=True):
    """A member's press of "I am lost" at a step."""

    room: str
    at: str
    member: str


class RoomRows:
    """The open rooms of one store. Every method is one transaction; each may raise StoreUnavailable and StoreFull.

    Only the process that took a room over last may write its rows. Methods that write return the ids of the rooms that another
    process has taken over, and write nothing for these rooms.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, room: KeptRoom, of_opener: int, in_all: int) -> Added:
        """Store a new room, unless its code is taken or the limits `of_opener` or `in_all` are reached."""
        async with self._database.adding(len(room.state)) as connection:
            if connection.dialect.name == "postgresql":
                await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": OPENING})
            is_full, all_of_them = await self._counted(connection, room.opener, of_opener)
            if is_full:
                return "full_of_opener"
            if all_of_them >= in_all:
                return "full"
            added = await connection.execute(_insert_new(connection, rooms).values(_row(room)))
            return "added" if added.rowcount else "code_taken"

    async def counts(self, opener: str, of_opener: int) -> tuple[bool, int]:
        """Whether `opener` has reached the limit of `of_opener` rooms, and the number of all rooms."""
        async with self._database.reading() as connection:
            return await self._counted(connection, opener, of_opener)

    async def is_open(self, code: str) -> bool:
        """Whether a room with this code exists."""
        async with self._database.reading() as connection:
            return (await connection.execute(select(rooms.c.id).where(rooms.c.code == code))).one_or_none() is not None

    async def take(self, code: str) -> KeptRoom | None:
        """Take over the room with this code, if the room exists. The earlier owner can no longer write."""
        async with self._database.writing() as connection:
            await connection.execute(update(rooms).where(rooms.c.code == code).values(fence=rooms.c.fence + 1))
            row = (await connection.execute(select(rooms).where(rooms.c.code == code))).one_or_none()
        return None if row is None else KeptRoom(**{**row._mapping, "secrets": tuple(msgspec.json.decode(row.secrets))})

    async def not_ours(self, held: Collection[KeptRoom]) -> set[str]:
        """The ids of the rooms in `held` that another process has taken over or ended."""
        async with self._database.reading() as connection:
            ours = await connection.execute(select(rooms.c.id).where(_held({room.id: room.fence for room in held})))
        return {room.id for room in held} - set(ours.scalars())

    async def save(
        self, changed: Collection[KeptRoom], presses: Sequence[KeptPress] = (), *, but_votes_of: int | None = None
    ) -> set[str]:
        """Write the state and the presses of rooms.

        A room that has ended stays ended. `but_votes_of` is the number of a question; the votes of all other questions in these
        rooms are deleted. If it is None, no votes are deleted.
        """
        async with self._database.writing() as connection:
            # The fixed order prevents a deadlock between two processes that write the same rooms.
            for room in sorted(changed, key=lambda room: room.id):
                its = and_(rooms.c.id == room.id, rooms.c.fence == room.fence)
                written = await connection.execute(update(rooms).where(its).values(_row(room)))
                if written.rowcount and but_votes_of is not None:
                    others = and_(room_votes.c.room == room.id, room_votes.c.poll != but_votes_of)
                    await connection.execute(delete(room_votes).where(others))
            held = {room.id: room.fence for room in changed}
            present = await self._present(connection, held)
            rows = [msgspec.structs.asdict(press) for press in presses if press.room in present]
            # Several statements are necessary, because one statement for all rows may exceed a database's limit of parameters.
            for start in range(0, len(rows), PRESSES_AT_ONCE):
                await connection.execute(_insert_new(connection, room_presses), rows[start : start + PRESSES_AT_ONCE])
            return await self._taken(connection, held)

    async def end(self, ended: KeptRoom) -> set[str]:
        """Delete a room with all votes and presses."""
        async with self._database.freeing() as connection:
            await connection.execute(delete(rooms).where(rooms.c.id == ended.id, rooms.c.fence == ended.fence))
            return await self._taken(connection, {ended.id: ended.fence})

    async def end_before(self, when: datetime) -> None:
        """Delete all rooms that were opened before `when`, regardless of their owner."""
        async with self._database.freeing() as connection:
            await connection.execute(delete(rooms).where(rooms.c.opened < when))

    async def vote(self, votes: Sequence[tuple[KeptVote, str | None]], held: Mapping[str, int]) -> set[str]:
        """Store votes in the given order.

        A vote replaces the member's earlier vote. The second item of each pair is a member whose vote is deleted, or None.
        Votes for ended rooms are dropped. `held` has the fences of the rooms.
        """
        latest: dict[tuple[str, int], dict[str, KeptVote | None]] = {}
        for vote, gone in votes:
            of_poll = latest.setdefault((vote.room, vote.poll), {})
            if gone is not None:
                of_poll[gone] = None
            of_poll[vote.member] = vote
        async with self._database.writing() as connection:
            present = await self._present(connection, held)
            for (room, poll), of_poll in latest.items():
                if room not in present:
                    continue
                its = and_(room_votes.c.room == room, room_votes.c.poll == poll, room_votes.c.member.in_(of_poll))
                await connection.execute(delete(room_votes).where(its))
                rows = [msgspec.structs.asdict(vote) for vote in of_poll.values() if vote is not None]
                if rows:
                    await connection.execute(insert(room_votes), rows)
            return await self._taken(connection, held)

    async def votes(self, polls: Collection[tuple[str, int]]) -> list[KeptVote]:
        """The votes of polls, each given as a room's id and the poll's number."""
        if not polls:
            return []
        its = or_(*(and_(room_votes.c.room == room, room_votes.c.poll == poll) for room, poll in polls))
        async with self._database.reading() as connection:
            return [KeptVote(**row._mapping) for row in (await connection.execute(select(room_votes).where(its))).all()]

    async def presses(self, ids: Collection[str]) -> list[KeptPress]:
        """The presses in these rooms."""
        its = select(room_presses).where(room_presses.c.room.in_(ids))
        async with self._database.reading() as connection:
            return [KeptPress(**row._mapping) for row in (await connection.execute(its)).all()]

    async def keep_variants(self, room: KeptRoom, packed: bytes | None) -> None:
        """Replace the variants of a room; None deletes them. Does nothing if another process has taken the room over."""
        keeping = self._database.freeing() if packed is None else self._database.adding(len(packed))
        async with keeping as connection:
            if not await self._present(connection, {room.id: room.fence}):
                return
            await connection.execute(delete(room_variants).where(room_variants.c.room == room.id))
            if packed is not None:
                await connection.execute(insert(room_variants).values(room=room.id, packed=packed))

    async def variants(self, room_id: str) -> bytes | None:
        """The variants of a room, compressed."""
        its = select(room_variants.c.packed).where(room_variants.c.room == room_id)
        async with self._database.reading() as connection:
            return (await connection.execute(its)).scalar_one_or_none()

    async def _counted(self, connection: AsyncConnection, opener: str, of_opener: int) -> tuple[bool, int]:
        # `opener` joins the hashes of the networks of one address (/64, /56, /48), narrowest first.
        theirs = [func.count().filter(rooms.c.opener.contains(name, autoescape=True)) for name in opener.split(".")]
        all_of_them, *numbers = (await connection.execute(select(func.count(), *theirs).select_from(rooms))).one()
        bounds = (of_opener * times for times in (1, *TIMES.values()))
        return any(number >= most for number, most in zip(numbers, bounds, strict=False)), int(all_of_them)

    async def _present(self, connection: AsyncConnection, held: Mapping[str, int]) -> set[str]:
        """The ids of the rooms in `held` that exist and that no other process has taken over.

        The function locks these rows until the end of the transaction, so a takeover waits.
        """
        ours = select(rooms.c.id).where(_held(held)).order_by(rooms.c.id).with_for_update(read=True)
        return set((await connection.execute(ours)).scalars())

    async def _taken(self, connection: AsyncConnection, held: Mapping[str, int]) -> set[str]:
        """The ids of the rooms in `held` that another process has taken over."""
        found = await connection.execute(select(rooms.c.id, rooms.c.fence).where(rooms.c.id.in_(held)))
        return {room_id for room_id, fence in found.all() if fence != held[room_id]}


def _held(held: Mapping[str, int]) -> ColumnElement[bool]:
    """The SQL condition that the `(id, fence)` of a room is one of the pairs in `held`."""
    return tuple_(rooms.c.id, rooms.c.fence).in_(list(held.items()))


def _insert_new(connection: AsyncConnection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that skips existing rows, in the syntax of the database."""
    is_postgresql = connection.dialect.name == "postgresql"
    return (postgresql.insert if is_postgresql else sqlite.insert)(table).on_conflict_do_nothing()


def _row(room: KeptRoom) -> dict[str, object]:
    return {**msgspec.structs.asdict(room), "secrets": msgspec.json.encode(room.secrets).decode()}
