"""The runs and links of visitors, from the snippet to the document: engine, findings, store, and log entry."""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

import msgspec
import structlog
from cachetools import LRUCache

from app.engine import Engine, EngineUnavailable, Queue, Refused, Withdrawn
from app.explainers import Explanation, Recorded, Unreadable
from app.sandbox import SandboxError
from app.store import (
    Heading,
    Maker,
    QuotaSpent,
    Recording,
    Reporter,
    Snippet,
    Store,
    StoreDamaged,
    StoreError,
    StoreFull,
    request_key,
)
from app.trace.ends import Cancelled, Crashed, Interfered, is_deterministic, is_killed
from app.trace.records import FORMAT, Limits, Request
from app.trace.stored import PIECE_BYTES
from app.web.edge.errors import (
    Problem,
    held_back,
    outdated_recording,
    unknown_run,
    unknown_snippet,
    wrong_token,
)
from app.web.operations.metrics import Metrics
from app.web.runs.documents import Deferred, Json, UnsentDocuments, document, document_apart
from app.web.runs.explanations import Explanations
from app.web.runs.pending_runs import PendingRun
from app.web.runs.recording_lookup import Answers, may_stand
from app.web.runs.recordings import Recordings
from app.web.runs.shown import Parent, Shared, notice_of
from app.web.runs.single_flight import SingleFlight

TOKEN_BYTES: Final = 18

See = Callable[[Recording, Explanation], Awaitable[None]]

MOST_JUDGED: Final = 4096
"""Maximum number of recordings for which the server remembers whether the run ended by accident."""

MOST_UNSENT_BYTES: Final = 256 << 20
"""Maximum bytes of unsent large documents for clients that do not accept pieces."""


