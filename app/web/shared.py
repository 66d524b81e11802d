"""What a web shares with the others that have the same Redis, as it sees that; `app/fleet` does it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol


class SharedRecordings(Protocol):
    """The latest recordings of all webs. Nothing raises: what is not found there is made again."""

    async def add(self, request: str | None, recording_hash: str, trace: bytes, seconds: float) -> None:
        """Remember a recording; with a request, as the latest answer to it."""
        ...

    async def hash_of(self, request: str) -> str | None:
        """The hash of the latest answer to the request with this key."""
        ...

    async def get(self, recording_hash: str) -> tuple[bytes, float] | None:
        """The recording with this hash: its bytes, how long its run took."""
        ...

    async def may_be_fetched(self, recording_hash: str) -> bool | None:
        """Whether its run was in the last minutes and no link to it was deleted since; None where that is not known."""
        ...

    async def forget(self, recording_hash: str) -> None:
        """Let nobody fetch it by its hash."""
        ...


class SharedStops(Protocol):
    """Stopping runs that other webs have under way."""

    @property
    def prefix(self) -> str:
        """What the ids of this web's runs begin with."""
        ...

    async def ask(self, run_id: str, visitor: str) -> bool | None:
        """End a run of another web now, if it is one of `visitor`; whether there is such a run. None where nobody says."""
        ...

    def answering(self, stop: Callable[[str, Callable[[str], bool]], bool]) -> AbstractAsyncContextManager[None]:
        """Answer the others as long as the block lasts."""
        ...


class SharedBuckets(Protocol):
    """Buckets of tokens that all webs take from."""

    async def take(self, buckets: Sequence[tuple[str, str, float, float]], tokens: int = 1) -> float | None:
        """Take tokens of buckets, one after the other: 0, or the seconds until the first that has none has one.

        Each is a kind of request, a client, what comes in a second, and what there is at most. None where each web counts alone.
        """
        ...


class OtherBuilds(Protocol):
    """The static files of all webs, which may be of two releases."""

    async def get(self, build: str, path: str) -> bytes | None:
        """A file of a build that some web serves, or served lately."""
        ...

    def offering(self, build: str, files: Mapping[str, bytes]) -> AbstractAsyncContextManager[None]:
        """Let the other webs serve these as long as the block lasts, and for a while."""
        ...


@dataclass(frozen=True, kw_only=True)
class Shared:
    """What there is to share; nothing where there is one web alone."""

    recordings: SharedRecordings | None = None
    stops: SharedStops | None = None
    rates: SharedBuckets | None = None
    files: OtherBuilds | None = None
