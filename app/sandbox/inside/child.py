"""The life of a run, from the fork of the zygote to the exit. A run is sealed before it reads its request."""

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
"""The process name of a child that waits for its run."""


class Tracer(Protocol):
    """The interface of the module that is named on the command line."""

    def preload(self) -> None:
        """Import the modules that a run may need. Afterwards the process must have only one thread."""

    def warm_up(self) -> Iterator[None]:
        """Before the child gets a run, touch the memory that the run will use, without effects that the run could observe.

        The generator yields between its steps, because the run may arrive before the last step.
        """

    def run(self, request: bytes, emit: Callable[[bytes], None]) -> None:
        """Run the request, and call `emit` with the payload of each TRACE frame."""


Pipes = list[int]
"""The child's ends of the three pipes of a run: to read its request, to write output, to write frames."""


@dataclass(frozen=True)
class Life:
    """State that is the same for every run. The zygote creates this object once."""

    tracer: Tracer
    seal: Seal
    abort_handler: AbortHandler

    def live(self, pipes: Pipes | socket.socket) -> NoReturn:
        """Seal this child, run the request, and exit. `pipes` has the pipes of a new child, or the socket of a standby child."""
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
        """Begin the seal and warm up, then wait for the order.

        Return the seal, and the pipes of the run. Two thirds of a lesson's processor time are page faults of a first recording.
        No visitor waits for the page faults of a warm-up.
        """
        name = syscalls.name()
        syscalls.set_name(STANDBY)
        os.dup2(orders.detach(), protocol.ORDER_FD)
        syscalls.close_fds_from(protocol.ORDER_FD + 1)  # descriptors of the zygote, in particular its control socket
        self.seal.begin()
        waiting = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=protocol.ORDER_FD)
        is_ordered = select.poll()
        is_ordered.register(waiting, select.POLLIN)
        gc.enable()
        # With GPUs, the first backward would start a thread for each GPU.
        for _ in () if self.seal.gpus else self.tracer.warm_up():
            if is_ordered.poll(0):
                break
        if threads() != 1:  # the seal applies only to the current thread
            os._exit(protocol.SETUP_EXIT)
        gc.disable()
        gc.collect()
        gc.freeze()  # so that the run's first garbage collection does not visit these objects
        seal = replace(self.seal, mapped_bytes=mapped_bytes(data=bool(self.seal.gpus)))
        packet, fds, _, _ = socket.recv_fds(waiting, protocol.MAX_ASKED, 3)
        if not packet:  # the zygote has ended
            os._exit(0)
        waiting.send(protocol.TAKEN)
        waiting.detach()  # this descriptor becomes the pipe of the request
        syscalls.set_name(name)
        return seal, fds


def threads() -> int:
    """The number of threads of this process, including threads that Python did not start."""
    return len(os.listdir("/proc/self/task"))


def mapped_bytes(*, data: bool) -> int:
    """Bytes of address space in use; with `data`, only the bytes of private writable memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[5 if data else 0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _arrange(pipes: Pipes) -> None:
    """Move the request to descriptor 3, the output to 1 and 2, and the frames to 4.

    Descriptor 0 becomes a new /dev/null. With the zygote's /dev/null, all runs would share one open file, and could communicate
    by the file's flags (F_SETFL).
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
