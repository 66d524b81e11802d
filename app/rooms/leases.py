"""In which web each room lives. Where several share a store, a room lives in one at a time, and that one alone changes it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class There:
    """Another web, in which a room lives."""

    web: str
    address: str | None
    """Where it is reached; empty: nowhere; None: it is gone, or nobody knows yet which one it is: look again in a moment."""


class Tenant(Protocol):
    """Whoever holds rooms, as its leases speak to it."""

    def lost(self, codes: Collection[str]) -> None:
        """These live elsewhere now."""

    async def still_ours(self, codes: Collection[str]) -> Collection[str]:
        """Of these, whose lease had run out and is there again, those that nobody took over meanwhile. Raises StoreError."""


class Leases(Protocol):
    """Who has which room. Rooms are named by their codes."""

    are_all_here: bool
    """Whether there is no other web."""

    def serve(self, tenant: Tenant) -> None:
        """Tell `tenant` what happens to what it holds."""

    async def holder(self, code: str) -> There | None:
        """The other web that has a room; None where none has it. Raises RoomRefused where nobody can tell."""

    async def claim(self, code: str, *, is_new: bool = False) -> There | None:
        """Take the lease of a room, unless another web has it: that one, then. Raises RoomRefused where it cannot be had now.

        `is_new`: there was no room with this code until now.
        """

    def is_held(self, code: str) -> bool:
        """Whether this web may change a room at this moment."""

    async def give_up(self, codes: Collection[str]) -> None:
        """Others may have these rooms."""

    async def leave(self, code: str, parcel: bytes) -> None:
        """Something for the web that has this room next, if it comes within a minute."""

    async def left(self, code: str) -> bytes | None:
        """What the web before has left for this one, once."""


class AllHere:
    """The leases of a web without others: it has all rooms."""

    are_all_here = True

    def serve(self, tenant: Tenant) -> None:
        """Nothing happens."""

    async def holder(self, code: str) -> There | None:
        """There is no other web."""

    async def claim(self, code: str, *, is_new: bool = False) -> There | None:
        """Always."""

    def is_held(self, code: str) -> bool:
        """Always."""
        return True

    async def give_up(self, codes: Collection[str]) -> None:
        """There are no others."""

    async def leave(self, code: str, parcel: bytes) -> None:
        """For nobody."""

    async def left(self, code: str) -> bytes | None:
        """By nobody."""
