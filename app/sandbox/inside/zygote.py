"""The zygote: imports everything once, then forks one sealed child per run and tells the server how each ended.

It has one thread, sees no byte of any snippet, and holds nothing worth stealing: whatever it holds, every run inherits.
"""

import fcntl
import gc
import importlib
import os
import select
import signal
import site
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol, cast

from app.sandbox.inside import protocol, syscalls
from app.sandbox.inside.abort import AbortHandler
from app.sandbox.inside.layers import Layer, LayerMissing
from app.sandbox.inside.seal import Bounds, Seal
from app.sandbox.inside.start import METHODS, Method


class Tracer(Protocol):
    """What the module named on the command line provides."""

    def preload(self) -> None:
        """Import whatever a run may need, and leave one thread."""

    def run(self, request: bytes, emit: Callable[[bytes], None]) -> None:
        """Run the request, giving `emit` the payload of each TRACE frame."""


FIRST_RUN_MILLISECONDS: Final = 50
"""How long a new zygote waits for the first run before it does anything else."""

LONG_SECONDS: Final = 0.3
"""Processor time after which a run gives way to those that have just begun: a lesson takes 0.03 s."""
LONG_NICENESS: Final = 12
"""On top of the server's own: other runs get five times as much time. The lowest would get none beside a busy program."""
LOOK_MILLISECONDS: Final = 100
"""Between two looks at the runs that have not given way yet."""


@dataclass(frozen=True)
class Child:
    """A run that was forked and not yet reaped."""

    run_id: int
    pid: int
    pidfd: int


def main(
    control_fd: int, tracer_name: str, without: list[str], method: Method | None, readable: list[str], gpus: list[str]
) -> None:
    """Serve forks on the control socket until the server closes it.

    `without` names the layers that runs go without, `method` how they are started (None: the best way that works here),
    `readable` the paths that Landlock leaves them, and `gpus` the device nodes of GPUs that they may open.
    """
    syscalls.set_dumpable(False)
    syscalls.die_with_parent(signal.SIGKILL)
    control = socket.socket(fileno=control_fd)
    try:
        # Before the import, so that a layer that cannot be had is known at once.
        seal = Seal.prepare(frozenset(map(Layer, without)), tuple(readable), mapped_bytes=0, gpus=tuple(gpus))
        tracer = _load(tracer_name)
        seal = replace(seal, mapped_bytes=_mapped_bytes(data=bool(gpus)))
        method = _probe(seal, method)
    except BaseException as error:
        layer = error.layer if isinstance(error, LayerMissing) else None
        reason = str(error) if isinstance(error, LayerMissing) else f"{type(error).__name__}: {error}"
        control.send(protocol.message({"event": "failed", "id": None, "layer": layer, "reason": reason[:2000]}))
        raise
    zygote = Zygote(control, tracer, seal, method)
    versions = {"python": sys.version.split()[0], "torch": _torch_version()}
    zygote.serve(versions)


