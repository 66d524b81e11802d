"""Tests the fixes of a run. Each fix runs in a slot that no visitor waits for, and its result is checked."""

import asyncio
import hashlib
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
import structlog
from cachetools import LRUCache

from app.engine import Engine, Refused, Requester
from app.explain import Finding, Fix
from app.explain.corrected.gradients import is_asked_for
from app.explain.corrected_records import CorrectedGradients, UnknownGradients
from app.explain.tried.judge import Question, Reason, Verdict
from app.explainers import Explainers, Explanation, NotExplained, Unreadable
from app.sandbox import Run, SandboxError
from app.store import Recording
from app.trace.ends import TimedOut, is_deterministic, is_killed
from app.trace.records import Request
from app.web.edge.errors import Problem
from app.web.operations.metrics import Metrics
from app.web.runs.corrections import Corrections
from app.web.runs.explanations import Explanations
from app.web.runs.runs import Runs
from app.web.runs.single_flight import SingleFlight

MOST_UNASKED: Final = 3
"""Maximum number of fixes of a document that are tested if the request names no specific fix."""

MOST_KNOWN: Final = 4096
"""Size of the cache of verdicts, because many members of a class run one snippet at the same time."""

MOST_WAITING: Final = 100
"""Maximum number of queued fixes."""

WAITING_SECONDS: Final = 20.0
"""Maximum time that a fix waits in the queue."""

ATTEMPTS: Final = 3
"""Maximum number of attempts to run a fix. An attempt fails if a visitor needs the slot."""

WEIGHTS: Final = {"error": 0, "warning": 1, "hint": 2}
"""The rank of each severity in the order of findings on the page."""


class Trial(msgspec.Struct, frozen=True):
    """The verdict on a fix, with the indices of the fix in its document."""

    finding: int
    fix: int
    verdict: str
    reason: Reason


class Trials(msgspec.Struct, frozen=True):
    """The fixes of a document with their verdicts, in the order in which the page shows findings."""

    trials: list[Trial]


