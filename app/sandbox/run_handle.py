"""The server's handle of one active run: three pipes, a timeout, and untrusted data."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from app.sandbox.ending import ending
from app.sandbox.errors import SandboxUnavailable
from app.sandbox.inside import protocol
from app.sandbox.inside.seal import Bounds
from app.sandbox.payloads import Payloads, RecordingFull
from app.sandbox.run import Cost, Run, outline
from app.sandbox.supervisor import Child, ZygoteSupervisor
from app.trace.ends import Cancelled, Ended, Interfered, OutputTooLarge, TimedOut, TraceTooLarge
from app.trace.heads import Head, HeadError
from app.trace.records import Limits, Request
from app.trace.requests import encode_request

SETUP_SECONDS: Final = 30.0
"""Timeout of sealing a child, on a busy machine."""

LOOK_SECONDS, LOOKS = 0.1, 10
"""The pipes of a dead child are closed after `LOOKS` intervals without data, because another process may have a copy of these
pipes. The number of intervals lets a server read the pending data after a suspension.
"""

DRAIN_SECONDS: Final = 30.0
"""Maximum time for which the pipes of a dead child are read."""

READ_BYTES: Final = 64 << 10
"""Bytes per read. One read may contain 2,000 payloads of a snippet, which block the event loop for 5 ms."""


class RunHandle:
    """An active run. Use a handle only once: `await RunHandle(...).run()`. If `stop` is done first, the run ends as Cancelled."""

    def __init__(
        self,
        zygote: ZygoteSupervisor,
        run_id: int,
        request: Request,
        on_progress: Callable[[Head], None] | None,
        on_payload: Callable[[bytes], None] | None,
        stop: asyncio.Future[None] | None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._zygote = zygote
        self._run_id = run_id
        self._request = request
        self._limits: Limits = request.limits
        self._on_progress = on_progress
        self._on_payload = on_payload
        self._stop_asked = stop
        self._child: Child | None = None
        self._payloads = Payloads(request.limits)
        self._has_aborted = False
        """Whether the run reported a call of `abort`."""
        self._output = bytearray()
        self._frames = protocol.FrameReader()
        self._sealed_at: float | None = None
        self._stopped: Ended | None = None
        """Why the server stopped the run; None if the server did not stop the run."""
        self._ignores_output = False
        """Whether the server ignores data that it reads from now on. After a timeout it does not, and keeps pending data."""
        self._failed: BaseException | None = None
        """The exception to raise instead of returning a Run."""
        self._unsent = memoryview(self._bounds().pack() + encode_request(request))
        self._request_fd = self._output_fd = self._result_fd = -1
        self._open: set[int] = set()
        """The server's open ends of the pipes."""
        self._drained = asyncio.Event()
        self._heard = 0
        """Number of reads from the pipes and of frames, to notice whether data still arrives."""
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> Run:
        """Start the run and wait for its end. Raises SandboxError. If the caller is cancelled, the child is killed."""
        theirs: list[int] = []
        try:
            request_end, self._request_fd = self._pipe(theirs, reads=True)
            self._output_fd, output_end = self._pipe(theirs, reads=False)
            self._result_fd, result_end = self._pipe(theirs, reads=False)
            self._loop.add_writer(self._request_fd, self._write_request)
            self._loop.add_reader(self._output_fd, self._read_output)
            self._loop.add_reader(self._result_fd, self._read_frames)
            self._timer = self._loop.call_later(SETUP_SECONDS, self._never_sealed)
            self._child = self._zygote.expect(self._run_id)
            if self._stop_asked is not None:
                self._stop_asked.add_done_callback(self._cancelled)  # the callback also runs for a future that is already done
            await self._zygote.launch(self._child, [request_end, output_end, result_end])
            while theirs:
                os.close(theirs.pop())
            ended = await self._child.exited
            wall_seconds = 0.0 if self._sealed_at is None else self._loop.time() - self._sealed_at
            self._timer.cancel()
            await self._drain()
            if self._failed is not None:
                raise self._failed
            if self._sealed_at is None and not isinstance(self._stopped, Cancelled):
                raise SandboxUnavailable(f"A run ended before it was sealed (status {ended.status}).")
            reported, is_cut = self._payloads.head.end, self._frames.pending > 0
            end = ending(ended, self._stopped, reported, self._limits, has_aborted=self._has_aborted, is_cut=is_cut)
            return Run(
                outline=outline(self._request, self._zygote.versions, self._zygote.device, end),
                reported=reported,
                payloads=bytes(self._payloads.recorded),
                output=bytes(self._output),
                cost=Cost(wall_seconds=wall_seconds, cpu_seconds=ended.cpu_seconds, peak_memory_bytes=ended.peak_memory_bytes),
            )
        finally:
            if self._stop_asked is not None:
                self._stop_asked.remove_done_callback(self._cancelled)
            if self._child is not None:
                self._child.kill()
            if self._timer is not None:
                self._timer.cancel()
            for fd in list(self._open):
                self._close(fd)
            for fd in theirs:
                os.close(fd)

    def _bounds(self) -> Bounds:
        limits = self._limits
        return Bounds(
            cpu_seconds=limits.cpu_seconds,
            memory_bytes=limits.memory_bytes,
            tmp_bytes=limits.tmp_bytes,
            threads=limits.threads,
        )

    # --- data from the run ----------------------------------------------------------------------------------------------

    def _write_request(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._request_fd, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self._close(self._request_fd)

    def _read_output(self) -> None:
        """Read output that bypassed the tracer, for example from C, os.write or a crash."""
        data = self._read(self._output_fd)
        left = self._limits.output_bytes - len(self._output)
        self._output += data[:left]
        if len(data) > left:
            self._stop(OutputTooLarge(limit_bytes=self._limits.output_bytes))

    def _read_frames(self) -> None:
        try:
            for kind, payload in self._frames.feed(self._read(self._result_fd)):
                self._heard += 1
                if not self._ignores_output:
                    self._take(kind, payload)
        except protocol.FrameError as error:
            self._interfered(str(error))
        except Exception as error:  # a callback raised this exception: the run ends, and the caller gets the exception
            self._fail(error)

    def _take(self, kind: int, payload: bytes) -> None:
        """Process a frame. The first frame is trusted, because the child wrote it before it read the snippet."""
        if self._sealed_at is None:
            if kind != protocol.READY:
                self._fail(SandboxUnavailable(f"A run could not be sealed ({payload[:1000].decode(errors='replace')})."))
                return
            self._sealed_at = self._loop.time()
            assert self._timer is not None
            self._timer.cancel()
            self._timer = self._loop.call_later(
                self._limits.wall_seconds, self._stop, TimedOut(clock="wall", seconds=self._limits.wall_seconds)
            )
        elif kind == protocol.ABORTED:
            self._has_aborted = True
        elif kind != protocol.TRACE:
            self._interfered(f"The snippet wrote a frame of the invalid kind {kind}.")
        else:
            try:
                head = self._payloads.add(payload)
            except RecordingFull:
                self._ignores_output = True
                self._stop(TraceTooLarge(limit_bytes=self._limits.trace_bytes))
                return
            except HeadError as error:
                self._interfered(f"The snippet wrote an unreadable recording ({error}).")
                return
            if self._on_progress is not None:
                self._on_progress(head)
            if self._on_payload is not None:
                self._on_payload(payload)

    # --- ending ------------------------------------------------------------------------------------------------------

    def _stop(self, end: Ended) -> None:
        """Kill the run. If this method is called again, the run keeps the `end` of the first call."""
        if self._stopped is None:
            self._stopped = end
        self._kill()

    def _cancelled(self, _: asyncio.Future[None]) -> None:
        self._stop(Cancelled())

    def _interfered(self, reason: str) -> None:
        self._ignores_output = True
        self._stop(Interfered(reason=reason))

    def _fail(self, error: BaseException) -> None:
        self._ignores_output = True
        if self._failed is None:
            self._failed = error
        self._kill()

    def _never_sealed(self) -> None:
        self._fail(SandboxUnavailable(f"A run was not sealed after {SETUP_SECONDS:g} s: the machine is overloaded."))

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()

    # --- pipes ----------------------------------------------------------------------------------------------------------

    def _pipe(self, theirs: list[int], *, reads: bool) -> tuple[int, int]:
        """Create a pipe; return its read end and write end. With `reads` the child gets the read end, otherwise the write end."""
        try:
            ends = os.pipe2(os.O_CLOEXEC)
        except OSError as error:
            raise SandboxUnavailable(f"The three pipes of a run could not be created ({error.strerror}).") from error
        ours, child_end = (ends[1], ends[0]) if reads else ends
        os.set_blocking(ours, False)
        self._open.add(ours)
        theirs.append(child_end)
        return ends

    def _read(self, fd: int) -> bytes:
        try:
            data = os.read(fd, READ_BYTES)
        except BlockingIOError:
            return b""
        self._heard += 1
        if not data:
            self._close(fd)
        return data

    def _close(self, fd: int) -> None:
        self._loop.remove_reader(fd)
        self._loop.remove_writer(fd)
        os.close(fd)
        self._open.discard(fd)
        if not self._open & {self._output_fd, self._result_fd}:
            self._drained.set()

    async def _drain(self) -> None:
        """Read both pipes to their end, or until no more data arrives."""
        give_up, silent = self._loop.time() + DRAIN_SECONDS, 0
        while silent < LOOKS and self._loop.time() < give_up and not self._drained.is_set():
            heard = self._heard
            with suppress(TimeoutError):
                # In Python 3.11, wait_for would lose a cancellation that coincides with the awaited event.
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._drained.wait()
            silent = silent + 1 if self._heard == heard else 0
