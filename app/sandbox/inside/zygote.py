"""The zygote imports all modules once, forks one sealed child per run, and reports to the server how each child ended.

The zygote has one thread and reads no byte of a snippet. Each run inherits the zygote's memory. All data about other runs is in
a Zygote object, which a child first drops and then overwrites.
"""

import gc
import importlib
import os
import select
import signal
import site
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn, cast

from app.sandbox.inside import freed_memory as freed
from app.sandbox.inside import protocol, syscalls
from app.sandbox.inside.abort import AbortHandler
from app.sandbox.inside.child import Life, Pipes, Tracer, mapped_bytes, threads
from app.sandbox.inside.layers import Layer, LayerMissing
from app.sandbox.inside.seal import Bounds, Seal
from app.sandbox.inside.start import METHODS, Method

FIRST_RUN_MILLISECONDS: Final = 50
"""How long a new zygote waits for the first run before it collapses its memory into huge pages, which makes forks cheap."""

GIVING_WAY: Final = ((0.1, 8), (0.3, 12))
"""Seconds of processor time after which a run gets a lower priority, and the niceness that the zygote then adds to the server's
niceness. A lesson takes 0.03 s. After the first of these times, a newer run gets twice the processor time of the long run;
after the second, five times. With the lowest priority the long run would get no time on a busy machine."""
LOOK_MILLISECONDS: Final = 50
"""Interval at which the zygote checks whether to lower the priority of a run."""


@dataclass
class Child:
    """A process that was forked and not yet reaped."""

    pid: int
    pidfd: int
    run_id: int | None = None
    """None for a standby child."""
    spent_seconds: float = 0.0
    """Processor time that the child used before it got its run."""
    given_way: int = 0
    """Number of steps of GIVING_WAY that the run has passed."""
    orders: socket.socket | None = None
    """The socket on which a standby child gets its run; None for other children, and after the confirmation of the run."""
    untaken: Pipes | None = None
    """The pipes that the zygote sent to the child, until the child confirms these pipes.

    If the child dies before, another child gets the pipes.
    """


def main(
    control_fd: int, tracer_name: str, without: list[str], method: Method | None, readable: list[str], gpus: list[str]
) -> None:
    """Serve forks on the control socket until the server closes the socket.

    `without` has the layers to omit, and `method` the method to start runs (None: the fastest available method). `readable` has
    the paths that Landlock allows, and `gpus` the device nodes of GPUs that runs may open.
    """
    syscalls.set_dumpable(False)
    syscalls.die_with_parent(signal.SIGKILL)
    control = socket.socket(fileno=control_fd)
    try:
        # This call precedes the import, so that a missing layer is reported early.
        seal = Seal.prepare(frozenset(map(Layer, without)), tuple(readable), mapped_bytes=0, gpus=tuple(gpus))
        tracer = _load(tracer_name)
        seal = replace(seal, mapped_bytes=mapped_bytes(data=bool(gpus)))
        method = _probe(seal, method)
    except BaseException as error:
        layer = error.layer if isinstance(error, LayerMissing) else None
        reason = str(error) if isinstance(error, LayerMissing) else f"{type(error).__name__}: {error}"
        control.send(protocol.message({"event": "failed", "id": None, "layer": layer, "reason": reason[:2000]}))
        raise
    life = Life(tracer, seal, AbortHandler())
    versions = {"python": sys.version.split()[0], "torch": _torch_version()}
    zygote = Zygote(control, METHODS[method])
    lives_for = zygote.serve(versions)
    if lives_for is not None:  # in a child, where no frame refers to the zygote any more
        control.close()
        freed.overwrite_texts()  # first, because pymalloc reuses the blocks that were freed last
        del zygote
        freed.overwrite_numbers()
        life.live(lives_for)


