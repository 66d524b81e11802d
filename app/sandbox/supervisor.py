"""The server's handle of one zygote: starts the zygote, requests and kills children, and receives the ends of children."""

import asyncio
import errno
import os
import signal
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Self

from app.sandbox.errors import LayerUnavailable, SandboxDied, SandboxError, SandboxUnavailable
from app.sandbox.inside import protocol
from app.sandbox.inside.layers import Layer
from app.sandbox.jail import jail
from app.sandbox.packages import packages_of
from app.sandbox.pulse import Pulse
from app.sandbox.run import Versions
from app.sandbox.sandbox_settings import SandboxSettings
from app.sandbox.unroot import CANNOT_EXIT, unprivileged

COMPLAINT_BYTES: Final = 4096
"""Bytes of the zygote's standard error that are kept."""

GONE_SECONDS: Final = 5.0


@dataclass(frozen=True, kw_only=True)
class Exit:
    """How a child ended according to the kernel: its exit status, negative for a signal, and its resource use."""

    status: int
    cpu_seconds: float
    peak_memory_bytes: int


class Child:
    """The child of a requested run. The server can kill the child at any time, even before the child exists."""

    def __init__(self, run_id: int, exited: asyncio.Future[Exit]) -> None:
        self.run_id = run_id
        self.exited = exited
        """Done when the child has ended; a SandboxError if the zygote failed."""
        self._pidfd: int | None = None
        self._unwanted = False

    def kill(self) -> None:
        """Send SIGKILL to PID 1 of the child's namespace. The kernel then kills all other processes of the namespace."""
        self._unwanted = True
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def started(self, pidfd: int) -> None:
        """Take ownership of the `pidfd` of a new child: the first one, or the replacement of a dead one.

        Unlike a pid, a pidfd is never reused for another process.
        """
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._pidfd = pidfd
        if self._unwanted:
            self.kill()

    def ended(self, outcome: Exit | SandboxError) -> None:
        """Set the outcome: the child has ended, or its end is unknown because of an error."""
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        if self.exited.done():
            return
        if isinstance(outcome, Exit):
            self.exited.set_result(outcome)
        else:
            self.exited.set_exception(outcome)
            self.exited.exception()  # marks the exception as retrieved, because the caller may have been cancelled