class Zygote:
    """Forks children and reaps them."""

    def __init__(self, control: socket.socket, tracer: Tracer, seal: Seal, method: Method) -> None:
        self._control = control
        self._tracer = tracer
        self._seal = seal
        self._start = METHODS[method]
        self._abort_handler = AbortHandler()
        self._children: dict[int, Child] = {}
        self._short: dict[int, Child] = {}
        """Those that have used less than LONG_SECONDS when last looked at."""
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)
        self._small_bytes = _private_bytes()
        """Its memory when it was new."""

    def serve(self, versions: dict[str, str]) -> None:
        """Say that it is ready, with the `versions`, and serve until the server is gone.

        The first moment without anything to do is used to become cheap to fork, which takes 0.6 s: whoever waits for a new zygote
        has waited long enough.
        """
        pidfd = os.pidfd_open(os.getpid())
        self._tell({"event": "ready", **versions}, [pidfd])
        os.close(pidfd)
        is_folded, patience = False, FIRST_RUN_MILLISECONDS
        while True:
            if self._short:
                events = self._poll.poll(LOOK_MILLISECONDS)
                self._let_long_give_way()
            else:
                events = self._poll.poll(None if is_folded or self._children else patience)
            if not events and not self._children:
                self._fold()
                is_folded = True
            for fd, _ in events:
                patience = 0
                if fd in self._children:
                    self._reap(self._children[fd])
                elif not self._receive():
                    return

    def _fold(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        syscalls.collapse_memory()
        self._small_bytes = _private_bytes()

    def _receive(self) -> bool:
        """Start the run that the next control message asks for; False at the end of the conversation."""
        packet, fds, _, _ = socket.recv_fds(self._control, protocol.MAX_MESSAGE, 3)
        if not packet:
            return False
        content = protocol.parse_message(packet)
        if "ping" in content:
            self._tell({"event": "alive", "grown_bytes": _private_bytes() - self._small_bytes})
            return True
        bounds = Bounds(**content["limits"])
        try:
            pid = self._start()
            if pid == 0:
                self._child(bounds, fds)
            pidfd = os.pidfd_open(pid)
        except OSError as error:
            self._tell({"event": "failed", "id": content["id"], "reason": str(error)})
            return True
        finally:
            for fd in fds:
                os.close(fd)
        self._children[pidfd] = self._short[pidfd] = Child(content["id"], pid, pidfd)
        self._poll.register(pidfd, select.POLLIN)
        self._tell({"event": "started", "id": content["id"]}, [pidfd])
        return True

    def _let_long_give_way(self) -> None:
        """Lower the priority of runs that have become long: those of a lesson beside them are as quick as alone.

        Where a run is started by two forks, the process that is known here only waits for it, and it keeps its priority.
        """
        for child in list(self._short.values()):
            if _processor_seconds(child.pid) < LONG_SECONDS:
                continue
            for which in (os.PRIO_PGRP, os.PRIO_PROCESS):
                with suppress(OSError):  # it has ended, or has left its group
                    os.setpriority(which, child.pid, os.getpriority(os.PRIO_PROCESS, 0) + LONG_NICENESS)
            del self._short[child.pidfd]

    def _child(self, bounds: Bounds, fds: list[int]) -> NoReturn:
        """The whole life of a run. An exception that left this function would make the child a second zygote."""
        status = protocol.SETUP_EXIT
        streams = (sys.stdout, sys.stderr)
        try:
            _arrange(fds)
            self._abort_handler.install()
            self._seal.close(bounds)
            status = protocol.TRACER_EXIT
            gc.enable()
            _write(protocol.frame(protocol.READY, b""))
            self._tracer.run(_read_request(), _emit)
            for stream in streams:
                stream.flush()
            status = 0
        except BaseException as error:
            if status == protocol.SETUP_EXIT:
                _write(protocol.frame(protocol.SETUP_FAILED, str(error).encode()[:1000]))
        finally:
            os._exit(status)

    def _reap(self, child: Child) -> None:
        _, status, usage = os.wait4(child.pid, 0)
        self._poll.unregister(child.pidfd)
        del self._children[child.pidfd]
        self._short.pop(child.pidfd, None)
        os.close(child.pidfd)
        self._tell(
            {
                "event": "exited",
                "id": child.run_id,
                "status": os.waitstatus_to_exitcode(status),
                "cpu_seconds": usage.ru_utime + usage.ru_stime,
                "peak_memory_bytes": usage.ru_maxrss * 1024,
            }
        )

    def _tell(self, content: dict[str, Any], fds: list[int] | None = None) -> None:
        try:
            socket.send_fds(self._control, [protocol.message(content)], fds or [])
        except (BrokenPipeError, ConnectionResetError):
            sys.exit(0)  # the server is gone, and with this process every run


def _load(tracer_name: str) -> Tracer:
    """Import the tracer."""
    gc.disable()
    site.setquit()  # -S skipped these two, and snippets use them
    site.sethelper()
    tracer = cast(Tracer, importlib.import_module(tracer_name))
    tracer.preload()
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        raise RuntimeError(f"preload() left {threads} threads, and a fork keeps only one")
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    gc.freeze()  # or the first collection in each run walks, and so copies, all of it
    return tracer


def _processor_seconds(pid: int) -> float:
    """Processor time of a child that is not reaped yet, its threads together (clock_getcpuclockid of glibc)."""
    return time.clock_gettime((~pid << 3) | 2)


def _private_bytes() -> int:
    """Resident memory that is no file's."""
    resident, shared = Path("/proc/self/statm").read_text().split()[1:3]
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _probe(seal: Seal, method: Method | None) -> Method:
    """The first way to start a run in which a child can be sealed, by starting one. Raises LayerMissing."""
    if Layer.NAMESPACES in seal.without:
        ways: tuple[Method, ...] = ("plain",)
    else:
        ways = (method,) if method is not None else ("clone", "double")
    missing = LayerMissing(None, "there is no way to start a run")
    for way in ways:
        answer_end, child_end = os.pipe()
        try:
            pid = METHODS[way]()
        except OSError as error:
            missing = LayerMissing(Layer.NAMESPACES, f"{way}: {error}")
            continue
        if pid == 0:
            _prove(seal, child_end)
        os.close(child_end)
        with os.fdopen(answer_end) as answers:
            layer, _, reason = answers.read().partition(" ")
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status == 0 and not reason:
            return way
        missing = LayerMissing(Layer(layer) if layer else Layer.NAMESPACES, f"{way}: {reason or f'status {status}'}")
    raise missing


def _prove(seal: Seal, answer_fd: int) -> NoReturn:
    """Seal this child as a run is sealed, and end; say on `answer_fd` what failed."""
    status = protocol.SETUP_EXIT
    try:
        os.dup2(answer_fd, protocol.RESULT_FD)
        seal.close(Bounds(cpu_seconds=1, memory_bytes=1 << 20, tmp_bytes=1 << 20, threads=1))
        status = 0
    except LayerMissing as error:
        os.write(protocol.RESULT_FD, f"{error.layer or ''} {error}".encode()[:1000])
    finally:
        os._exit(status)


def _mapped_bytes(*, data: bool) -> int:
    """Address space in use; or of it the `data`, which is private and writable."""
    pages = int(Path("/proc/self/statm").read_text().split()[5 if data else 0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _torch_version() -> str:
    return str(getattr(sys.modules.get("torch"), "__version__", "none"))


def _arrange(fds: list[int]) -> None:
    """Put request, output and frames where the run expects them: 3, 1 and 2, 4; 0 becomes a /dev/null of its own.

    The zygote's would be one open file for all runs, with flags (F_SETFL) that each can set and each can see.
    """
    request, output, result = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in fds)
    nothing = os.open("/dev/null", os.O_RDWR)
    for fd, place in ((nothing, 0), (output, 1), (output, 2), (request, protocol.REQUEST_FD), (result, protocol.RESULT_FD)):
        os.dup2(fd, place)


def _read_request() -> bytes:
    with os.fdopen(protocol.REQUEST_FD, "rb", buffering=0) as request:
        return request.readall()


def _emit(payload: bytes) -> None:
    if len(payload) > protocol.MAX_FRAME:
        raise ValueError(f"a chunk of {len(payload)} bytes does not fit into a frame of {protocol.MAX_FRAME}")
    _write(protocol.frame(protocol.TRACE, payload))


def _write(piece: bytes) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(protocol.RESULT_FD, view) :]