class Zygote:
    """Forks children and reaps them."""

    def __init__(self, control: socket.socket, start: Callable[[], int]) -> None:
        self._control = control
        self._start = start
        self._asked: deque[tuple[int, Pipes]] = deque()
        """Ids and pipes of runs that need a new child."""
        self._children: dict[int, Child] = {}
        """Children by their pidfds."""
        self._short: dict[int, Child] = {}
        """Runs with a priority that may still be lowered, by their pidfds."""
        self._standby: Child | None = None
        self._unconfirmed: dict[int, Child] = {}
        """Standby children that have not yet confirmed their run, by the descriptors of `orders`."""
        self._may_stand_by = False
        """Whether to create a standby child.

        Each run sets this flag once. A standby child that died is therefore replaced only after the next run, so repeated
        deaths do not keep the machine busy.
        """
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)
        self._small_bytes = _private_bytes()
        """Private memory of the zygote at its start."""

    def serve(self, versions: dict[str, str]) -> Pipes | socket.socket | None:
        """Report readiness with the `versions`, and serve until the server closes the socket; then return None.

        In a child, return the pipes of the run, or the socket that will deliver the pipes. The zygote makes forks cheap when it
        is first idle, because this work takes 0.6 s, and clients may be waiting for a new zygote.
        """
        pidfd = os.pidfd_open(os.getpid())
        self._report({"event": "ready", **versions}, [pidfd])
        os.close(pidfd)
        is_folded, patience = False, FIRST_RUN_MILLISECONDS
        events: list[tuple[int, int]] = []
        while True:
            # No child is warmed up while active runs wait for a processor, because the warm-up would delay these runs.
            if self._may_stand_by and is_folded and (not self._short or not events or _has_free_processor()):
                orders = self._have_one_stand_by()
                if orders is not None:
                    return orders
            if self._short:
                events = self._poll.poll(LOOK_MILLISECONDS)
                self._let_long_give_way()
            else:
                events = self._poll.poll(None if is_folded or self._children else patience)
            if not events and not self._children:
                self._fold()
                is_folded = self._may_stand_by = True
            for fd, _ in events:
                patience = 0
                if fd in self._children:
                    self._reap(self._children[fd])
                elif fd in self._unconfirmed:
                    self._hand_over(self._unconfirmed[fd])
                elif fd == self._control.fileno() and not self._receive():
                    return None
            while self._asked:
                run_id, pipes = self._asked.popleft()
                if self._start_run(run_id, pipes):
                    return pipes

    def _fold(self) -> None:
        gc.unfreeze()
        gc.collect()
        freed.take()
        gc.freeze()
        syscalls.collapse_memory()
        self._small_bytes = _private_bytes()

    def _receive(self) -> bool:
        """Process the next control message, which may request a run; return False if the server closed the socket."""
        packet, pipes, _, _ = socket.recv_fds(self._control, protocol.MAX_ASKED, 3)
        if not packet:
            return False
        content = protocol.parse_message(packet)
        if "ping" in content:
            self._report({"event": "alive", "grown_bytes": _private_bytes() - self._small_bytes})
            return True
        if not self._give_to_standby(content["id"], pipes):
            self._asked.append((content["id"], pipes))
        self._may_stand_by = True
        return True

    def _start_run(self, run_id: int, pipes: Pipes) -> bool:
        """Fork a child for a run. Return True in the child. In the zygote, close `pipes` and return False."""
        try:
            child = self._fork()
        except OSError as error:
            self._report({"event": "failed", "id": run_id, "reason": str(error)})
        else:
            if child is None:
                return True
            self._started(child, run_id)
        _close(pipes)
        return False

    def _started(self, child: Child, run_id: int) -> None:
        child.run_id = run_id
        self._short[child.pidfd] = child
        self._report({"event": "started", "id": run_id}, [child.pidfd])

    def _fork(self) -> Child | None:
        """Fork and return the new child; return None in the child."""
        pid = self._start()
        if pid == 0:
            return None
        child = Child(pid, os.pidfd_open(pid))
        self._children[child.pidfd] = child
        self._poll.register(child.pidfd, select.POLLIN)
        return child

    def _have_one_stand_by(self) -> socket.socket | None:
        """Fork a standby child. In the child, return the socket that will deliver its pipes; in the zygote, return None."""
        self._may_stand_by = False
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            child = self._fork()
        except OSError:  # no further process is possible; the next run fails if the limit still applies
            ours.close()
        else:
            if child is None:
                ours.close()
                return theirs
            child.orders, self._standby = ours, child
        theirs.close()
        return None

    def _give_to_standby(self, run_id: int, pipes: Pipes) -> bool:
        """Send the pipes to the standby child; return False without a standby child. The child may still be warming up."""
        child, self._standby = self._standby, None
        if child is None or child.orders is None:
            return False
        try:
            child.spent_seconds = _processor_seconds(child.pid)
            socket.send_fds(child.orders, [protocol.ORDER], pipes)
        except OSError:  # the child has ended
            return False
        child.untaken = pipes
        self._unconfirmed[child.orders.fileno()] = child
        self._poll.register(child.orders, select.POLLIN)
        self._started(child, run_id)
        return True

    def _hand_over(self, child: Child) -> None:
        """Handle the confirmation of a standby child. If the child died before, give the run to another child."""
        pipes, orders, run_id = child.untaken, child.orders, child.run_id
        assert pipes is not None and orders is not None and run_id is not None
        self._poll.unregister(orders)
        del self._unconfirmed[orders.fileno()]
        child.untaken = child.orders = None
        with orders, suppress(ConnectionResetError):
            if orders.recv(protocol.MAX_ASKED) == protocol.TAKEN:
                _close(pipes)
                return
        child.run_id = None
        self._short.pop(child.pidfd, None)
        self._asked.append((run_id, pipes))

    def _let_long_give_way(self) -> None:
        """Lower the priority of long runs, so that long runs do not slow down lessons.

        If a run starts by two forks, the known process only waits for the run, and the run keeps its priority.
        """
        for child in list(self._short.values()):
            spent = _processor_seconds(child.pid) - child.spent_seconds
            times = sum(spent >= seconds for seconds, _ in GIVING_WAY)
            if times == child.given_way:
                continue
            child.given_way = times
            niceness = os.getpriority(os.PRIO_PROCESS, 0) + GIVING_WAY[times - 1][1]
            for which in (os.PRIO_PGRP, os.PRIO_PROCESS):
                with suppress(OSError):  # the child has ended, or has left its group
                    os.setpriority(which, child.pid, niceness)
            if times == len(GIVING_WAY):
                del self._short[child.pidfd]

    def _reap(self, child: Child) -> None:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid == 0:  # the event belonged to an earlier child with the same descriptor number
            return
        if child.untaken is not None:
            self._hand_over(child)
        self._poll.unregister(child.pidfd)
        del self._children[child.pidfd]
        self._short.pop(child.pidfd, None)
        os.close(child.pidfd)
        if child is self._standby:
            self._standby = None
        if child.orders is not None:
            child.orders.close()
        if child.run_id is not None:
            self._report(
                {
                    "event": "exited",
                    "id": child.run_id,
                    "status": os.waitstatus_to_exitcode(status),
                    "cpu_seconds": max(0.0, usage.ru_utime + usage.ru_stime - child.spent_seconds),
                    "peak_memory_bytes": usage.ru_maxrss * 1024,
                }
            )

    def _report(self, content: dict[str, Any], fds: list[int] | None = None) -> None:
        try:
            socket.send_fds(self._control, [protocol.message(content)], fds or [])
        except (BrokenPipeError, ConnectionResetError):
            sys.exit(0)  # the server is gone, and all runs die with this process


