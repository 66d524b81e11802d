"""A worker: announces its free places, claims the runs that are handed to it, runs each in this machine's sandbox, and answers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import OutOfMemoryError

from app.engine import LocalEngine, Progress, Refused, Requester, Withdrawn
from app.fleet import names
from app.fleet.claiming import claim
from app.fleet.connection import ANSWER_SECONDS, TROUBLE, is_locked_out, sentence_of, user_of
from app.fleet.living import LIFE_MILLISECONDS
from app.fleet.messages import BEGAN, CHUNK, ENDED, FAILED, OUTPUT, OUTPUT_BYTES, Announcement, End
from app.fleet.names import Keys
from app.fleet.reply import Reply
from app.sandbox import Run, SandboxError
from app.trace.codec import TraceDecodeError, decode_request

BEAT_SECONDS: Final = 0.5

LISTEN_SECONDS: Final = 0.5
"""How long it waits for a run, or for a word about one, before it looks whether it is to stop."""

PAUSE_SECONDS: Final = 0.1
"""Before it tries again where Redis was away."""


class Worker:
    """Takes runs from Redis as long as it is `working`; whatever becomes of Redis, it goes on."""

    def __init__(
        self, redis: Redis, keys: Keys, engine: LocalEngine, places: int, told: Callable[[], Announcement], drain_seconds: float
    ) -> None:
        self.id = names.new_worker(user_of(redis))
        self._redis = redis
        self._keys = keys
        self._engine = engine
        self._places = places
        self._told = told
        self._drain_seconds = drain_seconds
        self._free = asyncio.Semaphore(places)
        self._stops: dict[bytes, asyncio.Future[None]] = {}
        """Of each run that has a place here: done when it is to stop."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_stopping = False
        self._may_hold_lost = False
        """Whether Redis may say of runs that this worker has them in a place, though it has not."""

    async def announce(self) -> None:
        """Say that it is there, if Redis is: whoever is told that this worker is up may ask for runs at once."""
        await self._try(self._tell)

    async def work(self, stopping: asyncio.Event) -> bool:
        """Work until `stopping`; then take nothing new, and let what is under way come to its end. False where it failed."""
        loop = asyncio.get_running_loop()
        async with self._beside(self._beat) as beating, self._beside(self._obey) as obeying, self._beside(self._take) as taking:
            parts = (beating, obeying, taking)
            told = asyncio.create_task(stopping.wait())
            await asyncio.wait([told, *parts], return_when=asyncio.FIRST_COMPLETED)
            told.cancel()
            self._is_stopping = True
            until = loop.time()
            if not any(part.done() for part in parts):  # a worker of which a part failed lets no run end
                until += self._drain_seconds
                await self.announce()  # no web hands it a run from here on
                await asyncio.wait([taking], timeout=until - loop.time())  # what was handed over before is taken still
            taking.cancel()
            await asyncio.wait([taking])
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=until - loop.time())
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)
            failures = [failure for part in parts if part.done() and not part.cancelled() and (failure := part.exception())]
        for failure in failures:
            structlog.get_logger().error("worker failed", exc_info=failure)
        await self._try(self._leave)
        return not failures

    # --- announcing -----------------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        await self._tell()
        await asyncio.sleep(BEAT_SECONDS)

    async def _tell(self) -> None:
        """Say that this worker lives, how many places it has, and of what kind."""
        told = self._told()
        places = 0 if told.refusal or self._is_stopping else self._places
        mine = self._keys.announced(self.id)
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._redis.pipeline(transaction=False) as pipe:
                pipe.hset(mine, mapping={"places": places, "told": msgspec.json.encode(told)})
                pipe.pexpire(mine, LIFE_MILLISECONDS)
                pipe.sadd(self._keys.workers, self.id)
                pipe.pexpire(self._keys.taken(self.id), names.REPLY_MILLISECONDS)
                await pipe.execute()
        except OutOfMemoryError:
            await self._redis.pexpire(mine, LIFE_MILLISECONDS)  # it lives all the same

    async def _leave(self) -> None:
        await self._redis.unlink(
            self._keys.announced(self.id), self._keys.queue(self.id), self._keys.taken(self.id), self._keys.control(self.id)
        )

    # --- taking and stopping --------------------------------------------------------------------------------------------

    async def _take(self) -> None:
        """Take one run where there is a place; where it is to stop, see that none waits any more."""
        queue, taken = self._keys.queue(self.id), self._keys.taken(self.id)
        await self._free.acquire()
        try:
            await self._forget_lost()
            run = cast(bytes | None, await self._redis.blmove(queue, taken, cast(int, LISTEN_SECONDS)))
        except TROUBLE:
            self._free.release()
            self._may_hold_lost = True
            if self._is_stopping:
                raise _Done from None
            raise
        except BaseException:
            self._free.release()
            raise
        if run is None:
            self._free.release()
            if self._is_stopping:
                raise _Done
            return
        self._stops[run] = asyncio.get_running_loop().create_future()  # before it is claimed: from then on it may be stopped
        task = asyncio.create_task(self._run(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forget_lost(self) -> None:
        """Runs that Redis moved to this worker in an answer that did not arrive, or that came back from its disk."""
        if not self._may_hold_lost:
            return
        for run in await cast("Awaitable[list[bytes]]", self._redis.lrange(self._keys.taken(self.id), 0, -1)):
            if run not in self._stops:
                await cast("Awaitable[int]", self._redis.lrem(self._keys.taken(self.id), 0, cast(Any, run)))
        self._may_hold_lost = False

    async def _obey(self) -> None:
        """Stop the runs that their web wants stopped."""
        word = cast("list[bytes] | None", await cast(Any, self._redis.blpop([self._keys.control(self.id)], LISTEN_SECONDS)))
        stop = self._stops.get(word[1]) if word else None
        if stop is not None:
            _ask(stop)

    # --- running --------------------------------------------------------------------------------------------------------

    async def _run(self, run: bytes) -> None:
        name = run.decode("ascii", "replace")
        try:
            claimed = await claim(self._redis, self._keys, self.id, name)
            if claimed is not None:
                structlog.get_logger().info("claimed", run=names.asked(name), worker=self.id)
                await self._answer(name, *claimed)
        except TROUBLE as error:
            structlog.get_logger().warning("run lost", run=names.asked(name), error=sentence_of(error))
        finally:
            self._free.release()
            self._stops.pop(run, None)  # it is gone already where somebody put the run into the queue twice
            if not await self._try(lambda: cast("Awaitable[Any]", self._redis.lrem(self._keys.taken(self.id), 0, name))):
                self._may_hold_lost = True

    async def _answer(self, name: str, payload: bytes, key: bytes) -> None:
        async with Reply(self._redis, key.decode("ascii", "replace")).sending() as reply:
            stop = self._stops[name.encode()]
            reply.lost.add_done_callback(lambda _: _ask(stop))  # nobody will hear of it
            watcher = _Watcher(names.asked(name), stop, lambda: reply.say(BEGAN, b""))
            try:
                request = decode_request(payload)
                requester = Requester(visitor=name, address=name)
                ended = await self._engine.run(request, requester, watcher, lambda chunk: reply.say(CHUNK, chunk))
            except (SandboxError, Refused, Withdrawn, TraceDecodeError) as error:
                structlog.get_logger().warning("run failed", run=names.asked(name), error=str(error))
                reply.say(FAILED, str(error).encode())
            else:
                structlog.get_logger().info("ended", run=names.asked(name), ended=ended.trace.ended.__struct_config__.tag)
                for start in range(0, len(ended.output), OUTPUT_BYTES):
                    reply.say(OUTPUT, ended.output[start : start + OUTPUT_BYTES])
                reply.say(ENDED, msgspec.json.encode(_end(ended)))

    # --- Redis ----------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _beside(self, work: Callable[[], Awaitable[None]]) -> AsyncIterator[asyncio.Task[None]]:
        task = asyncio.create_task(self._again_and_again(work))
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _again_and_again(self, work: Callable[[], Awaitable[None]]) -> None:
        told = ""
        while True:
            try:
                await work()
                told = ""
            except _Done:
                return
            except TROUBLE as error:
                sentence = sentence_of(error)
                if sentence != told:
                    structlog.get_logger().warning("redis", error=sentence)
                told = sentence
                if is_locked_out(error):  # also those that have nothing to say just now
                    self._stop_all()
                await asyncio.sleep(PAUSE_SECONDS)

    def _stop_all(self) -> None:
        """Nobody will hear of the runs that are in a place here."""
        for stop in self._stops.values():
            _ask(stop)

    async def _try(self, work: Callable[[], Awaitable[Any]]) -> bool:
        """Do it if Redis is there; whether it was. What is left undone dies there by itself."""
        try:
            await work()
        except TROUBLE:
            return False
        return True


class _Done(Exception):
    """There is nothing more to take."""


class _Watcher:
    """What a run tells its web by way of the engine: that it begins, each time. The web counts the chunks itself."""

    def __init__(self, asked: str, stop: asyncio.Future[None], began: Callable[[], None]) -> None:
        self.id = asked
        self.stop = stop
        self._began = began

    def queued(self, position: int) -> None:
        """The canary has a place just now."""

    def running(self, progress: Progress) -> None:
        """It begins where nothing has come yet."""
        if progress == Progress():
            self._began()


def _ask(stop: asyncio.Future[None]) -> None:
    """To stop, if nobody has asked yet."""
    if not stop.done():
        stop.set_result(None)


def _end(run: Run) -> End:
    cost = run.cost
    return End(
        ended=run.trace.ended,
        wall_seconds=cost.wall_seconds,
        cpu_seconds=cost.cpu_seconds,
        peak_memory_bytes=cost.peak_memory_bytes,
    )
