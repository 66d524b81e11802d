"""The server's hold on one zygote: start it, ask it for children, kill them, and learn how they ended."""

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
"""How much of what the zygote writes to its standard error is kept."""

GONE_SECONDS: Final = 5.0


@dataclass(frozen=True, kw_only=True)
class Exit:
    """How a child ended according to the kernel: its exit status, negative for a signal, and its resource use."""

    status: int
    cpu_seconds: float
    peak_memory_bytes: int


class Child:
    """A run that was asked for. It can be killed at any moment, even before it exists."""

    def __init__(self, run_id: int, exited: asyncio.Future[Exit]) -> None:
        self.run_id = run_id
        self.exited = exited
        """Its result or, when the zygote failed, a SandboxError."""
        self._pidfd: int | None = None
        self._unwanted = False

    def kill(self) -> None:
        """SIGKILL for PID 1 of its namespace; the kernel then kills the other processes in it."""
        self._unwanted = True
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def started(self, pidfd: int) -> None:
        """The child exists, or another one replaced it. Takes over `pidfd`, which unlike a pid cannot refer to another process
        later."""
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._pidfd = pidfd
        if self._unwanted:
            self.kill()

    def ended(self, outcome: Exit | SandboxError) -> None:
        """It has ended, or its end is unknown."""
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        if self.exited.done():
            return
        if isinstance(outcome, Exit):
            self.exited.set_result(outcome)
        else:
            self.exited.set_exception(outcome)
            self.exited.exception()  # the caller may have been cancelled; then the warning is not needed


class ZygoteSupervisor:
    """A running zygote. All methods are for the event loop's thread."""

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
        """Done when the zygote can start nothing more."""
        self.recycling_due: asyncio.Future[None] = self._loop.create_future()
        """Done when another one should take over: it is old, has grown, or was forked from often enough."""
        self.runs = 0
        self.grown_bytes = 0
        """How much its own memory has grown since it was new, by its latest account."""
        self.ready_at = 0.0
        """By the event loop's clock."""
        self._asked_at: float | None = None
        """Since when a ping waits for any word from it."""
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
        """A zygote that has imported everything. Raises SandboxUnavailable."""
        try:
            return await cls._start(settings, bind_proc=False)
        except ProcRefused:  # in a container with a partly covered /proc the kernel allows no new one
            return await cls._start(settings, bind_proc=True)

    @classmethod
    async def _start(cls, settings: SandboxSettings, *, bind_proc: bool) -> Self:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            ours.setblocking(False)
            try:
                jailed = jail(settings, control_fd=theirs.fileno(), bind_proc=bind_proc)
                process = subprocess.Popen(  # noqa: ASYNC220 - it is read and reaped by the event loop
                    unprivileged(jailed.command, jailed.sources, settings.unprivileged_uid),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=(theirs.fileno(),),
                    cwd="/",
                    env=jailed.environment,
                    bufsize=0,
                    start_new_session=True,  # Ctrl-C is for this process, which ends the zygote itself
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
                f"The sandbox was not ready after {settings.start_seconds:g} s: the machine is overloaded or its disk slow."
            ) from error
        except BaseException:
            await zygote.close()
            raise
        return zygote

    @property
    def device(self) -> str:
        """Where its runs may compute, as torch spells it."""
        return "cuda:0" if self._settings.gpus else "cpu"

    def expect(self, run_id: int) -> Child:
        """A child that is about to be launched."""
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("a sandbox belongs to the event loop that started it")  # in another one nothing would ever wake
        if self.gone.done():
            raise SandboxDied("The sandbox ended before this run could start; run it again.")
        child = self._children[run_id] = Child(run_id, self._loop.create_future())
        return child

    async def launch(self, child: Child, fds: list[int]) -> None:
        """Start `child`: it reads its bounds and request from, writes output to and writes frames to the three `fds`."""
        self.runs += 1
        self._check_recycling()
        try:
            await self._send(protocol.message({"id": child.run_id}), fds)
        except asyncio.CancelledError:
            del self._children[child.run_id]  # it was not asked for yet
            raise
        except OSError:
            self._end()  # settles child.exited, too

    async def close(self) -> None:
        """Kill it and every child, and wait until they are gone. May be called again."""
        self._process.kill()
        await asyncio.wait([self.gone], timeout=GONE_SECONDS)  # its end of the control socket closes with it
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
        """Wait for the children in flight, then close. Nothing more is to be launched."""
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
                    await asyncio.sleep(0.005)  # its queue is full; it takes the next in a millisecond or two
                except OSError as error:
                    if error.errno != errno.ETOOMANYREFS:  # too many descriptors on their way: the same
                        raise
                    await asyncio.sleep(0.005)

    def _receive(self) -> None:
        """Take one message from the zygote."""
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
        """Ask it whether it is alive, and see whether another one should take over."""
        now = self._loop.time()
        if self._asked_at is not None:
            self._receive()  # the loop itself may have stood still, with the answer waiting
        if self.gone.done():
            return
        if self._asked_at is not None and self._pulse is not None and self._pulse.hangs(now - self._asked_at):
            self._process.kill()
            self._end()
            return
        if self._asked_at is None:
            self._asked_at = now
            with suppress(OSError):  # its queue is full, and any answer to any of that will do; or it is dying
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
        """Keep the end of its standard error."""
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
        """Stop waiting for the zygote, which is gone or must end."""
        if self.gone.done():
            return
        self.gone.set_result(None)
        if self._look_again is not None:
            self._look_again.cancel()
        if self._pulse is not None:
            self._pulse.close()
        self._loop.remove_reader(self._control)
        self._control.close()  # a zygote that still lives ends here, and with it every run
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
        """Why a zygote never started, from its output and its exit status."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GONE_SECONDS)  # it has closed its descriptors, so it is about to end
        said = self._complaint.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        if self._process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL):  # by itself, or as bubblewrap reports it
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
    """What a zygote said that cannot start."""
    if content["layer"] is None:
        return SandboxUnavailable(f"The sandbox did not start: {content['reason']}.")
    layer = Layer(content["layer"])
    return LayerUnavailable(layer, content["reason"])


class ProcRefused(SandboxUnavailable):
    """bubblewrap may not mount a new /proc."""
