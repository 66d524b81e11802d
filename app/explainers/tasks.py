"""The tasks of an explainer. Each task assembles its result from untrusted frames."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import structlog

from app.explain import Part
from app.explain.findings import FINDERS
from app.explain.reading.end_arguments import end_arguments
from app.explainers import protocol
from app.explainers.explanation import Account, Explanation, Unreadable
from app.sandbox import Run
from app.sandbox.run import overruled
from app.trace import ends
from app.trace.stored import MAX_TRACE_BYTES, ended_of, stored

LARGE_BYTES: Final = 64 << 10
"""Bytes of recordings above which a task is large.

The largest lesson has 38 KB; the parse and the search of a snippet of 64 KiB take 240 ms.
"""

MOST_ANSWER: Final = 128 << 20
"""Maximum bytes of frames of one result. A recording of random numbers hardly becomes smaller by compression."""


MOST_TEXT_BYTES: Final = 4 * 3 * protocol.MOST_CHARACTERS
"""Maximum bytes of a text: two parts with the maximum number of characters, and the text around these parts."""


class NotExplained(Exception):
    """The task has no result, because the queue was full, time ran out, or the explainer ended. A later attempt may succeed."""


class Forged(ValueError):
    """An explainer sent an invalid frame."""


class Task:
    """One task for all clients that request the same result. `result` resolves to the result or raises Unreadable or
    NotExplained."""

    gives_way = False
    """Whether all other tasks have priority."""

    def __init__(self, key: tuple[int, str], inputs: list[bytes], requester: str) -> None:
        self.key = key
        self.kind = key[0]
        self.inputs = inputs
        self.requester = requester
        self.size = sum(map(len, inputs))
        self.asking = 0
        """The number of waiting clients."""
        self.priority = (False, False, 0, 0)
        """Explainers take the task with the smallest tuple first: small before large tasks, then clients with fewer tasks, then
        earlier requests."""
        self.result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.overdue: asyncio.TimerHandle | None = None
        """The timer of the task's timeout in the queue."""
        self.abandoned = asyncio.Event()
        """Set when no client waits for the result any more."""
        self._taken = 0

    @property
    def is_large(self) -> bool:
        """Whether the explainer of small tasks must not take this task."""
        return self.size > LARGE_BYTES

    def take(self, kind: int, payload: bytes) -> bool:
        """Process one frame; return whether this frame was the last. Raises Forged."""
        self._taken += len(payload)
        if self._taken > MOST_ANSWER:
            raise Forged("the result is too large")
        if kind == protocol.DONE and not payload:
            self._settle()
        elif kind == protocol.UNREADABLE:
            self._fail(Unreadable(payload[:200].decode(errors="replace")))
        elif kind == protocol.FAILED:
            structlog.get_logger().error("bug", explainer=payload[:5000].decode(errors="replace"))
            self.cut()
        else:
            self._take(kind, payload)
            return False
        return True

    def cut(self) -> None:
        """Set the result of the task from the received frames, because no more frames will arrive."""
        self._fail(NotExplained())

    def refuse(self) -> None:
        """Set the result of the task without an explainer, because the queue is full."""
        self.cut()

    def goes_on(self) -> bool:
        """Return whether the task stays in the queue after its timeout."""
        return False

    def _take(self, kind: int, payload: bytes) -> None:
        raise NotImplementedError

    def _settle(self) -> None:
        raise NotImplementedError

    def _answer(self, result: object) -> None:
        if not self.result.done():
            self.result.set_result(result)

    def _fail(self, error: Exception) -> None:
        if not self.result.done():
            self.result.set_exception(error)
            self.result.exception()  # marks the exception as retrieved, because the clients may be gone