class Runs:
    """The operations of the routes that run, store and read snippets. May raise Refused, SandboxErrors and StoreErrors."""

    def __init__(
        self,
        engine: Engine,
        store: Store,
        explanations: Explanations,
        recordings: Recordings,
        answers: Answers,
        limits: Limits,
        versions: Callable[[], str],
        metrics: Metrics,
    ) -> None:
        self._engine = engine
        self._explanations = explanations
        self._packed = recordings
        self._unsent = UnsentDocuments(MOST_UNSENT_BYTES)
        self._explaining: SingleFlight[Explanation | None] = SingleFlight()
        self._store = store
        self._answers = answers
        self._recent = answers.recent
        self._accidents: LRUCache[str, bool] = LRUCache(MOST_JUDGED)
        self._limits = limits
        self._versions = versions
        self._metrics = metrics

    async def run(
        self,
        source: str,
        seed: int,
        stand_in: bool,
        pending: PendingRun,
        *,
        apart: bool = False,
        anew: bool = True,
        see: See | None = None,
    ) -> Json:
        """Run a snippet; return its document as JSON, and a large trace in a separate answer if `apart`.

        With `anew`, the snippet always runs, and the document has the token of its recording. Without `anew`, the result may be
        the latest recording of the same snippet. `see` receives the recording before the creation of the document.
        """
        request = self._request(source, seed, stand_in)
        known = None if anew else await self._answers.latest(request_key(request, self._versions()))
        recording, recorded = (known, None) if known is not None else await self._record(request, pending)
        token = self._answers.token(recording, pending.requester.visitor) if anew else ""
        requester = pending.requester.address
        is_apart = apart and len(recording.trace) > PIECE_BYTES and await self._packed.pack(recording, requester)
        explanation = await self._explanations.of(recording, requester) if recorded is None else recorded.explanation
        await self._recent.settle(recording.hash)  # so that the visitor can share the recording at another web
        if see is not None:
            await see(recording, explanation)
        if is_apart:
            return document_apart(recording.hash, explanation, token)
        made = document(recording.trace, explanation, token)
        if made.is_large and not self._unsent.take(made):
            raise Refused(
                "busy", "The result of this run is large, and the server's memory for unsent large results is full.", 10
            )
        return made

    async def share(
        self, source: str, seed: int, stand_in: bool, token: str | None, heading: Heading, pending: PendingRun
    ) -> tuple[str, str]:
        """Create a link with the recording that `token` names, or else with the latest or a new recording.

        Return the link's id, and the token that deletes the link. Raises Problem (404) if the recording that `token` names is
        gone.
        """
        requester = pending.requester
        maker = Maker(address=requester.address, visitor=requester.visitor, token=secrets.token_urlsafe(TOKEN_BYTES))
        try:
            await self._store.check_quotas(maker)
        except QuotaSpent as spent:
            self._metrics.refused(f"quota_of_{spent.whose}")
            raise
        request = self._request(source, seed, stand_in)
        recording = await self._recorded(request, token, requester.visitor)
        if recording is None:
            recording = await self._record_whole(request, pending)
        if heading.parent is not None and await self._store.snippet(heading.parent) is None:
            heading = msgspec.structs.replace(heading, parent=None)
        snippet_id = await self._store.keep(source, seed, recording, stand_in=stand_in, heading=heading, maker=maker)
        await self._explanations.keep(recording.hash)
        return snippet_id, maker.token

    async def set_heading(self, snippet_id: str, token: str, heading: Heading, notes: dict[str, str] | None) -> None:
        """Write the title, author and optional notes of a link, with its creator's token. Raises Problem (403, 404)."""
        if await self._store.snippet(snippet_id) is None:
            raise unknown_snippet()
        kept = None if notes is None else msgspec.json.encode(notes).decode() if notes else ""
        title, author = heading.title, heading.author
        if not await self._store.links.set_heading(snippet_id, token, title=title, author=author, notes=kept):
            raise wrong_token()

    async def report(self, snippet_id: str, reporter: Reporter, reason: str) -> None:
        """Store a visitor's report of a link. Raises Problem (404, 410)."""
        await self._open_link(snippet_id)
        try:
            await self._store.reports.add(snippet_id, reporter, reason)
        except QuotaSpent:
            self._metrics.refused("quota_of_reports")
            raise

    async def delete(self, snippet_id: str, token: str) -> str:
        """Delete a link with its creator's token; return the hash of its recording. Raises Problem (403, 404)."""
        snippet = await self._store.snippet(snippet_id)
        if snippet is None:
            raise unknown_snippet()
        if not await self._store.links.delete_by_token(snippet_id, token):
            raise wrong_token()
        await self._packed.forget_unshown(snippet.recording)
        return snippet.recording

    async def shared(self, snippet_id: str, pending: PendingRun, *, apart: bool = False, again: bool = True) -> Json:
        """The content of a link, as JSON. Raises Problem (404, 410).

        The snippet is recorded again if the trace format has changed, or if its run ended by accident and is not `chosen`.
        Without `again` the snippet never runs: the result shows an accidental end, and an unreadable recording raises Problem
        (409).
        """
        snippet = await self.kept(snippet_id)
        recorded_again = snippet.recorded_again
        anew = await self._anew(snippet, pending) if again and await self._is_by_accident(snippet) else None
        shown = None if anew is not None else await self._shown(snippet, pending.requester.address, apart=apart)
        if shown is None:
            if not again:
                raise outdated_recording()
            recording, recorded_again = anew or await self._recorded_again(snippet, pending)
            explanation = await self._explanations.of(recording, pending.requester.address)
            await self._explanations.keep(recording.hash)
            is_apart = apart and explanation.trace_bytes > PIECE_BYTES
            shown = document_apart(recording.hash, explanation) if is_apart else document(recording.trace, explanation)
        fields = Shared(
            id=snippet.id,
            source=snippet.source,
            seed=snippet.seed,
            notice=notice_of(recorded_again),
            stand_in=snippet.stand_in,
            title=snippet.title,
            author=snippet.author,
            notes=msgspec.json.decode(snippet.notes or "{}", type=dict[str, str]),
            parent=await self._parent(snippet),
        )
        head = msgspec.json.encode(fields)[:-1] + b',"document":'
        return Json(head, *shown.parts, b"}")

    async def document_of(self, snippet_id: str, requester: str) -> tuple[Snippet, Json]:
        """A link and its document, without a run. Raises Problem (404, 409, 410)."""
        snippet = await self.kept(snippet_id)
        shown = await self._shown(snippet, requester, apart=False)
        if shown is None:
            raise outdated_recording()
        return snippet, shown

    def seconds_of(self, recording_hash: str) -> float | None:
        """The duration of a recording's run; None if the duration is not cached."""
        return self._recent.seconds_of(recording_hash)

    async def recorded(
        self, source: str, seed: int, stand_in: bool, token: str | None, visitor: str
    ) -> tuple[Recording, Request]:
        """The recording that `token` names, or else the latest recording with a deterministic end; and the recorded request.

        The snippet never runs. Raises Problem (404).
        """
        request = self._request(source, seed, stand_in)
        recording = await self._recorded(request, token, visitor)
        if recording is None:
            raise unknown_run()
        return recording, request

    async def recorded_for(self, snippet_id: str) -> tuple[Recording, Request] | None:
        """The recording of a link in this format, without a run. Raises Problem (404)."""
        snippet = await self.kept(snippet_id)
        recording = await self._readable(snippet)
        request = self._request(snippet.source, snippet.seed, snippet.stand_in)
        return None if recording is None else (recording, request)

    async def _open_link(self, snippet_id: str) -> Snippet:
        """The snippet of a link, which must exist and not be held. Raises Problem (404, 410)."""
        snippet = await self._store.snippet(snippet_id)
        if snippet is None:
            raise unknown_snippet()
        if snippet.held is not None:
            raise held_back()
        return snippet

    async def kept(self, snippet_id: str) -> Snippet:
        """The stored snippet with this id. The call counts as a visit. Raises Problem (404, 410)."""
        snippet = await self._open_link(snippet_id)
        try:
            await self._store.links.visit(snippet)
        except StoreError as error:  # if the visit cannot be counted, the link is still shown
            structlog.get_logger().warning("visit not recorded", error=str(error))
        return snippet

    async def _parent(self, snippet: Snippet) -> Parent | None:
        parent = None if snippet.parent is None else await self._store.snippet(snippet.parent)
        if parent is None or parent.held is not None:
            return None
        return Parent(id=parent.id, title=parent.title, author=parent.author)

    async def _recorded(self, request: Request, token: str | None, visitor: str) -> Recording | None:
        """The recording that `token` names or, without a token, the latest recording with a deterministic end.

        Raises Problem (404) if `token` names no recording that is still available.
        """
        key = request_key(request, self._versions())
        return await (self._answers.latest(key) if token is None else self._answers.named(token, key, visitor))

    async def _is_by_accident(self, snippet: Snippet) -> bool:
        """Whether an older link shows an accidental end that its sharer did not choose."""
        if snippet.chosen:
            return False
        known = self._accidents.get(snippet.recording)
        if known is None:
            recording = await self._readable(snippet)
            known = recording is not None and not may_stand(recording)
            self._accidents[snippet.recording] = known
        return known

    async def _recorded_again(self, snippet: Snippet, pending: PendingRun) -> tuple[Recording, datetime]:
        """Run a link's snippet again, and store the recording for the link. Return the recording and the time of storing."""
        recording = await self._record_whole(self._request(snippet.source, snippet.seed, snippet.stand_in), pending)
        return recording, await self._store.keep_again(snippet.id, recording)

    async def _anew(self, snippet: Snippet, pending: PendingRun) -> tuple[Recording, datetime] | None:
        """Like `_recorded_again`; None if the snippet cannot be run or stored now.

        In this case the link shows its old recording.
        """
        try:
            return await self._recorded_again(snippet, pending)
        except (Refused, SandboxError, StoreFull, Withdrawn) as error:
            structlog.get_logger().warning("link not recorded again", snippet=snippet.id, error=str(error))
            return None

    async def _shown(self, snippet: Snippet, requester: str, *, apart: bool) -> Json | None:
        """The document of a link; None if the recording is no longer readable."""
        if not self._is_current(snippet):
            return None
        explanation = await self._explanations.kept(snippet.recording)
        if explanation is None:
            asked = self._explaining.result(snippet.recording, lambda: self._explained(snippet, requester))
            explanation = await asked
        if explanation is None:
            return None
        if explanation.trace_bytes > PIECE_BYTES:  # deferred, because otherwise each waiting request would have a copy
            deferred = Deferred(explanation.trace_bytes, lambda: self._trace(snippet))
            return document_apart(snippet.recording, explanation) if apart else document(deferred, explanation)
        recording = await self._readable(snippet)
        return None if recording is None else document(recording.trace, explanation)

    async def _explained(self, snippet: Snippet, requester: str) -> Explanation | None:
        """The explanation of a link's recording, which this method also stores; None if the recording is no longer readable."""
        recording = await self._readable(snippet)
        if recording is None:
            return None
        try:
            explanation = await self._explanations.of(recording, requester)
        except Unreadable as error:
            structlog.get_logger().warning("recording is unreadable", recording=recording.hash, error=str(error))
            return None
        await self._explanations.keep(recording.hash)
        return explanation

    async def _trace(self, snippet: Snippet) -> bytes:
        return (await self._store.recording(snippet.recording)).trace

    def _is_current(self, snippet: Snippet) -> bool:
        """Whether the recording has this version's format. Raises Problem (503) if the format is newer than this version's."""
        if snippet.format > FORMAT:
            message = "This link was recorded by a newer version of Stepgrad."
            raise Problem(503, "newer_recording", message, "Tell the operator of this server.")
        return snippet.format == FORMAT

    async def _readable(self, snippet: Snippet) -> Recording | None:
        """The recording of a link; None if the recording is damaged or has an older format."""
        if not self._is_current(snippet):
            return None
        try:
            return await self._store.recording(snippet.recording)
        except StoreDamaged as damage:
            structlog.get_logger().warning("recording is damaged", snippet=snippet.id, error=str(damage))
            return None

    async def _record_whole(self, request: Request, pending: PendingRun) -> Recording:
        """The recording of a run for a link. A run that was stopped or killed is not used.

        Raises Withdrawn if the run was stopped, and EngineUnavailable if the run was killed.
        """
        recording, recorded = await self._record(request, pending)
        if isinstance(recorded.ended, Cancelled):
            raise Withdrawn
        if is_killed(recorded.ended):
            raise EngineUnavailable("run_lost")
        return recording

    async def _record(self, request: Request, pending: PendingRun) -> tuple[Recording, Recorded]:
        recording, recorded, seconds = await self._run(request, pending)
        self._recent.add(recording, seconds, is_answer=is_deterministic(recorded.ended))
        return recording, recorded

    async def _run(self, request: Request, pending: PendingRun) -> tuple[Recording, Recorded, float]:
        """Run a request. Return the recording and its wall-clock seconds. Log and count the run, regardless of its end."""
        queue = self._engine.queue_of(request)
        try:
            with self._metrics.asked(queue, pending):
                run = await self._engine.run(request, pending.requester, pending)
            key = request_key(request, self._versions())
            recording, recorded = await self._explanations.record(run, key, pending.requester.address)
        except Refused as refused:
            self._metrics.refused(refused.reason)
            raise
        except (asyncio.CancelledError, Withdrawn, SandboxError) as error:
            if isinstance(error, EngineUnavailable) and error.kind != "run_lost" and pending.is_waiting:  # no run has begun
                self._metrics.refused(error.kind)
                raise
            outcome = {asyncio.CancelledError: "gone", Withdrawn: "withdrawn"}.get(type(error), "failed")
            self._ended(queue, outcome, pending, {"wall_seconds": round(pending.ran_seconds, 4)}, is_alarm=False)
            raise
        ended = recorded.ended
        is_alarm = isinstance(ended, Interfered) or (isinstance(ended, Crashed) and ended.name == "SIGSYS")
        cost = {name: round(value, 4) for name, value in msgspec.to_builtins(run.cost).items()}
        self._ended(queue, str(ended.__struct_config__.tag), pending, cost, is_alarm=is_alarm, steps=recorded.steps)
        return recording, recorded, run.cost.wall_seconds

    def _ended(
        self, queue: Queue, ended: str, pending: PendingRun, cost: dict[str, float], *, is_alarm: bool, **more: int
    ) -> None:
        """Write the audit log entry of a run, without the snippet's code. `is_alarm` marks an end that only attacks cause."""
        self._metrics.ended(queue, ended, pending.waited_seconds, pending.ran_seconds)
        log = structlog.get_logger()
        (log.warning if is_alarm else log.info)(
            "run",
            run=pending.id,
            visitor=hashlib.sha256(pending.requester.visitor.encode()).hexdigest()[:12],
            address=pending.requester.address,
            ended=ended,
            waited_seconds=round(pending.waited_seconds, 4),
            cost=cost,
            **more,
        )

    def _request(self, source: str, seed: int, stand_in: bool) -> Request:
        return Request(source=source, seed=seed, limits=self._limits, stand_in=stand_in)
