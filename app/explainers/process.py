"""The server's handle of one explainer: starts the process, sends tasks, reads frames, kills the process."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from app.explainers import protocol
from app.sandbox.inside.protocol import FrameReader

START_SECONDS: Final = 30.0
"""Timeout of starting an explainer, on a busy machine."""

PIPE_BYTES: Final = 256 << 10
PROJECT: Final = Path(__file__).resolve().parents[2]


class ExplainerDied(Exception):
    """An explainer ended, or sent an invalid frame. The error's text is one sentence."""


class Process:
    """A running explainer, which does one task at a time."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, of: int, on_gone: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = process
        self._to, self._of = to, of
        self._on_gone = on_gone
        self._unsent: list[memoryview] = []
        """The unsent parts of the task, last first."""
        self._frames = FrameReader("it", protocol.MOST_FRAME)
        self._take: Callable[[int, bytes], bool] = self._is_ready
        self._done: asyncio.Future[None] = self._loop.create_future()
        self._is_leaving = False
        os.set_blocking(to, False)
        os.set_blocking(of, False)
        self._loop.add_reader(of, self._read)

    @classmethod
    async def start(cls, on_gone: Callable[[], None]) -> Self:
        """Start an explainer, and wait until the explainer is sealed. Raises ExplainerDied."""
        theirs_in, to = os.pipe2(os.O_CLOEXEC)
        of, theirs_out = os.pipe2(os.O_CLOEXEC)
        try:
            process = subprocess.Popen(  # noqa: ASYNC220 - the event loop reads and reaps the process
                _command(),
                stdin=theirs_in,
                stdout=theirs_out,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"LANG": "C.UTF-8"},
                start_new_session=True,  # Ctrl-C must only reach this process, which then ends the explainer
            )
        except OSError as error:
            for fd in (to, of):
                os.close(fd)
            raise ExplainerDied(f"An explainer could not be started ({error.strerror}).") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        started = cls(process, to, of, on_gone)
        try:
            async with asyncio.timeout(START_SECONDS):
                await started._done
        except TimeoutError:
            await started.close()
            raise ExplainerDied(f"An explainer was not ready after {START_SECONDS:g} s.") from None
        except BaseException:
            await started.close()
            raise
        return started

    @property
    def pid(self) -> int:
        """The pid, for measurements of the explainer's memory."""
        return self._process.pid

    @property
    def is_gone(self) -> bool:
        """Whether the explainer has ended and therefore accepts no task."""
        return self._of < 0

    async def work(self, kind: int, inputs: list[bytes], take: Callable[[int, bytes], bool]) -> None:
        """Send a task, and pass each frame of the result to `take` until `take` returns True. Raises ExplainerDied."""
        self._done = self._loop.create_future()
        self._take = take
        if self.is_gone:
            raise ExplainerDied("An explainer ended.")
        messages = [protocol.TASK.pack(kind, len(inputs))]
        for each in inputs:
            messages += (protocol.LENGTH.pack(len(each)), each)
        self._unsent = [memoryview(message) for message in reversed(messages) if message]
        self._loop.add_writer(self._to, self._write)
        await self._done

    async def close(self) -> None:
        """Kill the explainer, and wait for its end. Repeated calls are allowed."""
        self._hang_up(ExplainerDied("An explainer was ended."))
        with suppress(ProcessLookupError):
            self._process.kill()
        await asyncio.to_thread(self._process.wait)

    def _write(self) -> None:
        data = self._unsent.pop()
        try:
            written = os.write(self._to, data[:PIPE_BYTES])
        except BlockingIOError:
            written = 0
        except OSError:
            self._hang_up(ExplainerDied("An explainer ended."))
            return
        if written < len(data):
            self._unsent.append(data[written:])
        if not self._unsent:
            self._loop.remove_writer(self._to)

    def _read(self) -> None:
        try:
            data = os.read(self._of, PIPE_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._hang_up(ExplainerDied("An explainer ended."))
            return
        try:
            for kind, payload in self._frames.feed(data):
                if self._done.done():
                    raise ValueError("the explainer sent a frame without a task")
                if kind == protocol.LEAVING:
                    self._is_leaving = True
                elif self._take(kind, payload):
                    self._done.set_result(None)
                    if self._is_leaving:
                        self._hang_up(ExplainerDied("An explainer ended because of its memory."))
                        return
        except ValueError as error:
            self._hang_up(ExplainerDied(f"An explainer sent something invalid: {error}."))

    def _is_ready(self, kind: int, payload: bytes) -> bool:
        if kind != protocol.READY or payload:
            raise ValueError("the first frame of the explainer is not READY")
        return True

    def _hang_up(self, error: ExplainerDied) -> None:
        if self._of < 0:
            return
        self._unsent = []
        self._loop.remove_reader(self._of)
        self._loop.remove_writer(self._to)
        os.close(self._of)
        os.close(self._to)
        self._of = self._to = -1
        if not self._done.done():
            self._done.set_exception(error)
            self._done.exception()
        self._on_gone()


def _command() -> list[str]:
    """The command that starts a new Python with the same search path, in which app.sandbox contains only `inside`."""
    search = [str(PROJECT), *filter(None, sys.path)]
    start = (
        f"import sys, types; sys.path[:] = {search!r}; "
        f"sandbox = sys.modules['app.sandbox'] = types.ModuleType('app.sandbox'); "
        f"sandbox.__path__ = [{str(PROJECT / 'app/sandbox')!r}]; "
        # The explainer does not run the package's __init__, which belongs to the server.
        f"explainers = sys.modules['app.explainers'] = types.ModuleType('app.explainers'); "
        f"explainers.__path__ = [{str(PROJECT / 'app/explainers')!r}]; "
        f"from app.explainers.inside import main; main({os.getpid()})"
    )
    return [sys.executable, "-I", "-S", "-B", "-c", start]
