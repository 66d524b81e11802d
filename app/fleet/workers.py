"""The workers as the web sees them: looked at twice a second, so that it knows their places and says why there are none."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

import structlog
from redis.asyncio import Redis
from redis.exceptions import OutOfMemoryError

from app import __version__
from app.beside import beside
from app.engine.errors import SENTENCES, Kind
from app.fleet import scripts
from app.fleet.connection import TROUBLE, sentence_of
from app.fleet.messages import ANNOUNCEMENT, MOST_PLACES, PROTOCOL, RELEASE, Announcement, NotBelieved, Release, read
from app.fleet.names import Keys
from app.sandbox import Layer
from app.sandbox.tiers import Standing, Tier
from app.trace.records import FORMAT

LOOK_SECONDS: Final = 0.5

LEGIBLE: Final = re.compile(rb"[A-Za-z0-9_.-]{1,64}")
"""The id of a worker."""


@dataclass(frozen=True, kw_only=True)
class Announced:
    """A worker that lives and may be given runs."""

    id: str
    places: int
    told: Announcement
    busy: int
    """Runs that were handed to it and have not ended."""


Reason = Literal["unreadable", "protocol", "format", "refusing", "tier"]


@dataclass(frozen=True, kw_only=True)
class Unused:
    """A worker that lives and gets no runs."""

    reason: Reason
    sentence: str
    """For operators."""


TROUBLES: Final[tuple[Kind, ...]] = ("no_worker", "queue_unavailable", "queue_full")
"""What keeps all runs from all workers."""


class Workers:
    """Those that live, as of the last look. Their places are told to `on_places`; what they run stays known when they are gone."""

    def __init__(self, redis: Redis, keys: Keys, needed: Tier, on_places: Callable[[int], None]) -> None:
        self._redis = redis
        self._keys = keys
        self._needed = needed
        self._on_places = on_places
        self.usable: list[Announced] = []
        self.trouble: Kind | None = "no_worker"
        """Why no run can be had."""
        self.latest: list[Announcement] = []
        """What those told that could be used last: the page's versions come of it."""
        self._unused: tuple[Unused, ...] = ()
        self._sentences: tuple[str, ...] = ()
        """Why those that live are not used, or what is wrong with Redis, for operators."""
        self._looked_at = time.monotonic()

    @property
    def standing(self) -> Standing:
        """What holds for every run, wherever it goes."""
        if not self.usable:
            return Standing(tier=None, layers=frozenset(), reasons={})
        tiers = [worker.told.tier for worker in self.usable if worker.told.tier is not None]
        layers = frozenset[Layer].intersection(*(frozenset(worker.told.layers) for worker in self.usable))
        return Standing(tier=max(tiers, key=list(Tier).index), layers=layers, reasons={})

    @property
    def age_seconds(self) -> float:
        """How long ago the canary answered where it is longest."""
        ages = (worker.told.canary_age_seconds for worker in self.usable)
        return max(ages, default=0.0) + time.monotonic() - self._looked_at

    @property
    def refusal(self) -> str | None:
        """Why no run can be had, in a sentence for operators; None while there is a worker."""
        return None if self.trouble is None else " ".join((SENTENCES[self.trouble], *self._sentences))

    @property
    def unused(self) -> dict[str, int]:
        """How many live and get no runs, by every reason that there is."""
        return {reason: sum(each.reason == reason for each in self._unused) for reason in get_args(Reason)}

    @property
    def troubles(self) -> dict[str, bool]:
        """Whether it is so, for everything that keeps all runs from all workers."""
        return {kind: kind == self.trouble for kind in TROUBLES}

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look at them once, and then again and again."""
        await self.look()
        async with beside(self._watch()):
            yield

    async def look(self) -> None:
        """Look at them now."""
        keys = self._keys
        try:
            found = await cast("Any", self._redis.eval(scripts.LOOK, 2, keys.workers, keys.room, keys.worker_prefix))
        except OutOfMemoryError:
            self._see("queue_full", [], (), ())
            return
        except TROUBLE as error:
            self._see("queue_unavailable", [], (), (sentence_of(error),))
            return
        usable, unused = [], []
        for worker, places, told, busy in found:
            read = self._read(worker, places, told, busy)
            if isinstance(read, Unused):
                unused.append(read)
            elif read is not None:
                usable.append(read)
        self._see(None if usable else "no_worker", usable, tuple(unused), tuple(each.sentence for each in unused))

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look()

    def _see(
        self, trouble: Kind | None, usable: list[Announced], unused: tuple[Unused, ...], sentences: tuple[str, ...]
    ) -> None:
        before = (self.trouble, self._sentences, [worker.id for worker in self.usable])
        self.trouble, self.usable, self._unused, self._sentences = trouble, usable, unused, sentences
        self._looked_at = time.monotonic()
        self.latest = [worker.told for worker in usable] or self.latest
        self._on_places(sum(worker.places for worker in usable))
        if before != (trouble, sentences, [worker.id for worker in usable]):
            log = structlog.get_logger()
            (log.info if trouble is None and not sentences else log.warning)(
                "workers", usable=[worker.id for worker in usable], trouble=trouble, refusals=sentences
            )

    def _read(self, worker: bytes, places: bytes, told: bytes, busy: int) -> Announced | Unused | None:
        """A worker that may be given runs; or why it may not; None for one that is being stopped."""
        try:
            name, release = _legible(worker), read(RELEASE, told, scripts.MOST_TOLD)
            if (other := _other_release(name, release)) is not None:
                return other
            announcement, count = read(ANNOUNCEMENT, told, scripts.MOST_TOLD), int(places)
        except (NotBelieved, ValueError) as error:
            return Unused(reason="unreadable", sentence=f"A worker told what cannot be read ({error}).")
        if announcement.refusal:
            return Unused(reason="refusing", sentence=f"The worker {name} takes no runs: {announcement.refusal}")
        if announcement.tier is None or list(Tier).index(announcement.tier) > list(Tier).index(self._needed):
            sentence = f"The worker {name} seals runs to tier {announcement.tier}, and tier {self._needed} is needed."
            return Unused(reason="tier", sentence=sentence)
        if not 0 < count <= MOST_PLACES:
            return None
        return Announced(id=name, places=count, told=announcement, busy=min(busy, MOST_PLACES))


def _other_release(name: str, release: Release) -> Unused | None:
    """Why a worker of another release is given no runs, if it is: to tell more than this web reads is no reason."""
    if release.protocol != PROTOCOL:
        reason: Reason = "protocol"
        they, we = f"speaks protocol {release.protocol}", f"protocol {PROTOCOL}"
    elif release.format != FORMAT:
        reason = "format"
        they, we = f"records format {release.format}", f"format {FORMAT}"
    else:
        return None
    sentence = f"The worker {name} is Stepgrad {release.stepgrad} and {they}; this web is Stepgrad {__version__} with {we}."
    return Unused(reason=reason, sentence=sentence)


def _legible(worker: bytes) -> str:
    """The id of a worker, which stands in logs and metrics. Raises ValueError."""
    if not LEGIBLE.fullmatch(worker):
        raise ValueError(f"its name is {worker[:64]!r}")
    return worker.decode("ascii")


def versions_of(latest: list[Announcement]) -> tuple[str, str, dict[str, str]]:
    """Python, torch and packages as the workers have them; where they differ, each once."""
    packages: dict[str, str] = {}
    for package in sorted({name for told in latest for name in told.packages}):
        packages[package] = _each_once(told.packages[package] for told in latest if package in told.packages)
    return _each_once(told.python for told in latest), _each_once(told.torch for told in latest), packages


def _each_once(texts: Iterable[str]) -> str:
    return ", ".join(sorted(set(texts))) or "–"