class ZygoteSupervisor:
    """A running zygote. Its methods must be called on the thread of the event loop that started it."""

    def __init__(self, settings: SandboxSettings, control: socket.socket, process: subprocess.Popen[bytes]) -> None:
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._control = control
        self._process = process
        self._complaint = b""
        self._children: dict[int, Child] = {}
        self._sending = asyncio.Lock()
        self._ready: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self.gone: asyncio.Future[None] = self._loop.create_future()
        """Done when the zygote can start no more children."""
        self.recycling_due: asyncio.Future[None] = self._loop.create_future()
        """Done when the zygote should be replaced because of its age, growth or number of runs."""
        self.runs = 0
        self.grown_bytes = 0
        """Growth of the zygote's private memory since its start, according to its latest report."""
        self.ready_at = 0.0
        """Time at which the zygote was ready, by the event loop's clock."""
        self._asked_at: float | None = None
        """Time of the unanswered ping; None without an unanswered ping."""
        self._pulse: Pulse | None = None
        self._look_again: asyncio.TimerHandle | None = None
        self.versions = Versions(python="", torch="", packages={})
        assert process.stderr is not None
        self._stderr = process.stderr
        os.set_blocking(self._stderr.fileno(), False)
        self._loop.add_reader(self._control, self._receive)
        self._loop.add_reader(self._stderr, self._read_complaint)

    @classmethod
    async def start(cls, settings: SandboxSettings) -> Self:
        """Start a zygote, and wait until the zygote has imported all modules. Raises SandboxUnavailable."""
        try:
            return await cls._start(settings, bind_proc=False)
        except ProcRefused:  # in a container with a partly covered /proc, the kernel refuses to mount a new /proc
            return await cls._start(settings, bind_proc=True)

    @classmethod
    async def _start(cls, settings: SandboxSettings, *, bind_proc: bool) -> Self:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            ours.setblocking(False)
            try:
                jailed = jail(settings, control_fd=theirs.fileno(), bind_proc=bind_proc)
                process = subprocess.Popen(  # noqa: ASYNC220 - the event loop reads and reaps the process
                    unprivileged(jailed.command, jailed.sources, settings.unprivileged_uid),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=(theirs.fileno(),),
                    cwd="/",
                    env=jailed.environment,
                    bufsize=0,
                    start_new_session=True,  # so that Ctrl-C reaches only this process, which then ends the zygote
                )
            except BaseException:
                ours.close()
                raise
        zygote = cls(settings, ours, process)
        try:
            async with asyncio.timeout(settings.start_seconds):
                ready = await zygote._ready
                packages = {name: text for name, text in packages_of(settings.packages).versions.items() if name != "torch"}
                zygote.versions = Versions(python=ready["python"], torch=ready["torch"], packages=packages)
        except TimeoutError as error:
            await zygote.close()
            raise SandboxUnavailable(
                f"The sandbox was not ready after {settings.start_seconds:g} s: the machine is overloaded or its disk is slow."
            ) from error
        except BaseException:
            await zygote.close()
            raise
        return zygote

    @property
    def device(self) -> str:
        """The torch device that runs may use: `cuda:0` if the sandbox has GPUs, otherwise `cpu`."""
        return "cuda:0" if self._settings.gpus else "cpu"

    def expect(self, run_id: int) -> Child:
        """Create the child of a run, for `launch`. Raises SandboxDied."""
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("a sandbox belongs to the event loop that started it")  # only this loop gets its events
        if self.gone.done():
            raise SandboxDied("The sandbox ended before this run could start; run it again.")
        child = self._children[run_id] = Child(run_id, self._loop.create_future())
        return child

    async def launch(self, child: Child, fds: list[int]) -> None:
        """Start `child` with its three `fds`: to read its bounds and request, to write output, and to write frames."""
        self.runs += 1
        self._check_recycling()
        try:
            await self._send(protocol.message({"id": child.run_id}), fds)
        except asyncio.CancelledError:
            del self._children[child.run_id]  # stopped before its start was requested
            raise
        except OSError:
            self._end()  # also sets the exception of child.exited

    async def close(self) -> None:
        """Kill the zygote and every child, and wait for their ends. Repeated calls are allowed."""
        self._process.kill()
        await asyncio.wait([self.gone], timeout=GONE_SECONDS)  # the death of the zygote closes its end of the control socket
        self._end()
        if self._process.returncode is None:
            pidfd = os.pidfd_open(self._process.pid)
            over = asyncio.Event()
            self._loop.add_reader(pidfd, over.set)
            try:
                async with asyncio.timeout(GONE_SECONDS):
                    await over.wait()
            except TimeoutError:
                pass
            finally:
                self._loop.remove_reader(pidfd)
                os.close(pidfd)
                self._process.poll()

    async def retire(self) -> None:
        """Wait for the active children, then close. No more children may be launched."""
        while self._children:
            await asyncio.wait([child.exited for child in self._children.values()])
        await self.close()

    async def _send(self, packet: bytes, fds: list[int]) -> None:
        async with self._sending:
            while True:
                try:
                    socket.send_fds(self._control, [packet], fds)
                    return
                except BlockingIOError:
                    await asyncio.sleep(0.005)  # the zygote's queue is full for a millisecond or two
                except OSError as error:
                    if error.errno != errno.ETOOMANYREFS:  # too many descriptors are in flight, so wait
                        raise
                    await asyncio.sleep(0.005)

    def _receive(self) -> None:
        """Process one message from the zygote."""
        try:
            packet, fds, _, _ = socket.recv_fds(self._control, protocol.MAX_MESSAGE, 1)
        except BlockingIOError:
            return
        except OSError:
            packet, fds = b"", []
        if not packet:
            self._end()
            return
        for fd in fds:
            os.set_inheritable(fd, False)
        self._asked_at = None
        if self._pulse is not None:
            self._pulse.answered()
        content = protocol.parse_message(packet)
        child = self._children.get(content.get("id", -1))
        match content["event"]:
            case "ready" if fds:
                self.ready_at = self._loop.time()
                self._pulse = Pulse(fds[0], self._settings.hang_seconds)
                if not self._ready.done():  # Ctrl-C cancels the start and thus `_ready`
                    self._ready.set_result(content)
                self._look_again = self._loop.call_later(self._settings.ping_seconds, self._look)
            case "alive":
                self.grown_bytes = content["grown_bytes"]
            case "started" if child is not None:
                child.started(fds[0])
            case "exited" if child is not None:
                del self._children[child.run_id]
                child.ended(
                    Exit(
                        status=content["status"],
                        cpu_seconds=content["cpu_seconds"],
                        peak_memory_bytes=content["peak_memory_bytes"],
                    )
                )
            case "failed" if child is not None:
                del self._children[child.run_id]
                child.ended(SandboxUnavailable(f"A run could not be started ({content['reason']})."))
            case "failed" if not self._ready.done():
                self._ready.set_exception(_failed(content))
            case _:
                for fd in fds:
                    os.close(fd)

    def _look(self) -> None:
        """Ping the zygote, kill a zygote that hangs, and check whether the zygote should be replaced."""
        now = self._loop.time()
        if self._asked_at is not None:
            self._receive()  # reads an answer that arrived while the event loop was blocked
        if self.gone.done():
            return
        if self._asked_at is not None and self._pulse is not None and self._pulse.hangs(now - self._asked_at):
            self._process.kill()
            self._end()
            return
        if self._asked_at is None:
            self._asked_at = now
            with suppress(OSError):  # the zygote's queue is full, so an answer will come anyway; or the zygote is dying
                self._control.send(protocol.message({"ping": True}))
        self._check_recycling()
        self._look_again = self._loop.call_later(self._settings.ping_seconds, self._look)

    def _check_recycling(self) -> None:
        settings = self._settings
        needs_recycling = (
            self.runs >= settings.recycle_runs
            or self._loop.time() - self.ready_at >= settings.recycle_seconds
            or self.grown_bytes >= settings.growth_bytes
        )
        if needs_recycling and not self.recycling_due.done():
            self.recycling_due.set_result(None)

    def _read_complaint(self) -> None:
        """Read the zygote's standard error, and keep the last bytes."""
        while True:
            try:
                data = os.read(self._stderr.fileno(), COMPLAINT_BYTES)
            except BlockingIOError:
                return
            if not data:
                self._loop.remove_reader(self._stderr)
                return
            self._complaint = (self._complaint + data)[-COMPLAINT_BYTES:]

    def _end(self) -> None:
        """End the wait for the zygote, which is gone or must end."""
        if self.gone.done():
            return
        self.gone.set_result(None)
        if self._look_again is not None:
            self._look_again.cancel()
        if self._pulse is not None:
            self._pulse.close()
        self._loop.remove_reader(self._control)
        self._control.close()  # ends a zygote that is still alive, and all its runs
        self._read_complaint()
        self._loop.remove_reader(self._stderr)
        self._stderr.close()
        if not self._ready.done():
            self._ready.set_exception(self._why_not())
            self._ready.exception()
        for child in self._children.values():
            child.kill()
            child.ended(SandboxDied("The sandbox ended while this run was in it; run it again."))
        self._children.clear()

    def _why_not(self) -> SandboxUnavailable:
        """The error of a zygote that did not start, from its standard error and exit status."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GONE_SECONDS)  # the zygote has closed its descriptors, so it is about to exit
        said = self._complaint.decode(errors="replace").strip().splitlines() or ["it wrote no message"]
        if self._process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL):  # 128 + N: bubblewrap's child
            return SandboxUnavailable(
                "The sandbox was killed from outside before it was ready: give it more memory; torch alone takes 300 MB."
            )
        if self._process.returncode == CANNOT_EXIT:
            return SandboxUnavailable(said[-1])
        if said[-1].startswith("bwrap: Can't mount proc"):
            return ProcRefused(said[-1])
        if said[-1].startswith("bwrap: "):
            return LayerUnavailable(Layer.BUBBLEWRAP, said[-1])
        return SandboxUnavailable(f"The sandbox did not start: {said[-1]}")


def _failed(content: dict[str, Any]) -> SandboxUnavailable:
    """The error for the message of a zygote that failed to start."""
    if content["layer"] is None:
        return SandboxUnavailable(f"The sandbox did not start: {content['reason']}.")
    layer = Layer(content["layer"])
    return LayerUnavailable(layer, content["reason"])


class ProcRefused(SandboxUnavailable):
    """The kernel does not let bubblewrap mount a new /proc."""