class FixTrials:
    """Tests fixes, one at a time. A fix that cannot be tested has the verdict "untried"."""

    def __init__(
        self,
        engine: Engine,
        explainers: Explainers,
        explanations: Explanations,
        runs: Runs,
        corrections: Corrections,
        metrics: Metrics,
        seconds: float,
    ) -> None:
        self._engine = engine
        self._explainers = explainers
        self._explanations = explanations
        self._runs = runs
        self._corrections = corrections
        self._metrics = metrics
        self._seconds = seconds
        """The fixes of a run are tested automatically only if the run took at most this many seconds."""
        self._known: LRUCache[str, Verdict] = LRUCache(MOST_KNOWN)
        """The verdicts by the hashes of recording and fix."""
        self._asked: SingleFlight[Verdict] = SingleFlight()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def of_run(
        self,
        source: str,
        seed: int,
        stand_in: bool,
        token: str | None,
        chosen: tuple[int, int] | None,
        requester: Requester,
    ) -> Trials:
        """The verdicts on the first fixes or the `chosen` fix, for the recording that `token` names, or the latest recording.

        Raises Problem (404).
        """
        found = await self._runs.recorded(source, seed, stand_in, token, requester.visitor)
        return await self._answer(*found, chosen, requester)

    async def of_link(self, snippet_id: str, chosen: tuple[int, int] | None, requester: Requester) -> Trials:
        """The verdicts on the first fixes or the `chosen` fix, for the recording of a link. Raises Problem (404)."""
        found = await self._runs.recorded_for(snippet_id)
        if found is None:
            raise Problem(404, "unknown_run", "The recording of this link is no longer readable.", "Open the link again.")
        return await self._answer(*found, chosen, requester)

    async def _answer(
        self, recording: Recording, request: Request, chosen: tuple[int, int] | None, requester: Requester
    ) -> Trials:
        explanation = await self._explained(recording, requester.address)
        findings = explanation.findings
        shown = sorted(range(len(findings)), key=lambda index: WEIGHTS[findings[index].severity])
        fixes = [(index, fix) for index in shown for fix in range(len(findings[index].fixes))]
        if chosen is not None and chosen not in fixes:
            raise Problem(404, "unknown_fix", "This run has no such fix.", "Request all fixes of the run.")
        asked = [each for each in fixes if chosen in (None, each)]
        trials = []
        for number, (finding, fix) in enumerate(asked):
            trial = _Fix(recording, request, findings, finding, fix, is_chosen=chosen is not None)
            verdict = await self._verdict(trial, number, requester)
            trials.append(Trial(finding, fix, verdict.verdict, verdict.reason))
        return Trials(trials)

    async def _explained(self, recording: Recording, requester: str) -> Explanation:
        kept = await self._explanations.kept(recording.hash)
        try:
            return kept or await self._explanations.of(recording, requester)
        except Unreadable:
            raise Problem(404, "unknown_run", "The recording of this run is no longer readable.", "Run it again.") from None

    async def _verdict(self, trial: "_Fix", number: int, requester: Requester) -> Verdict:
        known = self._known.get(trial.key)
        if known is not None:
            return known
        if not trial.is_chosen:
            took = self._runs.seconds_of(trial.recording.hash)
            if not self._seconds or (took is not None and took > self._seconds):
                return _untried("long")
            if number >= MOST_UNASKED:
                return _untried("later")
        return await self._asked.result((trial.key, trial.is_chosen), lambda: self._make(trial, requester))

    async def _make(self, trial: "_Fix", requester: Requester) -> Verdict:
        try:
            async with self._in_turn():
                verdict, is_lasting = await self._tried(trial, requester)
        except (Refused, SandboxError, NotExplained, Unreadable):
            verdict, is_lasting = _untried("busy"), False
        self._metrics.tried(verdict.verdict, verdict.reason)
        structlog.get_logger().info(
            "trial", address=requester.address, kind=trial.finding.kind, verdict=verdict.verdict, reason=verdict.reason
        )
        if is_lasting:
            self._known[trial.key] = verdict
        return verdict

    @asynccontextmanager
    async def _in_turn(self) -> AsyncIterator[None]:
        """Hold the only slot for trials, so that visitors' runs have all cores but one. Raises Refused."""
        if self._waiting >= MOST_WAITING:
            raise Refused("trials", "Too many fixes are waiting to be tested.", 10)
        self._waiting += 1
        try:
            async with asyncio.timeout(WAITING_SECONDS):
                await self._turn.acquire()
        except TimeoutError:
            raise Refused("trials", "The fix waited too long for a slot.", 10) from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turn.release()

    async def _tried(self, trial: "_Fix", requester: Requester) -> tuple[Verdict, bool]:
        """Return the verdict on a fix, and whether it may be cached: only if all runs for it had deterministic ends."""
        corrected = await self._corrected(trial, requester)
        if isinstance(corrected, UnknownGradients) and corrected.reason == "busy":
            return _untried("busy"), False
        run = await self._run(trial.fixed(self._seconds), requester)
        if isinstance(run.ended, TimedOut) and not trial.is_chosen:
            return _untried("long"), False
        question = Question(findings=trial.findings, finding=trial.index, corrected=corrected)
        original, address = trial.recording.trace, requester.address
        fixed = await self._explainers.record(run, address, explains=False)
        is_lasting = is_deterministic(fixed.ended)
        verdict = await self._explainers.judge(trial.key, original, fixed.trace, b"", question, address)
        if verdict.reason == "before":
            run_again = await self._run(trial.request, requester)
            again = await self._explainers.record(run_again, address, explains=False)
            is_lasting = is_lasting and is_deterministic(again.ended)
            key = f"{trial.key} again"
            verdict = await self._explainers.judge(key, original, fixed.trace, again.trace, question, address)
        return verdict, is_lasting

    async def _corrected(self, trial: "_Fix", requester: Requester) -> CorrectedGradients | None:
        if not is_asked_for([trial.finding]):
            return None
        return await self._corrections.of_recording(trial.recording, trial.request, requester)

    async def _run(self, request: Request, requester: Requester) -> Run:
        """Run `request` in the background. Raises Refused if visitors needed the slot at every attempt, or the run was killed."""
        for _ in range(ATTEMPTS):
            run = await self._engine.run_in_background(request, requester, gives_way=True)
            if run.ended is None or not is_killed(run.ended):
                return run
        raise Refused("trials", "Visitors needed the slot.", 10)


class _Fix:
    """One fix to test, with its finding and the recording of the original run."""

    def __init__(
        self, recording: Recording, request: Request, findings: list[Finding], index: int, fix: int, *, is_chosen: bool
    ) -> None:
        self.recording = recording
        self.request = request
        self.findings = findings
        self.index = index
        self.finding = findings[index]
        self.fix: Fix = self.finding.fixes[fix]
        self.is_chosen = is_chosen
        """Whether a visitor requested this fix. Such a fix may take the full time of a run."""
        said = f"{self.finding.kind} {index} {self.fix.stand_in} {self.fix.source}"
        self.key = f"{recording.hash} {hashlib.sha256(said.encode()).hexdigest()}"

    def fixed(self, seconds: float) -> Request:
        """The request that runs the fix."""
        asked = msgspec.structs.replace(
            self.request, source=self.fix.source, stand_in=self.request.stand_in or self.fix.stand_in
        )
        if self.is_chosen:
            return asked
        limits = asked.limits
        shorter = msgspec.structs.replace(
            limits,
            wall_seconds=min(limits.wall_seconds, 2 * seconds),
            cpu_seconds=min(limits.cpu_seconds, math.ceil(seconds)),
        )
        return msgspec.structs.replace(asked, limits=shorter)


def _untried(reason: Reason) -> Verdict:
    return Verdict(verdict="untried", reason=reason)
