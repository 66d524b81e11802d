"""Where runs happen while the queue that hands them to workers does not answer: on this machine, if its operator wants that."""

from collections.abc import Callable

from app.engine.admission import Requester
from app.engine.canary_monitor import Sealing
from app.engine.local import Engine, Queue, Watcher
from app.sandbox import Run
from app.sandbox.tiers import Standing
from app.trace.records import Request


class Otherwise:
    """An engine made of two: a run that comes while `is_away` goes `here`, every other one to the `usual` one.

    A run that was on its way when its queue went away is not run again here: nobody knows whether it ran.
    """

    def __init__(self, usual: Engine, here: Engine, is_away: Callable[[], bool]) -> None:
        self._usual = usual
        self._here = here
        self._is_away = is_away

    async def run(self, request: Request, requester: Requester, watcher: Watcher) -> Run:
        """Run `request` where runs happen at this moment."""
        return await self._now.run(request, requester, watcher)

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """The same in a place that no visitor waits for."""
        return await self._now.run_in_background(request, requester, gives_way=gives_way)

    def queue_of(self, request: Request) -> Queue:
        """Where `request` waits for its place."""
        return self._now.queue_of(request)

    @property
    def _now(self) -> Engine:
        return self._here if self._is_away() else self._usual


class SealedOtherwise:
    """How runs are sealed where they happen at this moment."""

    def __init__(self, usual: Sealing, here: Sealing, is_away: Callable[[], bool]) -> None:
        self._usual = usual
        self._here = here
        self._is_away = is_away

    @property
    def standing(self) -> Standing:
        """What the canary proved."""
        return self._now.standing

    @property
    def age_seconds(self) -> float:
        """How long ago the canary answered."""
        return self._now.age_seconds

    @property
    def refusal(self) -> str | None:
        """Why visitors' runs are refused at this moment or fail, in a sentence; None when all is well."""
        return self._now.refusal

    @property
    def _now(self) -> Sealing:
        return self._here if self._is_away() else self._usual
