"""The engine of a web whose runs go to workers: a place in the order, and one run handed over, listened to, stopped."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, cast

import structlog
from redis.asyncio import Redis
from redis.exceptions import OutOfMemoryError, ResponseError

from app.engine import Admitting, EngineUnavailable, Progress, Queue, Refused, Requester, Watcher, Withdrawn
from app.fleet import names, scripts
from app.fleet.answer import Answer, WorkerFailed
from app.fleet.connection import TROUBLE, AnswerTooLarge
from app.fleet.messages import NotBelieved
from app.fleet.names import Keys
from app.fleet.workers import Announced, Workers
from app.sandbox import Run
from app.trace.codec import encode_request
from app.trace.ends import Cancelled, WorkerStopped
from app.trace.records import Request

LISTEN_MILLISECONDS: Final = 250
"""How long to listen before asking whether the worker lives."""

WORDS_AT_ONCE: Final = 4
"""Of a reply: each has at most 512 KiB, and an answer of Redis 4 MiB."""

AGAIN_SECONDS: Final = 0.02
"""Between two attempts to hand over a run for which no worker has a place just now, though it was announced."""

LONGEST_SECONDS: Final = 120.0
"""What a run may take beyond its clock on the wall: a worker that says nothing of its end for so long is believed no more."""


MOST_TIMES: Final = 3
"""A run whose worker dies before it claims it is handed to another one; so often in all."""


class FleetEngine:
    """Runs in whichever worker has announced a free place. A run that may have been claimed is handed over no more."""

    def __init__(self, redis: Redis, keys: Keys, admission: Admitting, workers: Workers) -> None:
        self.admission = admission
        self._redis = redis
        self._keys = keys
        self._workers = workers
        self._going: Counter[str] = Counter()
        """Runs of this web, by worker."""
        self._ended: dict[str, Counter[str]] = {}
        """The same by how they ended, of workers that live."""
        self._stopping: set[asyncio.Task[None]] = set()

    async def run(self, request: Request, requester: Requester, watcher: Watcher) -> Run:
        """Run `request` in a worker as soon as there is a place."""
        await self._refuse_without_workers()
        try:
            async with self.admission.place(requester, watcher.queued, watcher.stop):
                return await self._run(watcher.id, request, watcher.running, watcher.stop)
        except Refused:
            await self._refuse_without_workers()  # those who waited until there was none hear the reason
            raise

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """Run `request` in a worker once nobody else waits for the place. Raises EngineUnavailable where its worker stops."""
        await self._refuse_without_workers()
        async with self.admission.spare(requester) as wanted:
            try:
                run = await self._run(secrets.token_hex(8), request, lambda _: None, wanted if gives_way else None)
            except Withdrawn:
                raise Refused("spare", "There was no place to spare.", 10) from None
        if isinstance(run.trace.ended, WorkerStopped):
            raise EngineUnavailable("run_lost")
        return run

    def queue_of(self, request: Request) -> Queue:
        """The only one."""
        return self._keys.name

    async def close(self) -> None:
        """Wait until every worker has been told what to stop."""
        if self._stopping:
            await asyncio.wait(self._stopping)

    async def _refuse_without_workers(self) -> None:
        if self._workers.trouble == "no_worker":
            await self._workers.look()  # one may have come since the last look, and its operator was told that it is up
        if self._workers.trouble is not None:
            raise EngineUnavailable(self._workers.trouble)

    def ended(self, worker: str) -> Counter[str]:
        """How many runs of this web ended how in a worker that lives."""
        return self._ended.get(worker, Counter())

    def _count(self, worker: str, ended: str) -> None:
        live = {each.id for each in self._workers.usable}
        self._ended = {each: counts for each, counts in self._ended.items() if each in live}
        if worker in live:
            self._ended.setdefault(worker, Counter())[ended] += 1

    async def _run(
        self, asked: str, request: Request, on_progress: Callable[[Progress], None], stop: asyncio.Future[None] | None
    ) -> Run:
        """Hand it over and listen to its end. Raises EngineUnavailable, Refused and Withdrawn."""
        try:
            async with asyncio.timeout(self.admission.capacity.queue_seconds + request.limits.wall_seconds + LONGEST_SECONDS):
                for _ in range(MOST_TIMES):
                    try:
                        return await self._run_once(asked, request, on_progress, stop)
                    except _Unclaimed as unclaimed:
                        structlog.get_logger().warning("not claimed", run=asked, worker=unclaimed.worker)
                raise EngineUnavailable("run_lost")
        except (NotBelieved, WorkerFailed, TimeoutError) as error:
            structlog.get_logger().warning("worker", run=asked, told=str(error), error=type(error).__name__)
            raise EngineUnavailable("run_lost") from error

    async def _run_once(
        self, asked: str, request: Request, on_progress: Callable[[Progress], None], stop: asyncio.Future[None] | None
    ) -> Run:
        """The same with one worker. Raises _Unclaimed as well."""
        handed = await self._hand_over(names.new_run(asked), request, stop)
        structlog.get_logger().info("handed over", run=asked, worker=handed.worker.id)
        ended = "lost"
        try:
            run = await self._listen(handed, Answer(request, handed.worker.told, on_progress), stop)
            ended = str(run.trace.ended.__struct_config__.tag)
            return run
        except asyncio.CancelledError:
            ended = "gone"
            raise
        finally:
            self._going[handed.worker.id] -= 1
            self._count(handed.worker.id, ended)

    # --- handing over ---------------------------------------------------------------------------------------------------

    async def _hand_over(self, run: str, request: Request, stop: asyncio.Future[None] | None) -> "_Handed":
        """Give it to the worker that is least busy. The place of this run is held meanwhile, so the queue there stays short."""
        secret = secrets.token_hex(16)
        payload = encode_request(request)
        until = asyncio.get_running_loop().time() + self.admission.capacity.queue_seconds
        while asyncio.get_running_loop().time() < until:
            await self._refuse_without_workers()
            if stop is not None and stop.done():
                raise Withdrawn
            for worker in sorted(self._workers.usable, key=lambda worker: self._going[worker.id] / worker.places):
                handed = _Handed(self._keys, run, secret, worker)
                self._going[worker.id] += 1
                try:
                    if await self._ask(scripts.HAND_OVER, handed.keys, run, payload, handed.reply):
                        return handed
                except BaseException:
                    self._going[worker.id] -= 1
                    self._stop_soon(handed)  # it may be there all the same
                    raise
                self._going[worker.id] -= 1
            await asyncio.sleep(AGAIN_SECONDS)
        raise Refused("wait", "No worker has come free in time.", 10)

    # --- listening ------------------------------------------------------------------------------------------------------

    async def _listen(self, handed: "_Handed", answer: Answer, stop: asyncio.Future[None] | None) -> Run:
        def cancel(_: asyncio.Future[None]) -> None:
            self._stop_soon(handed, withdraw=True)

        if stop is not None:
            stop.add_done_callback(cancel)
        try:
            await self._take_words(handed, answer)
            return await answer.run()
        finally:
            if stop is not None:
                stop.remove_done_callback(cancel)
            if not answer.has_ended:
                self._stop_soon(handed)
            self._forget_soon(handed)

    async def _take_words(self, handed: "_Handed", answer: Answer) -> None:
        """Until its end, or its worker's. Raises NotBelieved, WorkerFailed, EngineUnavailable and _Unclaimed."""
        latest, lives = b"0", True
        while not answer.is_over:
            words = await self._words(handed, latest, LISTEN_MILLISECONDS if lives else None)
            for name, fields in words:
                latest = name
                if len(fields) != 1:
                    raise NotBelieved(f"a word of the worker {handed.worker.id} has {len(fields)} kinds")
                answer.take(*next(iter(fields.items())))
                await asyncio.sleep(0)  # to decode one may take 30 ms
            if handed.is_withdrawn:
                answer.stopped = answer.stopped or Cancelled()
            elif not words and not lives:
                await self._refuse_where_full()
                if await self._withdraw(handed):
                    raise _Unclaimed(handed.worker.id)
                return
            elif not words:
                lives = bool(await self._ask(scripts.LIVES, handed.keys[:3], handed.run))

    async def _refuse_where_full(self) -> None:
        """Raises EngineUnavailable where a worker gave its run up because Redis took no more words of it."""
        await self._workers.look()
        if self._workers.trouble == "queue_full":
            raise EngineUnavailable("queue_full")

    async def _words(self, handed: "_Handed", latest: bytes, block: int | None) -> list[tuple[bytes, dict[bytes, bytes]]]:
        """The next words of a reply, after those that were taken; each its payload by its kind."""
        streams: Any = {handed.reply: latest}
        told = await self._command(lambda: self._redis.xread(streams, count=WORDS_AT_ONCE, block=block))
        return told[0][1] if told else []

    # --- stopping -------------------------------------------------------------------------------------------------------

    def _stop_soon(self, handed: "_Handed", *, withdraw: bool = False) -> None:
        async def stop() -> None:
            if await self._withdraw(handed) and withdraw:
                handed.is_withdrawn = True

        self._soon(stop)

    async def _withdraw(self, handed: "_Handed") -> bool:
        """Whether nobody has claimed it, and nobody will; else its worker is told to stop it."""
        keys = (self._keys.request(handed.worker.id, handed.run), self._keys.control(handed.worker.id))
        return bool(await self._ask(scripts.STOP, keys, handed.run))

    def _forget_soon(self, handed: "_Handed") -> None:
        async def forget() -> None:
            await self._command(lambda: self._redis.unlink(handed.reply))

        self._soon(forget)

    def _soon(self, work: Callable[[], Any]) -> None:
        """Do it beside whatever goes on; it is only said to be nice, for what nobody listens to dies by itself."""

        async def do() -> None:
            try:
                await work()
            except (EngineUnavailable, NotBelieved):
                pass

        task = asyncio.create_task(do())
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)

    # --- Redis ----------------------------------------------------------------------------------------------------------

    async def _ask(self, script: str, keys: tuple[str, ...], *arguments: str | bytes) -> Any:
        return await self._command(lambda: cast("Any", self._redis.eval(script, len(keys), *keys, *arguments)))

    async def _command(self, send: Callable[[], Any]) -> Any:
        """What Redis answers. Raises EngineUnavailable, or NotBelieved where the answer is none that is read."""
        try:
            return await send()
        except OutOfMemoryError:
            raise EngineUnavailable("queue_full") from None
        except (AnswerTooLarge, ResponseError) as error:
            raise NotBelieved(str(error)) from error
        except TROUBLE as error:
            structlog.get_logger().warning("redis", error=type(error).__name__)
            raise EngineUnavailable("queue_unavailable") from error


class _Unclaimed(Exception):
    """The worker is gone, and has not claimed the run; it never will."""

    def __init__(self, worker: str) -> None:
        super().__init__(worker)
        self.worker = worker


class _Handed:
    """A run that was handed to a worker."""

    def __init__(self, keys: Keys, run: str, secret: str, worker: Announced) -> None:
        self.run = run
        self.worker = worker
        self.reply = keys.reply(worker.id, secret)
        asked = keys.request(worker.id, run)
        self.keys = (keys.announced(worker.id), keys.queue(worker.id), keys.taken(worker.id), asked)
        self.is_withdrawn = False
        """Whether it was stopped before it was claimed: nobody will answer."""
