"""The workers as a web sees them: it asks their health twice a second, and so knows their slots and why there are none."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from statistics import median_low
from typing import Final

import httpx
import structlog

from app.background import in_background
from app.engine.errors import SENTENCES, Kind
from app.fleet.messages import (
    ANNOUNCED_BYTES,
    ANNOUNCEMENT,
    MOST_PACKAGES,
    PLAIN,
    RELEASE,
    WORKERS,
    Announcement,
    NotBelieved,
    read,
)
from app.sandbox import Layer
from app.sandbox.tiers import Standing, Tier

LOOK_SECONDS: Final = 0.5

ANSWER_SECONDS: Final = 2.0
"""Timeout of a health check."""

MOST_WORKERS: Final = 100
"""Maximum number of remembered workers, and of those that a proxy may report."""

TROUBLES: Final[tuple[Kind, ...]] = ("no_worker", "workers_unreachable")
"""The reasons why no worker gets runs."""


class Workers:
    """The state of the workers behind `client`. `on_slots` is called with the number of their slots."""

    def __init__(
        self, client: httpx.AsyncClient, needed: Tier, on_slots: Callable[[int], None], slots: int | None = None
    ) -> None:
        self._client = client
        self._needed = needed
        self._on_slots = on_slots
        self._fixed = slots
        self._heard: dict[str, Announcement] = {}
        """Announcements by the names of workers; the latest is the last."""
        self._looking: asyncio.Task[None] | None = None
        self._is_in_doubt = False
        """Whether the last look, and only that, found trouble: one worker that drains or lies is not all workers."""
        self._sentence = ""
        """The error of a worker or of the connection, for operators."""
        self._looked_at = time.monotonic()
        self.trouble: Kind | None = "no_worker"
        """Why no run can be had."""
        self.count = 0
        """The number of workers that are up."""
        self.slots = 0
        """The number of runs at the same time."""

    @property
    def known(self) -> list[Announcement]:
        """The latest announcements, one for each worker that is up; the last one if none is up."""
        return list(self._heard.values())[-max(1, self.count) :]

    @property
    def standing(self) -> Standing:
        """How every run is sealed, in whichever worker."""
        if self.trouble is not None:
            return Standing(tier=None, layers=frozenset(), reasons={})
        layers = frozenset[Layer].intersection(*(frozenset(each.layers) for each in self.known))
        return Standing(tier=max((each.tier for each in self.known), key=list(Tier).index), layers=layers, reasons={})

    @property
    def age_seconds(self) -> float:
        """The time since the oldest answer of a canary."""
        return max((each.canary_age_seconds for each in self.known), default=0.0) + time.monotonic() - self._looked_at

    @property
    def refusal(self) -> str | None:
        """Why no run can be had, in a sentence for operators; None while there is a worker."""
        return None if self.trouble is None else " ".join(filter(None, (SENTENCES[self.trouble], self._sentence)))

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look at them once, and then twice a second."""
        await self.look()
        try:
            async with in_background(self._watch()):
                yield
        finally:
            if self._looking is not None:
                self._looking.cancel()
                await asyncio.wait([self._looking])

    async def look(self) -> None:
        """Ask for the health of a worker now. Callers that come meanwhile share the answer."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        await asyncio.shield(self._looking)

    async def _look(self) -> None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._client.stream("GET", f"/{RELEASE}/health") as response:
                body = await _whole(response)
                announcement = read(ANNOUNCEMENT, body, ANNOUNCED_BYTES) if response.status_code == 200 else None
                count = _count(response.headers.get(WORKERS, "1"))
        except (httpx.HTTPError, TimeoutError) as error:
            self._see("workers_unreachable", f"{type(error).__name__}: {error}"[:200])
        except NotBelieved as error:
            self._see("no_worker", f"A worker sent an announcement that cannot be read ({error}).")
        else:
            if announcement is None:
                is_plain = response.headers.get("content-type", "").startswith("text/plain")
                self._see("no_worker", body[:PLAIN].decode(errors="replace") if is_plain else "")
            elif not announcement.tier.is_enough_for(self._needed):
                self._see("no_worker", f"A worker seals runs to tier {announcement.tier}, and tier {self._needed} is needed.")
            else:
                self.heard(announcement)
                self._see(None, "", count)

    def heard(self, announcement: Announcement) -> None:
        """Store a worker's announcement."""
        self._heard.pop(announcement.worker, None)
        self._heard[announcement.worker] = announcement
        if len(self._heard) > MOST_WORKERS:
            del self._heard[next(iter(self._heard))]

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look()

    def _see(self, trouble: Kind | None, sentence: str, count: int = 0) -> None:
        if trouble is not None and self.trouble is None and not self._is_in_doubt:
            self._is_in_doubt = True
            return
        self._is_in_doubt = False
        before = self.trouble, self._sentence, self.count
        self.trouble, self._sentence, self.count = trouble, sentence, count
        self._looked_at = time.monotonic()
        self.slots = 0 if count == 0 else self._fixed or count * median_low(each.places for each in self.known)
        self._on_slots(self.slots)
        if before != (trouble, sentence, count):
            log = structlog.get_logger()
            (log.info if trouble is None else log.warning)("workers", count=count, trouble=trouble, told=sentence)


async def _whole(response: httpx.Response) -> bytes:
    """The body. Raises NotBelieved if it is too long."""
    body = b""
    async for data in response.aiter_raw():
        body += data
        await asyncio.sleep(0)  # data that has arrived gives no other task a turn
        if len(body) > ANNOUNCED_BYTES:
            raise NotBelieved(f"more than {ANNOUNCED_BYTES} bytes")
    return body


def _count(text: str) -> int:
    return min(int(text), MOST_WORKERS) if text.isdecimal() and len(text) < 9 and int(text) else 1


def versions_of(known: list[Announcement]) -> tuple[str, str, dict[str, str]]:
    """The versions of Python, torch and at most MOST_PACKAGES packages in the workers. Different ones are listed with commas."""
    packages: dict[str, set[str]] = {}
    for each in known:
        for name, version in each.packages.items():
            if name in packages or len(packages) < MOST_PACKAGES:
                packages.setdefault(name, set()).add(version)
    listed = {name: _listed(packages[name]) for name in sorted(packages)}
    return _listed({each.python for each in known}), _listed({each.torch for each in known}), listed


def _listed(texts: set[str]) -> str:
    return ", ".join(sorted(texts)) or "–"
