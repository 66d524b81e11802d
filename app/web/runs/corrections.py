"""Computes and caches the corrected gradients of silently wrong runs. Each correction takes two more runs, in background slots."""

from typing import Final

import structlog
from cachetools import LRUCache

from app.engine import Engine, Refused, Requester
from app.explain.corrected.gradients import is_asked_for, keeping_saved
from app.explain.corrected_records import CorrectedGradients, UnknownGradients
from app.explainers import Explainers, NotExplained, Unreadable
from app.sandbox import SandboxError
from app.store import Recording
from app.trace.ends import is_deterministic, is_killed
from app.trace.records import Request
from app.web.edge.errors import Problem
from app.web.operations.metrics import Metrics
from app.web.runs.explanations import Explanations
from app.web.runs.runs import Runs
from app.web.runs.single_flight import SingleFlight

MOST_KNOWN: Final = 256
"""Size of the cache, because many members of a class open one link at the same time."""


class Corrections:
    """Corrected gradients of silently wrong runs. If the gradients cannot be computed, the result is "unknown"."""

    def __init__(
        self, engine: Engine, explainers: Explainers, explanations: Explanations, runs: Runs, metrics: Metrics
    ) -> None:
        self._engine = engine
        self._explainers = explainers
        self._explanations = explanations
        self._runs = runs
        self._metrics = metrics
        self._known: LRUCache[str, CorrectedGradients] = LRUCache(MOST_KNOWN)
        """The corrected gradients by the hash of the recording."""
        self._asked: SingleFlight[CorrectedGradients] = SingleFlight()

    async def of_run(
        self, source: str, seed: int, stand_in: bool, token: str | None, requester: Requester
    ) -> CorrectedGradients:
        """Corrected gradients for the recording of a snippet that `token` names, or for the latest recording.

        Raises Problem (404).
        """
        found = await self._runs.recorded(source, seed, stand_in, token, requester.visitor)
        return await self.of_recording(*found, requester)

    async def of_link(self, snippet_id: str, requester: Requester) -> CorrectedGradients:
        """Corrected gradients for the recording of a link. Raises Problem (404)."""
        found = await self._runs.recorded_for(snippet_id)
        if found is None:
            raise Problem(404, "unknown_run", "The recording of this link is no longer readable.", "Open the link again.")
        return await self.of_recording(*found, requester)

    async def in_link(self, snippet_id: str, requester: Requester) -> CorrectedGradients | None:
        """Corrected gradients for an exported link; None if no gradient was silently wrong, or the recording is unreadable."""
        found = await self._runs.recorded_for(snippet_id)
        return None if found is None else await self.in_document(*found, requester)

    async def in_document(self, recording: Recording, request: Request, requester: Requester) -> CorrectedGradients | None:
        """Corrected gradients for a file or picture of this recording; None if no gradient was silently wrong."""
        if not await self._is_asked_for(recording, requester.address):
            return None
        return await self.of_recording(recording, request, requester)

    async def of_recording(self, recording: Recording, request: Request, requester: Requester) -> CorrectedGradients:
        """Corrected gradients for this recording of `request`. Raises Problem (404) if no gradient was silently wrong."""
        known = self._known.get(recording.hash)
        if known is not None:
            return known
        return await self._asked.result(recording.hash, lambda: self._make(recording, request, requester))

    async def _make(self, recording: Recording, request: Request, requester: Requester) -> CorrectedGradients:
        if not await self._is_asked_for(recording, requester.address):
            raise Problem(404, "nothing_wrong", "No gradient of this run was silently wrong.", "There is nothing to correct.")
        answer, is_lasting = await self._compared(recording, request, requester)
        kind = answer.reason if isinstance(answer, UnknownGradients) else str(answer.__struct_config__.tag)
        self._metrics.answered(kind)
        structlog.get_logger().info("right", address=requester.address, answer=kind)
        if is_lasting:
            self._known[recording.hash] = answer
        return answer

    async def _is_asked_for(self, recording: Recording, requester: str) -> bool:
        explanation = await self._explanations.kept(recording.hash)
        try:
            return is_asked_for((explanation or await self._explanations.of(recording, requester)).findings)
        except Unreadable:
            raise Problem(404, "unknown_run", "The recording of this run is no longer readable.", "Run it again.") from None

    async def _compared(self, wrong: Recording, request: Request, requester: Requester) -> tuple[CorrectedGradients, bool]:
        """Return the corrected gradients, and whether they may be cached: only if both runs with copies had deterministic ends."""
        copied = keeping_saved(request)
        try:
            preserved, is_steady = await self._recorded(copied, requester)
            again, is_steady_again = await self._recorded(copied, requester)
            compared = await self._explainers.compare(wrong.hash, wrong.trace, preserved, again, requester.address)
        except (Refused, SandboxError, NotExplained):
            return UnknownGradients(reason="busy"), False
        return compared, is_steady and is_steady_again

    async def _recorded(self, request: Request, requester: Requester) -> tuple[bytes, bool]:
        """Run `request` in the background; return its recording, and whether the end is deterministic. Raises Refused if the
        run was killed."""
        run = await self._engine.run_in_background(request, requester)
        if run.ended is not None and is_killed(run.ended):
            raise Refused("right", "This run was killed from outside.", 10)
        made = await self._explainers.record(run, requester.address, explains=False)
        return made.trace, is_deterministic(made.ended)