class Explaining(Task):
    """The results of all finders about one recording. Finders without a result are marked as missing."""

    def __init__(self, key: tuple[int, str], inputs: list[bytes], requester: str) -> None:
        super().__init__(key, inputs, requester)
        self._parts: list[Part] = []

    def cut(self) -> None:
        self._settle()

    def _take(self, kind: int, payload: bytes) -> None:
        if kind != protocol.PART or len(self._parts) == len(FINDERS):
            raise Forged(f"an explanation cannot contain a frame of kind {kind}")
        try:
            self._parts.append(_PART.decode(payload))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Forged(f"a part of an explanation is invalid ({error})") from error

    def _settle(self) -> None:
        (trace,) = self.inputs
        self._answer(self._explanation(trace, ended_of(trace)))

    def _explanation(self, trace: bytes, ended: ends.Ended) -> Explanation:
        return Explanation(
            trace_bytes=len(trace),
            findings=[finding for part in self._parts for finding in part.findings],
            unfinished=len(FINDERS) - sum(part.is_finished for part in self._parts),
            end_arguments=end_arguments(ended),
            was_cut=len(self._parts) < len(FINDERS),
        )


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The result of recording a run: the recording and its explanation."""

    trace: bytes
    ended: ends.Ended
    steps: int
    explanation: Explanation


class Recording(Explaining):
    """The recording of a run, followed by the results of all finders.

    If the explainer dies after the recording, only the explanation is cut. If the explainer dies earlier, the run ends as
    Interfered. The server never takes the source, the header, or an end that the server determined from the explainer.
    """

    def __init__(self, key: tuple[int, str], run: Run, requester: str, *, explains: bool, explained: Iterable[str]) -> None:
        inputs = [msgspec.json.encode(run.outline), run.output, run.payloads, " ".join(explained).encode()]
        super().__init__(key, inputs, requester)
        self.kind = protocol.RECORD_AND_EXPLAIN if explains else protocol.RECORD
        self._run = run
        self._tables: list[bytes] = []
        self._account: Account | None = None

    def take(self, kind: int, payload: bytes) -> bool:
        if kind == protocol.UNREADABLE:
            raise Forged("an unreadable run must end as Interfered")
        return super().take(kind, payload)

    def refuse(self) -> None:
        self._fail(NotExplained())

    def goes_on(self) -> bool:
        """Drop the explanation and keep the task in the queue, because a run has no other recording."""
        self.kind = protocol.RECORD
        return True

    def _take(self, kind: int, payload: bytes) -> None:
        if self._account is not None:
            super()._take(kind, payload)
        elif kind == protocol.RECORDED:
            self._account = self._believed(payload)
        elif kind == protocol.SOME and self._taken <= MAX_TRACE_BYTES:
            self._tables.append(payload)
        else:
            raise Forged(f"a recording contains no frame of kind {kind} after {self._taken} bytes")

    def _believed(self, payload: bytes) -> Account:
        """Decode the Account, and check its end against the server's information about the run. Raises Forged."""
        try:
            account = _ACCOUNT.decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Forged(f"an account of a recording is invalid ({error})") from error
        ended, decided = account.ended, self._run.ended
        too_large = ends.TraceTooLarge(limit_bytes=self._run.outline.header.limits.trace_bytes)
        is_reported = decided is None and ended.__struct_config__.tag == self._run.reported
        if not (is_reported or isinstance(ended, ends.Interfered) or ended in (decided, overruled(decided, too_large))):
            raise Forged(f"the run cannot have ended as {ended.__struct_config__.tag}")
        return account

    def _settle(self) -> None:
        account, tables = self._account, self._tables
        if account is None:
            reason = "The recording of this run could not be read, because the process that decodes it failed."
            account, tables = Account(ended=overruled(self._run.ended, ends.Interfered(reason=reason)), steps=0), []
        trace = stored(self._run.outline, tables, account.ended)
        explanation = self._explanation(trace, account.ended)
        self._answer(Recorded(trace=trace, ended=account.ended, steps=account.steps, explanation=explanation))


class _Collecting(Task):
    """A task that returns bytes."""

    def __init__(self, key: tuple[int, str], inputs: list[bytes], requester: str) -> None:
        super().__init__(key, inputs, requester)
        self._some: list[bytes] = []

    def _take(self, kind: int, payload: bytes) -> None:
        if kind != protocol.SOME:
            raise Forged(f"this result contains no frame of kind {kind}")
        self._some.append(payload)


class Packing(_Collecting):
    """The pieces of a recording as gzipped lines. Browsers decode these bytes; the server does not."""

    def _settle(self) -> None:
        self._answer(b"".join(self._some))


class Transcribing(_Collecting):
    """A task that returns a run as text."""

    gives_way = True

    @property
    def is_large(self) -> bool:
        """Always true. A process parses the catalogue for a second before its first text, and small recordings must not wait."""
        return True

    def _take(self, kind: int, payload: bytes) -> None:
        super()._take(kind, payload)
        if self._taken > MOST_TEXT_BYTES:
            raise Forged("the text is too large")

    def _settle(self) -> None:
        try:
            self._answer(b"".join(self._some).decode())
        except UnicodeDecodeError as error:
            raise Forged(f"a string is not valid UTF-8 ({error})") from error


class Decoding(_Collecting):
    """A task that returns JSON of the type `answer`."""

    def __init__(self, key: tuple[int, str], inputs: list[bytes], requester: str, answer: Any) -> None:
        super().__init__(key, inputs, requester)
        self.gives_way = self.kind == protocol.JUDGE
        self._type = answer

    def _settle(self) -> None:
        try:
            self._answer(msgspec.json.decode(b"".join(self._some), type=self._type))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Forged(f"the result of task {self.kind} is invalid ({error})") from error


_ACCOUNT: Final = msgspec.json.Decoder(Account)
_PART: Final = msgspec.json.Decoder(Part)
