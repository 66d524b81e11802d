"""A web's view of the workers: health checks twice a second, the number of slots, and the reason if no worker is available."""

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
"""Maximum number of remembered workers, and of workers that a proxy may report."""

TROUBLES: Final[tuple[Kind, ...]] = ("no_worker", "workers_unreachable")
"""The reasons why no worker gets runs."""


class Workers:
    """What a web knows about the workers behind `client`. After each check, `on_slots` gets the number of slots."""

    def __init__(
        self, client: httpx.AsyncClient, needed: Tier, on_slots: Callable[[int], None], slots: int | None = None
    ) -> None:
        self._client = client
        self._needed = needed
        self._on_slots = on_slots
        self._fixed = slots
        self._heard: dict[str, Announcement] = {}
        """The latest announcement of each worker, by the worker's name. The worker that announced itself last is last."""
        self._looking: asyncio.Task[None] | None = None
        self._is_in_doubt = False
        """Whether the last check failed and the one before succeeded. A single failure is ignored, because possibly only one
        worker is affected."""
        self._sentence = ""
        """The error of a worker or of the connection, for operators."""
        self._looked_at = time.monotonic()
        self.trouble: Kind | None = "no_worker"
        """Why no run is possible; None if runs are possible."""
        self.count = 0
        """Number of available workers."""
        self.slots = 0
        """Number of slots."""

    @property
    def known(self) -> list[Announcement]:
        """The latest announcement of each available worker; if no worker is available, the last announcement."""
        return list(self._heard.values())[-max(1, self.count) :]

    @property
    def standing(self) -> Standing:
        """The isolation that all workers guarantee: the lowest tier, and the common layers."""
        if self.trouble is not None:
            return Standing(tier=None, layers=frozenset(), reasons={})
        layers = frozenset[Layer].intersection(*(frozenset(each.layers) for each in self.known))
        return Standing(tier=max((each.tier for each in self.known), key=list(Tier).index), layers=layers, reasons={})

    @property
    def age_seconds(self) -> float:
        """The age of the oldest canary result of a worker, in seconds."""
        return max((each.canary_age_seconds for each in self.known), default=0.0) + time.monotonic() - self._looked_at

    @property
    def refusal(self) -> str | None:
        """Why no run is possible, as sentences for operators; None while a worker is available."""
        return None if self.trouble is None else " ".join(filter(None, (SENTENCES[self.trouble], self._sentence)))

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Check the workers once, and then twice a second while the block runs."""
        await self.look()
        try:
            async with in_background(self._watch()):
                yield
        finally:
            if self._looking is not None:
                self._looking.cancel()
                await asyncio.wait([self._looking])

    async def look(self) -> None:
        """Check the health of the workers now. Concurrent callers share one check."""
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
            self._see("no_worker", f"A worker sent an invalid announcement ({error}).")
        else:
            if announcement is None:
                is_plain = response.headers.get("content-type", "").startswith("text/plain")
                self._see("no_worker", body[:PLAIN].decode(errors="replace") if is_plain else "")
            elif not announcement.tier.is_enough_for(self._needed):
                self._see(
                    "no_worker", f"A worker isolates runs at tier {announcement.tier}, but tier {self._needed} is required."
                )
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
    """Read the body of a response. Raises NotBelieved if it is too long."""
    body = b""
    async for data in response.aiter_raw():
        body += data
        await asyncio.sleep(0)  # other tasks may run, even if the next data has already arrived
        if len(body) > ANNOUNCED_BYTES:
            raise NotBelieved(f"more than {ANNOUNCED_BYTES} bytes")
    return body


def _count(text: str) -> int:
    return min(int(text), MOST_WORKERS) if text.isdecimal() and len(text) < 9 and int(text) else 1


def versions_of(known: list[Announcement]) -> tuple[str, str, dict[str, str]]:
    """The versions of Python, torch and at most MOST_PACKAGES packages of the workers. Commas separate different versions."""
    packages: dict[str, set[str]] = {}
    for each in known:
        for name, version in each.packages.items():
            if name in packages or len(packages) < MOST_PACKAGES:
                packages.setdefault(name, set()).add(version)
    listed = {name: _listed(packages[name]) for name in sorted(packages)}
    return _listed({each.python for each in known}), _listed({each.torch for each in known}), listed


def _listed(texts: set[str]) -> str:
    return ", ".join(sorted(texts)) or "–"
