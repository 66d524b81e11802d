"""The explainers of a server: their number, the order of tasks, and the replacement of explainers that ended."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, cast

import msgspec
import structlog

from app.explain.corrected_records import CorrectedGradients
from app.explain.tried.judge import Question, Verdict
from app.explainers import protocol
from app.explainers.explanation import Explanation
from app.explainers.process import ExplainerDied, Process
from app.explainers.tasks import Decoding, Explaining, Packing, Recorded, Recording, Task, Transcribing
from app.networks import widest_of
from app.questions import asked
from app.questions.posed import Posed
from app.questions.run_end import Ending
from app.sandbox import Run

MOST_PROCESSES: Final = 4
"""Maximum number of explainers. There is one explainer per core up to this limit, because runs also need the cores."""

LEAST_PROCESSES: Final = 2
"""Minimum number of explainers. One explainer takes only small tasks, so that a lesson never waits for a large recording."""

WALL_SECONDS: Final = 30.0
"""Wall-clock limit of a task, for an explainer that evades its limit of processor time."""

WAITING_SECONDS: Final = 10.0
"""Timeout of a task in the queue."""

ABANDONED_SECONDS: Final = 0.2
"""How long a task without waiting clients may continue. A kill would not help earlier, because the start of another process
takes as long."""

MOST_WAITING_BYTES: Final = 256 << 20
"""Maximum bytes of recordings in the queue."""

AGAIN_SECONDS: Final = 1.0
"""Interval of attempts to start an explainer."""


def processes() -> int:
    """How many explainers a server on this machine starts."""
    return max(LEAST_PROCESSES, min(MOST_PROCESSES, len(os.sched_getaffinity(0))))


class Explainers:
    """Runs tasks in processes. Equal concurrent tasks run once. A cancelled caller stops waiting."""

    def __init__(self, count: int, *, wall_seconds: float = WALL_SECONDS, most_waiting_bytes: int = MOST_WAITING_BYTES) -> None:
        self._count = count
        self._wall_seconds = wall_seconds
        self._most_waiting_bytes = most_waiting_bytes
        self._waiting: list[Task] = []
        self._tasks: dict[tuple[int, str], Task] = {}
        """Queued and active tasks, by their keys."""
        self._arrivals = itertools.count()
        self._news = [asyncio.Event() for _ in range(self._count)]
        """One event per lane (an explainer and its successors), which is set when a new task may be available."""
        self._processes: list[Process] = []
        """The current process of each lane."""

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Start all explainers, and end the explainers at the end of the block.

        Raises ExplainerDied if an explainer cannot start.
        """
        started = await asyncio.gather(*(Process.start(news.set) for news in self._news), return_exceptions=True)
        self._processes = [each for each in started if isinstance(each, Process)]
        lanes: list[asyncio.Future[None]] = []
        try:
            for each in started:
                if isinstance(each, BaseException):
                    raise each
            lanes = [asyncio.ensure_future(self._lane(number)) for number in range(self._count)]
            yield
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)
            await asyncio.gather(*(process.close() for process in self._processes))

    @property
    def pids(self) -> list[int]:
        """The process ids of the current explainers."""
        return [process.pid for process in self._processes]

    @property
    def waiting(self) -> int:
        """The number of queued tasks."""
        return len(self._waiting)

    async def record(self, run: Run, requester: str, *, explains: bool = True, explained: Iterable[str] = ()) -> Recorded:
        """The recording of a run, and the results of the finders that finished. Raises NotExplained if the queue is full.

        A recording whose hash is in `explained` is not explained again.
        """
        key = (protocol.RECORD, str(next(self._arrivals)))
        task = partial(Recording, key, run, requester, explains=explains, explained=explained)
        return cast(Recorded, await self._answer(key, task))

    async def explain(self, recording_hash: str, trace: bytes, requester: str) -> Explanation:
        """The explanation of a recording; a partial explanation if time ran out. Raises Unreadable."""
        key = (protocol.EXPLAIN, recording_hash)
        return cast(Explanation, await self._answer(key, lambda: Explaining(key, [trace], requester)))

    async def pack(self, recording_hash: str, trace: bytes, requester: str) -> bytes:
        """The pieces of a recording as gzipped lines. Raises Unreadable and NotExplained."""
        key = (protocol.PACK, recording_hash)
        return cast(bytes, await self._answer(key, lambda: Packing(key, [trace], requester)))

    async def compare(
        self, recording_hash: str, wrong: bytes, preserved: bytes, again: bytes, requester: str
    ) -> CorrectedGradients:
        """The corrected gradients of the recording `wrong`. Raises Unreadable and NotExplained."""
        made = await self._decoded(protocol.COMPARE, recording_hash, [wrong, preserved, again], requester, CorrectedGradients)
        return cast(CorrectedGradients, made)

    async def judge(self, key: str, original: bytes, fixed: bytes, again: bytes, question: Question, requester: str) -> Verdict:
        """The verdict on a fix, from recordings of the original run, the fixed run and, if any, a repetition of the original.

        `key` identifies the fix and the recordings. Raises Unreadable and NotExplained.
        """
        inputs = [original, fixed, again, msgspec.json.encode(question)]
        return cast(Verdict, await self._decoded(protocol.JUDGE, key, inputs, requester, Verdict))

    async def ask(self, recording_hash: str, trace: bytes, question: asked.Question, requester: str) -> Posed | None:
        """A question about a recording with the correct answer; None if the recording does not contain the answer.

        Raises Unreadable and NotExplained.
        """
        written = msgspec.json.encode(question)
        key = f"{recording_hash} {written.decode()}"
        return cast(Posed | None, await self._decoded(protocol.ASK, key, [trace, written], requester, Posed | None))

    async def ending(self, recording_hash: str, trace: bytes, requester: str) -> Ending:
        """The end of the run of a recording, and the values of variables at the end. Raises Unreadable and NotExplained."""
        return cast(Ending, await self._decoded(protocol.END, recording_hash, [trace], requester, Ending))

    async def transcribe(
        self, recording_hash: str, trace: bytes, explanation: Explanation, language: str, requester: str
    ) -> str:
        """A run as text in `language`, in lines of unlimited length. Raises Unreadable and NotExplained."""
        key = (protocol.TRANSCRIBE, f"{recording_hash} {language}")
        inputs = [trace, msgspec.json.encode(explanation), language.encode()]
        return cast(str, await self._answer(key, lambda: Transcribing(key, inputs, requester)))

    async def _decoded(self, kind: int, about: str, inputs: list[bytes], requester: str, answer: Any) -> object:
        key = (kind, about)
        return await self._answer(key, lambda: Decoding(key, inputs, requester, answer))

    async def _answer(self, key: tuple[int, str], make: Callable[[], Task]) -> object:
        """The result of the task with this key. `make` creates the task if no such task exists."""
        task = self._tasks.get(key)
        if task is None:
            task = make()
            self._submit(task)
        task.asking += 1
        try:
            return await asyncio.shield(task.result)
        finally:
            task.asking -= 1
            if not task.asking and not task.result.done():
                task.abandoned.set()
                self._leave(task)

    def _submit(self, task: Task) -> None:
        if self._waiting and sum(each.size for each in self._waiting) + task.size > self._most_waiting_bytes:
            task.refuse()
            return
        task.priority = (
            task.gives_way,
            task.is_large,
            sum(widest_of(each.requester) == widest_of(task.requester) for each in self._tasks.values()),
            next(self._arrivals),
        )
        self._tasks[task.key] = task
        self._waiting.append(task)
        task.overdue = asyncio.get_running_loop().call_later(WAITING_SECONDS, self._overdue, task)
        for news in self._news:
            news.set()

    def _overdue(self, task: Task) -> None:
        if task in self._waiting and not task.goes_on():
            self._leave(task)
            task.cut()

    def _leave(self, task: Task) -> None:
        if task.overdue is not None:
            task.overdue.cancel()  # a running timer would keep the recording alive
        if self._tasks.get(task.key) is task:
            del self._tasks[task.key]
        if task in self._waiting:
            self._waiting.remove(task)

    def _next(self, number: int) -> Task | None:
        """Take the next task of a lane from the queue; None if the queue has no such task.

        The first lane takes no large tasks.
        """
        fitting = [task for task in self._waiting if number or not task.is_large]
        if not fitting:
            return None
        task = min(fitting, key=lambda each: each.priority)
        self._waiting.remove(task)
        return task

    async def _lane(self, number: int) -> None:
        """Run tasks one after the other, and replace the lane's process after its end."""
        news = self._news[number]
        while True:
            if self._processes[number].is_gone:
                await self._replace(number)
            task = self._next(number)
            if task is None:
                news.clear()
                await news.wait()
                continue
            try:
                await self._do(task, self._processes[number])
            finally:
                self._leave(task)
                task.cut()

    async def _do(self, task: Task, process: Process) -> None:
        """Run a task. Kill the process if the task takes too long or no client waits for the result any more."""
        working = asyncio.ensure_future(process.work(task.kind, task.inputs, task.take))
        abandoned = asyncio.ensure_future(task.abandoned.wait())
        try:
            await asyncio.wait({working, abandoned}, timeout=self._wall_seconds, return_when=asyncio.FIRST_COMPLETED)
            if task.abandoned.is_set():
                await asyncio.wait({working}, timeout=ABANDONED_SECONDS)
            if not working.done():
                await process.close()
            await working
        except ExplainerDied as died:
            if not task.abandoned.is_set():
                structlog.get_logger().warning("explainer", ended=str(died), size=task.size, task=type(task).__name__)
        finally:
            abandoned.cancel()
            working.cancel()

    async def _replace(self, number: int) -> None:
        await self._processes[number].close()
        while True:
            try:
                self._processes[number] = await Process.start(self._news[number].set)
                return
            except ExplainerDied as died:
                structlog.get_logger().error("explainer", ended=str(died))
                await asyncio.sleep(AGAIN_SECONDS)
