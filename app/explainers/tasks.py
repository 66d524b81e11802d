"""What an explainer can be asked for: how each answer is put together from frames that are not believed."""

import asyncio
from typing import Any, Final

import msgspec
import structlog

from app.explain import Part
from app.explain.corrected.gradients import CorrectedGradients
from app.explain.findings import FINDERS
from app.explain.reading.end_arguments import end_arguments
from app.explain.tried.judge import Verdict
from app.explainers import protocol
from app.explainers.explanation import Explanation, Unreadable
from app.questions.posed import Posed
from app.questions.run_end import Ending
from app.trace.codec import ended_of, files_of

LARGE_BYTES: Final = 64 << 10
"""Bytes of recordings from which on a task is large. The largest lesson has 38 KB; a snippet of 64 KiB takes 240 ms to parse and to
look through."""

MOST_ANSWER: Final = 128 << 20
"""Bytes of frames that answer one task: a recording of random numbers is hardly smaller when it is packed."""


MOST_TEXT_BYTES: Final = 4 * 3 * protocol.MOST_CHARACTERS
"""Of a text: two parts of so many characters, and what stands around them."""


class NotExplained(Exception):
    """There is no answer: there was no room or no time, or the explainer ended. Another try may bring one."""


class Forged(ValueError):
    """A frame that no explainer of ours sends."""


class Task:
    """One task for all clients that request it. `result` is its result, an Unreadable or a NotExplained."""

    kind: int
    gives_way = False
    """Whether all others go first."""

    def __init__(self, key: tuple[int, str], inputs: list[bytes], requester: str) -> None:
        self.key = key
        self.inputs = inputs
        self.requester = requester
        self.size = sum(map(len, inputs))
        self.asking = 0
        """The number of waiting clients."""
        self.place = (False, False, 0, 0)
        """The lowest goes first: small tasks before large ones, then clients with fewer tasks, then earlier requests."""
        self.result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.overdue: asyncio.TimerHandle | None = None
        """When it has waited for long enough."""
        self.abandoned = asyncio.Event()
        """Set when no client waits any more."""
        self._taken = 0

    @property
    def is_large(self) -> bool:
        """Whether it may keep a small one waiting."""
        return self.size > LARGE_BYTES

    def take(self, kind: int, payload: bytes) -> bool:
        """Take one frame; whether it was the last. Raises Forged."""
        self._taken += len(payload)
        if self._taken > MOST_ANSWER:
            raise Forged("an explainer sends more than any answer has")
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
        """No more frames will arrive."""
        self._fail(NotExplained())

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
            self.result.exception()  # the clients may have gone


class Explaining(Task):
    """The results of all finders about one recording; finders without a result are marked as missing."""

    kind = protocol.EXPLAIN

    def __init__(self, key: tuple[int, str], inputs: list[bytes], requester: str) -> None:
        super().__init__(key, inputs, requester)
        self._parts: list[Part] = []

    def cut(self) -> None:
        self._settle()

    def _take(self, kind: int, payload: bytes) -> None:
        if kind != protocol.PART or len(self._parts) == len(FINDERS):
            raise Forged(f"a frame of kind {kind} is no part of an explanation")
        try:
            self._parts.append(_PART.decode(payload))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Forged(f"a part of an explanation cannot be read ({error})") from error

    def _settle(self) -> None:
        (trace,) = self.inputs
        explanation = Explanation(
            trace_bytes=len(trace),
            findings=[finding for part in self._parts for finding in part.findings],
            unfinished=len(FINDERS) - sum(part.is_finished for part in self._parts),
            end_arguments=end_arguments(ended_of(trace), files_of(trace)),
            was_cut=len(self._parts) < len(FINDERS),
        )
        self._answer(explanation)


class _Collecting(Task):
    """An answer of bytes."""

    def __init__(self, key: tuple[int, str], inputs: list[bytes], requester: str) -> None:
        super().__init__(key, inputs, requester)
        self._some: list[bytes] = []

    def _take(self, kind: int, payload: bytes) -> None:
        if kind != protocol.SOME:
            raise Forged(f"a frame of kind {kind} is no part of this answer")
        self._some.append(payload)


class Packing(_Collecting):
    """The pieces of a recording as lines, packed by gzip. Browsers read these bytes; the server does not."""

    kind = protocol.PACK

    def _settle(self) -> None:
        self._answer(b"".join(self._some))


class Transcribing(_Collecting):
    """A run as text."""

    kind = protocol.TELL
    gives_way = True

    @property
    def is_large(self) -> bool:
        """Yes: for its first text a process parses the catalogue, which takes a second, and no small recording waits for that."""
        return True

    def _take(self, kind: int, payload: bytes) -> None:
        super()._take(kind, payload)
        if self._taken > MOST_TEXT_BYTES:
            raise Forged("an explainer sends more than any text has")

    def _settle(self) -> None:
        try:
            self._answer(b"".join(self._some).decode())
        except UnicodeDecodeError as error:
            raise Forged(f"a text cannot be read ({error})") from error


class _Decoding(_Collecting):
    """An answer of JSON."""

    decoder: msgspec.json.Decoder[Any]

    def _settle(self) -> None:
        try:
            self._answer(self.decoder.decode(b"".join(self._some)))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Forged(f"the answer of a {type(self).__name__} cannot be read ({error})") from error


class Comparing(_Decoding):
    """The corrected gradients of a run."""

    kind = protocol.COMPARE
    decoder = msgspec.json.Decoder(CorrectedGradients)


class Judging(_Decoding):
    """The verdict on a fix."""

    kind = protocol.JUDGE
    gives_way = True
    decoder = msgspec.json.Decoder(Verdict)


class Asking(_Decoding):
    """A question with its truth."""

    kind = protocol.ASK
    decoder = msgspec.json.Decoder(Posed | None)


class Ended(_Decoding):
    """How a run ended, to compare it with others."""

    kind = protocol.END
    decoder = msgspec.json.Decoder(Ending)


_PART: Final = msgspec.json.Decoder(Part)
