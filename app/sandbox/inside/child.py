"""The life of a run, from the fork of the zygote to its end: sealed before it reads its request, and never a second zygote."""

import fcntl
import gc
import os
import select
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn, Protocol

from app.sandbox.inside import protocol, syscalls
from app.sandbox.inside.abort import AbortHandler
from app.sandbox.inside.seal import Bounds, Seal

STANDBY: Final = b"standby"
"""What `ps` calls a child that waits for its run."""


class Tracer(Protocol):
    """What the module named on the command line provides."""

    def preload(self) -> None:
        """Import the modules that a run may need, and leave one thread."""

    def warm_up(self) -> Iterator[None]:
        """In a child without a run: touch the memory that a run will use, and leave no trace that a run could find.

        In parts that begin after a yield, because the run may arrive before the last one.
        """

    def run(self, request: bytes, emit: Callable[[bytes], None]) -> None:
        """Run the request, giving `emit` the payload of each TRACE frame."""


Pipes = list[int]
"""The three of a run, by the ends that its child gets: where it reads its request, writes output, writes frames."""


@dataclass(frozen=True)
class Life:
    """State that is the same for every run, created once by the zygote."""

    tracer: Tracer
    seal: Seal
    abort_handler: AbortHandler

    def live(self, pipes: Pipes | socket.socket) -> NoReturn:
        """The whole life of a run, in a newly forked child or in a standby child that receives its pipes over a socket."""
        status = protocol.SETUP_EXIT
        streams = (sys.stdout, sys.stderr)
        has_pipes = False
        try:
            seal = self.seal
            if isinstance(pipes, socket.socket):
                seal, pipes = self._stand_by(pipes)
                _arrange(pipes)
                has_pipes = True
            else:
                _arrange(pipes)
                has_pipes = True
                seal.begin()
            self.abort_handler.install()
            seal.close(Bounds.unpack(os.read(protocol.REQUEST_FD, Bounds.SIZE)))
            status = protocol.TRACER_EXIT
            gc.enable()
            _write(protocol.frame(protocol.READY, b""))
            self.tracer.run(_read_request(), _emit)
            for stream in streams:
                stream.flush()
            status = 0
        except BaseException as error:
            if has_pipes and status == protocol.SETUP_EXIT:
                _write(protocol.frame(protocol.SETUP_FAILED, str(error).encode()[:1000]))
        finally:
            os._exit(status)

    def _stand_by(self, orders: socket.socket) -> tuple[Seal, Pipes]:
        """Do the work that is independent of the order, then wait for the order. The seal has been begun.

        Two thirds of a lesson's processor time are page faults of a first recording. Here no visitor waits for them.
        """
        name = syscalls.name()
        syscalls.set_name(STANDBY)
        os.dup2(orders.detach(), protocol.ORDER_FD)
        syscalls.close_fds_from(protocol.ORDER_FD + 1)  # of the zygote's, its control above all
        self.seal.begin()
        waiting = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=protocol.ORDER_FD)
        is_ordered = select.poll()
        is_ordered.register(waiting, select.POLLIN)
        gc.enable()
        # Where there are GPUs, the first backward begins a thread for each.
        for _ in () if self.seal.gpus else self.tracer.warm_up():
            if is_ordered.poll(0):
                break
        if threads() != 1:  # the seal holds the thread that closes it, and no other one
            os._exit(protocol.SETUP_EXIT)
        gc.disable()
        gc.collect()
        gc.freeze()  # or the run's first garbage collection would visit the remains
        seal = replace(self.seal, mapped_bytes=mapped_bytes(data=bool(self.seal.gpus)))
        packet, fds, _, _ = socket.recv_fds(waiting, protocol.MAX_ASKED, 3)
        if not packet:  # the zygote is gone
            os._exit(0)
        waiting.send(protocol.TAKEN)
        waiting.detach()  # the pipe of the request takes its place
        syscalls.set_name(name)
        return seal, fds


def threads() -> int:
    """How many this process has, Python's or not."""
    return len(os.listdir("/proc/self/task"))


def mapped_bytes(*, data: bool) -> int:
    """Address space in use; or of it the `data`, which is private and writable."""
    pages = int(Path("/proc/self/statm").read_text().split()[5 if data else 0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _arrange(pipes: Pipes) -> None:
    """Move request, output and frames to the descriptors 3, 1 and 2, 4; 0 becomes a new /dev/null.

    With the zygote's, all runs would share one open file, and each could set and read its flags (F_SETFL).
    """
    request, output, result = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in pipes)
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


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(protocol.RESULT_FD, view) :]
