"""Rooms that are open, as rows: what a server that was killed needs to have them again. Ended ones leave nothing."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

import msgspec
from sqlalchemy import Executable, Table, and_, delete, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.database import Database
from app.store.tables import room_presses, room_votes, rooms

PRESSES_AT_ONCE: Final = 1000


class KeptRoom(msgspec.Struct, frozen=True, kw_only=True):
    """An open room, but for its votes and presses."""

    id: str
    code: str
    secrets: tuple[str, ...]
    """SHA-256 of the secret of each of the teacher's devices."""
    takeovers: int
    link: str | None
    """The link whose token takes it over."""
    opener: str
    """Who opened it, hashed."""
    opened: datetime
    state: str
    """What it shows and asks, as JSON."""


class KeptVote(msgspec.Struct, frozen=True, kw_only=True):
    """What a member answered."""

    room: str
    poll: int
    member: str
    answer: str
    """As JSON."""


class KeptPress(msgspec.Struct, frozen=True, kw_only=True):
    """A member who is lost at a step."""

    room: str
    at: str
    member: str


class RoomRows:
    """The open rooms of one store. Every method is one transaction; each may raise StoreUnavailable and StoreFull."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, room: KeptRoom) -> None:
        """Keep a new room."""
        async with self._database.writing() as connection:
            await connection.execute(insert(rooms).values(_row(room)))

    async def save(self, changed: Collection[KeptRoom], presses: Sequence[KeptPress] = ()) -> None:
        """Write rooms as they are now, and presses of theirs; a room that has ended meanwhile stays ended."""
        async with self._database.writing() as connection:
            for room in changed:
                await connection.execute(update(rooms).where(rooms.c.id == room.id).values(_row(room)))
            present = await self._present(connection, {press.room for press in presses})
            rows = [msgspec.structs.asdict(press) for press in presses if press.room in present]
            # Row by row: one statement over all of them may have more parameters than a database takes.
            for start in range(0, len(rows), PRESSES_AT_ONCE):
                await connection.execute(_insert_new(connection, room_presses), rows[start : start + PRESSES_AT_ONCE])

    async def end(self, ids: Collection[str]) -> None:
        """Delete rooms with all votes and presses."""
        async with self._database.writing() as connection:
            await connection.execute(delete(rooms).where(rooms.c.id.in_(ids)))

    async def all(self) -> list[KeptRoom]:
        """Every room that is kept."""
        async with self._database.reading() as connection:
            found = (await connection.execute(select(rooms).order_by(rooms.c.opened, rooms.c.id))).all()
        return [KeptRoom(**{**row._mapping, "secrets": tuple(msgspec.json.decode(row.secrets))}) for row in found]

    async def vote(self, votes: Sequence[tuple[KeptVote, str | None]]) -> None:
        """Keep votes, each in place of the member's earlier one and of that of the member beside it, in this order.

        None of an ended room is kept.
        """
        latest: dict[tuple[str, int], dict[str, KeptVote | None]] = {}
        for vote, gone in votes:
            of_poll = latest.setdefault((vote.room, vote.poll), {})
            if gone is not None:
                of_poll[gone] = None
            of_poll[vote.member] = vote
        async with self._database.writing() as connection:
            present = await self._present(connection, {room for room, _ in latest})
            for (room, poll), of_poll in latest.items():
                its = and_(room_votes.c.room == room, room_votes.c.poll == poll, room_votes.c.member.in_(of_poll))
                await connection.execute(delete(room_votes).where(its))
                rows = [msgspec.structs.asdict(vote) for vote in of_poll.values() if vote is not None]
                if rows and room in present:
                    await connection.execute(insert(room_votes), rows)

    async def forget_votes(self, room_id: str, *, but_of: int) -> None:
        """Delete the votes of a room's earlier questions."""
        its = and_(room_votes.c.room == room_id, room_votes.c.poll != but_of)
        async with self._database.writing() as connection:
            await connection.execute(delete(room_votes).where(its))

    async def votes(self, polls: Collection[tuple[str, int]]) -> list[KeptVote]:
        """The votes of these questions, each a room and a number."""
        if not polls:
            return []
        its = or_(*(and_(room_votes.c.room == room, room_votes.c.poll == poll) for room, poll in polls))
        async with self._database.reading() as connection:
            return [KeptVote(**row._mapping) for row in (await connection.execute(select(room_votes).where(its))).all()]

    async def presses(self, ids: Collection[str]) -> list[KeptPress]:
        """The presses of these rooms."""
        its = select(room_presses).where(room_presses.c.room.in_(ids))
        async with self._database.reading() as connection:
            return [KeptPress(**row._mapping) for row in (await connection.execute(its)).all()]

    async def _present(self, connection: AsyncConnection, ids: Collection[str]) -> set[str]:
        return set((await connection.execute(select(rooms.c.id).where(rooms.c.id.in_(ids)))).scalars())


def _insert_new(connection: AsyncConnection, table: Table) -> Executable:
    """Insert rows that are not there yet; standard SQL has no word for it."""
    is_postgresql = connection.dialect.name == "postgresql"
    return (postgresql.insert if is_postgresql else sqlite.insert)(table).on_conflict_do_nothing()


def _row(room: KeptRoom) -> dict[str, object]:
    return {**msgspec.structs.asdict(room), "secrets": msgspec.json.encode(room.secrets).decode()}
