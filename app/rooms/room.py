"""One room: its state, its followers, and the publication of changes."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from app.rooms.lost import Lost
from app.rooms.members import Members
from app.rooms.polls import Poll
from app.rooms.room_record import KeptState, Shown
from app.rooms.state import Audience, Change, State
from app.rooms.variants import Variants
from app.store.room_rows import KeptRoom

CHANGE_SECONDS: Final = 0.1
"""Minimum interval between two published changes."""

COUNT_SECONDS: Final = 0.5
"""Minimum interval between two published changes if the second change only updates counts."""

COUNTS: Final = frozenset({"members", "votes", "lost", "variants"})

OF_SHOWN: Final = Shown.__struct_fields__

UNSAVED: Final = 1_000_000
"""Added to `n` after a restart. This value exceeds the number of changes that a crash can lose, so no number is used twice."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Document:
    """The recording that a room shows, as gzipped JSON."""

    recording: str
    content: bytes
    tag: str
    """The ETag of the document."""


@dataclass(frozen=True, kw_only=True)
class RoomClient:
    """The role and name of a client of a room."""

    role: Literal["teacher", "projector", "member"]
    name: str
    """For a teacher or projector, the hash of the secret; for a member, the member's name."""


class Follower:
    """A client that follows a room by a stream or by polling. A flag is set while the follower has unread changes."""

    def __init__(self, room: "Room", who: RoomClient, after: int, leave: Callable[["Follower"], None]) -> None:
        self._room = room
        self._audience: Audience = "teacher" if who.role == "teacher" else "all"
        self._after = after
        self._leave = leave
        self.who = who
        self.is_over = False
        """Whether the follower gets no changes after those that are already published."""
        self.when_over: Callable[[], object] | None = None
        """Called when the follower ends."""
        self._flag = asyncio.Event()
        self.hear()

    def hear(self) -> None:
        """Wake the follower if it has unread changes."""
        if self.is_over or self._room.state.has_news(self._audience, self._after):
            self._flag.set()

    def end(self) -> None:
        """Deliver the published changes, then stop."""
        self.is_over = True
        self.hear()
        if self.when_over is not None:
            self.when_over()

    async def news(self, seconds: float) -> bytes | None:
        """Wait for unread changes and return the changes as JSON; None after `seconds` without a change, or at the end."""
        try:
            async with asyncio.timeout(seconds):
                await self._flag.wait()
        except TimeoutError:
            return None
        if not self.is_over:
            self._flag.clear()
        state = self._room.state
        if not state.has_news(self._audience, self._after):
            return None
        news, self._after = state.since(self._audience, self._after), state.n
        return news

    def close(self) -> None:
        """Stop following."""
        self._leave(self)


class Room:
    """An open room. `rooms.py` changes the room; this class publishes the changes."""

    def __init__(self, row: KeptRoom, kept: KeptState, most_members: int) -> None:
        self.row = row
        self.state = State()
        self.shown = kept.shown
        self.polls = kept.polls
        self.poll = None if kept.poll is None else Poll(kept.poll)
        self.lost = Lost(most_members)
        self.variants: Variants | None = None
        self.are_variants_unsaved = False
        self.members = Members(most_members)
        self.following = 0
        """The number of followers that was published last."""
        self.document: Document | None = None
        """The document that the room shows; None until a client requests it."""
        self.is_ended = False
        self.is_unsaved = False
        self.followers: dict[str, list[Follower]] = {}
        """The followers by member or secret, oldest first."""
        self._n = kept.n + UNSAVED
        self._changed: set[str] = set()
        self._news = asyncio.Event()
        self._urgent = asyncio.Event()
        self._publisher: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Publish the whole state, and from now on every change. Call this method after the stored votes and presses are
        loaded."""
        self._changed = {*OF_SHOWN, "opened_on", "members", "ended", "poll", "votes", "lost", "variants"}
        self.publish()
        self._publisher = asyncio.create_task(self._publish_changes())

    async def close(self) -> None:
        """End all streams after the published changes."""
        if self._publisher is not None:
            self._publisher.cancel()
            await asyncio.gather(self._publisher, return_exceptions=True)
        self.end_streams()

    def end_streams(self) -> None:
        """End all streams and polls."""
        for row in self.followers.values():
            for follower in row:
                follower.end()

    def change(self, *keys: str) -> int:
        """Mark keys as changed; return the number of the change that will contain the new values."""
        if not keys:
            return self._n
        self._changed.update(keys)
        self.are_variants_unsaved |= "variants" in keys
        self._news.set()
        if not COUNTS.issuperset(keys):
            self._urgent.set()
        return self._n + 1

    def publish(self) -> None:
        """Publish pending changes now."""
        keys, self._changed = self._changed, set()
        self._news.clear()
        self._urgent.clear()
        if keys:
            self._n += 1
            self.state.apply(self._change(keys))
            for row in self.followers.values():
                for follower in row:
                    follower.hear()

    def kept(self) -> KeptState:
        """The state in the form in which the store keeps it."""
        poll = None if self.poll is None else self.poll.kept
        return KeptState(n=self._n, shown=self.shown, polls=self.polls, poll=poll)

    async def _publish_changes(self) -> None:
        loop = asyncio.get_running_loop()
        last = loop.time()
        while True:
            await self._news.wait()
            await asyncio.sleep(last + CHANGE_SECONDS - loop.time())
            try:
                async with asyncio.timeout_at(last + COUNT_SECONDS):
                    await self._urgent.wait()
            except TimeoutError:
                pass
            self.publish()
            last = loop.time()

    def _change(self, keys: set[str]) -> Change:
        for_all: dict[str, msgspec.Raw] = {}
        for_teacher: dict[str, msgspec.Raw] = {}
        for key in sorted(keys):
            if key in OF_SHOWN:
                for_all[key] = _raw(getattr(self.shown, key))
            elif key == "opened_on":
                for_all[key] = _raw(self.row.link)
            elif key == "lost":
                for_teacher[key] = _raw(self.lost.counts())
            elif key == "members":
                for_all[key] = _raw(self.following)
            elif key == "ended":
                for_all[key] = _raw(self.is_ended)
            else:
                for_all[key], for_teacher[key] = (_raw(self._asked(key, is_teacher)) for is_teacher in (False, True))
        return Change(n=self._n, all=for_all, teacher=for_teacher)

    def _asked(self, key: str, is_teacher: bool) -> dict[str, Any] | None:
        if key == "variants":
            return None if self.variants is None else self.variants.variants_for(is_teacher=is_teacher)
        if self.poll is None:
            return None
        seen = self.poll.poll_for if key == "poll" else self.poll.votes_for
        return seen(is_teacher=is_teacher)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
