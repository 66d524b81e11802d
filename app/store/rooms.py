"""Rooms that are open, as rows: what a server that was killed needs to have them again. Ended ones leave nothing."""

from collections.abc import Collection, Sequence
from datetime import datetime

import msgspec
from sqlalchemy import and_, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.database import Database
from app.store.tables import room_presses, room_votes, rooms


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
            new = await self._new_presses(connection, presses)
            if new:
                await connection.execute(insert(room_presses), [msgspec.structs.asdict(press) for press in new])

    async def end(self, ids: Collection[str]) -> None:
        """Delete rooms with all votes and presses."""
        async with self._database.writing() as connection:
            await connection.execute(delete(rooms).where(rooms.c.id.in_(ids)))

    async def all(self) -> list[KeptRoom]:
        """Every room that is kept."""
        async with self._database.reading() as connection:
            found = (await connection.execute(select(rooms).order_by(rooms.c.opened, rooms.c.id))).all()
        return [KeptRoom(**{**row._mapping, "secrets": tuple(msgspec.json.decode(row.secrets))}) for row in found]

    async def vote(self, votes: Sequence[KeptVote]) -> None:
        """Keep votes, each in place of the member's earlier one; of one member the last counts. None of an ended room is kept."""
        latest = {(vote.room, vote.poll, vote.member): vote for vote in votes}
        async with self._database.writing() as connection:
            present = await self._present(connection, {vote.room for vote in votes})
            rows = [msgspec.structs.asdict(vote) for vote in latest.values() if vote.room in present]
            if not rows:
                return
            for room, poll in {(row["room"], row["poll"]) for row in rows}:
                members = [row["member"] for row in rows if (row["room"], row["poll"]) == (room, poll)]
                its = and_(room_votes.c.room == room, room_votes.c.poll == poll, room_votes.c.member.in_(members))
                await connection.execute(delete(room_votes).where(its))
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

    async def _new_presses(self, connection: AsyncConnection, presses: Sequence[KeptPress]) -> list[KeptPress]:
        if not presses:
            return []
        present = await self._present(connection, {press.room for press in presses})
        steps = {press.at for press in presses}
        its = select(room_presses).where(room_presses.c.room.in_(present), room_presses.c.at.in_(steps))
        known = {KeptPress(**row._mapping) for row in (await connection.execute(its)).all()}
        return [press for press in dict.fromkeys(presses) if press.room in present and press not in known]

    async def _present(self, connection: AsyncConnection, ids: Collection[str]) -> set[str]:
        return set((await connection.execute(select(rooms.c.id).where(rooms.c.id.in_(ids)))).scalars())


def _row(room: KeptRoom) -> dict[str, object]:
    return {**msgspec.structs.asdict(room), "secrets": msgspec.json.encode(room.secrets).decode()}
