"""The canary monitor, which runs the canary in the sandbox every minute, and refuses runs if the canary fails."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from app.background import in_background
from app.engine.refusing import Refused
from app.sandbox import Sandbox, SandboxDied, SandboxUnavailable
from app.sandbox.tiers import Standing, Tier, examine
from app.trace.records import Limits

EVERY_SECONDS: Final = 60.0

REFUSING_SECONDS: Final = 5.0
"""Interval between runs of the canary while visitors' runs are refused."""

AT_LATEST_SECONDS: Final = 300.0
"""Maximum interval between runs of the canary while visitors are waiting in the queue."""

SILENT_SECONDS: Final = 2 * AT_LATEST_SECONDS
"""Age at which a result of the canary becomes invalid."""

LONG_QUEUE: Final = 8
"""Length of the queue above which the canary is postponed, so that visitors do not wait for the canary."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What the server requires of the sandbox."""

    needed: Tier
    address: str
    """The served address, for messages."""
    limits: Limits
    """The limits of the canary, which are the same as for any run."""


class Sealing(Protocol):
    """Reports the state of the sandbox, on this machine or on the workers."""

    @property
    def standing(self) -> Standing:
        """The layers that the canary confirmed."""
        ...

    @property
    def age_seconds(self) -> float:
        """Seconds since the canary's last result."""
        ...

    @property
    def refusal(self) -> str | None:
        """The reason, as one sentence, if runs are refused or fail now; else None."""
        ...


class CanaryMonitor:
    """Keeps the state of the sandbox up to date inside the block of `monitoring`."""

    def __init__(
        self,
        sandbox: Sandbox,
        standing: Standing,
        terms: Terms,
        slot: Callable[[], AbstractAsyncContextManager[None]],
        waiting: Callable[[], int],
        on_change: Callable[["CanaryMonitor"], None],
    ) -> None:
        self._sandbox = sandbox
        self.standing = standing
        self.terms = terms
        self._slot = slot
        self._waiting = waiting
        self._on_change = on_change
        self._failure: str | None = None
        """The reason why the latest canary could not run, if any."""
        self._examined_at = time.monotonic()

    @property
    def age_seconds(self) -> float:
        """Seconds since the canary's last result."""
        return time.monotonic() - self._examined_at

    @property
    def refusal(self) -> str | None:
        """The reason, as one sentence, if runs are refused or fail now; else None."""
        silent = (
            f"The sandbox has not been examined for {self.age_seconds:.0f} s." if self.age_seconds > SILENT_SECONDS else None
        )
        return self._sandbox.refusal or self._sandbox.trouble or self._failure or silent

    @asynccontextmanager
    async def monitoring(
        self, every_seconds: float = EVERY_SECONDS, at_latest_seconds: float = AT_LATEST_SECONDS
    ) -> AsyncIterator[None]:
        """Run the canary periodically while the block lasts."""
        async with in_background(self._monitor(every_seconds, at_latest_seconds)):
            yield

    async def _monitor(self, every_seconds: float, at_latest_seconds: float) -> None:
        while True:
            await asyncio.sleep(every_seconds if self.refusal is None else min(every_seconds, REFUSING_SECONDS))
            if self._waiting() <= LONG_QUEUE or self.age_seconds >= at_latest_seconds:
                await self._examine(waits=self.age_seconds < at_latest_seconds)

    async def _examine(self, *, waits: bool) -> None:
        before = (self.standing, self.refusal)
        try:
            if waits:
                async with self._slot():
                    self._take(await self._ask())
            else:
                self._take(await self._ask())
        except Refused:  # retried in the next round
            return
        except (SandboxUnavailable, SandboxDied) as error:
            self._failure = str(error)
        if (self.standing, self.refusal) != before:
            self._on_change(self)

    async def _ask(self) -> Standing:
        return await examine(self._sandbox, self.standing.reasons, self.terms.limits)

    def _take(self, standing: Standing) -> None:
        self.standing, self._failure, self._examined_at = standing, None, time.monotonic()
        enough = standing.is_enough_for(self.terms.needed)
        self._sandbox.refusal = None if enough else standing.shortfall(self.terms.needed, self.terms.address)
