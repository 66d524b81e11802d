"""Detects stuck runs, from the pool's state and a test run, and an unreachable store."""

import asyncio
import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import structlog

from app.engine import Admission, Refused, Requester
from app.sandbox import SandboxError
from app.store import StoreError
from app.trace.records import Limits
from app.web.runs.pending_runs import PendingRun
from app.web.runs.runs import Runs

SPARE_SECONDS: Final = 20.0
"""Seconds in addition to twice the wall-clock limit after which runs count as stuck, because two runs may reach their limits,
with the start of a zygote between them."""

DEEP_SECONDS: Final = 40.0
"""Timeout of the test run, longer than a visitor's run can take."""

FRESH_SECONDS: Final = 5.0
"""How long the result of a check is reused."""

STORE_SECONDS: Final = 1.0
"""Timeout of the store, shorter than the timeout of a load balancer's health check."""

SNIPPET: Final = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
CHECKER: Final = Requester(visitor="health", address="health")


def standstill(admission: Admission, limits: Limits) -> str | None:
    """One sentence with the reason if runs seem to be stuck, else None."""
    seconds = admission.standstill_seconds
    if seconds <= 2 * limits.wall_seconds + SPARE_SECONDS:
        return None
    return f"No run has ended for {seconds:.0f} s, with {admission.running} active and {admission.waiting} queued."


class Check(ABC):
    """A health check. Concurrent requests, and later requests within `FRESH_SECONDS`, share the result."""

    def __init__(self) -> None:
        self._checking: asyncio.Task[str | None] | None = None
        self._ended = 0.0

    async def trouble(self) -> str | None:
        """Return the failure as one sentence, or None if the check succeeds."""
        checking = self._checking
        if checking is None or (checking.done() and time.monotonic() - self._ended > FRESH_SECONDS):
            self._checking = checking = asyncio.create_task(self._timed())
        return await asyncio.shield(checking)  # other requests may still wait for the check

    async def _timed(self) -> str | None:
        try:
            return await self._check()
        finally:
            self._ended = time.monotonic()

    @abstractmethod
    async def _check(self) -> str | None: ...


class StoreCheck(Check):
    """Checks that the store responds to a request for the store's size."""

    def __init__(self, size: Callable[[], Awaitable[int]]) -> None:
        super().__init__()
        self._size = size

    async def _check(self) -> str | None:
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._size()
        except (StoreError, TimeoutError):
            return "The store does not respond: links cannot be opened or saved."
        return None


class DeepCheck(Check):
    """Checks that a snippet runs as a visitor's snippet does, up to its document."""

    def __init__(self, runs: Runs) -> None:
        super().__init__()
        self._runs = runs
        self._numbers = itertools.count()

    async def _check(self) -> str | None:
        try:
            async with asyncio.timeout(DEEP_SECONDS):
                return await self._run()
        except TimeoutError:
            return f"A snippet of three lines had no result after {DEEP_SECONDS:g} s."
        except Refused:
            return None  # the queue is full, which is not a failure
        except SandboxError as error:
            return str(error)
        except Exception:
            structlog.get_logger().exception("bug", path="deep check")
            return "A bug in Stepgrad; the log has the details."

    async def _run(self) -> str | None:
        snippet = f"{SNIPPET}# {next(self._numbers)}\n"  # a snippet that never ran before, because explanations are cached
        made = await self._runs.run(snippet, 0, False, PendingRun(CHECKER))
        document = msgspec.json.decode(made.whole())
        ended = document["trace"]["ended"]["kind"]
        if ended != "finished":
            return f"A snippet of three lines ended as {ended}."
        return "A snippet of three lines was explained only partly." if document.get("unfinished") else None