def _load(tracer_name: str) -> Tracer:
    """Import the tracer."""
    gc.disable()
    site.setquit()  # defines exit() and quit(), which `python -S` omits
    site.sethelper()
    tracer = cast(Tracer, importlib.import_module(tracer_name))
    tracer.preload()
    if threads() != 1:
        raise RuntimeError(f"preload() left {threads()} threads, and a fork keeps only one")
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    gc.freeze()  # so that the first collection in each run does not visit, and thereby copy, all objects
    return tracer


def _processor_seconds(pid: int) -> float:
    """Processor time of all threads of a child that is not reaped yet (clock_getcpuclockid of glibc)."""
    return time.clock_gettime((~pid << 3) | 2)


def _has_free_processor() -> bool:
    """Whether the number of runnable threads on this machine does not exceed the number of processors."""
    runnable, _, _ = _read("/proc/loadavg").split()[3].partition(b"/")
    return int(runnable) <= len(os.sched_getaffinity(0))


def _private_bytes() -> int:
    """Bytes of resident memory that belong to no file."""
    resident, shared = _read("/proc/self/statm").split()[1:3]
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _read(path: str) -> bytes:
    """Read a short file of the kernel with a small buffer, whose block `freed` overwrites."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 128)
    finally:
        os.close(fd)


def _close(pipes: Pipes) -> None:
    for fd in pipes:
        os.close(fd)


def _probe(seal: Seal, method: Method | None) -> Method:
    """Test the methods to start a run, and return the first method with which a child can be sealed. Raises LayerMissing."""
    if Layer.NAMESPACES in seal.without:
        ways: tuple[Method, ...] = ("plain",)
    else:
        ways = (method,) if method is not None else ("clone", "double")
    missing = LayerMissing(None, "no method to start a run works")
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
    """Seal this child like a run, and exit. If a step fails, write the failure to `answer_fd`."""
    status = protocol.SETUP_EXIT
    try:
        os.dup2(answer_fd, protocol.RESULT_FD)
        seal.begin()
        seal.close(Bounds(cpu_seconds=1, memory_bytes=1 << 20, tmp_bytes=1 << 20, threads=1))
        status = 0
    except LayerMissing as error:
        os.write(protocol.RESULT_FD, f"{error.layer or ''} {error}".encode()[:1000])
    finally:
        os._exit(status)


def _torch_version() -> str:
    return str(getattr(sys.modules.get("torch"), "__version__", "none"))
