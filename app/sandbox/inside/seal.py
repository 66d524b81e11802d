"""Seals a forked child, layer by layer: afterwards it can reach nothing but its own memory, its /tmp and its two pipes."""

import errno
import os
import resource
import signal
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from typing import ClassVar, Final, Self

from app.sandbox.inside import landlock, seccomp, syscalls
from app.sandbox.inside.layers import Layer, LayerMissing
from app.sandbox.inside.syscalls import MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_PRIVATE, MS_RDONLY, MS_REC

TMP_INODES: Final = 256
OPEN_FILES: Final = 64
PENDING_SIGNALS: Final = 1024
"""Each takes memory of the kernel that no other limit counts."""
NICENESS: Final = 5
"""On top of the server's own."""
GPU_OPEN_FILES: Final = 256
GPU_HOST_BYTES: Final = 4 << 30
"""What CUDA itself may allocate in addition to a snippet's memory. It reserves far more address space than it uses, so a run
with a GPU is limited by RLIMIT_DATA instead of RLIMIT_AS."""
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
"""Also those of the outer sandbox."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The part of a run's Limits that the kernel keeps."""

    _FORMAT: ClassVar = struct.Struct("=4Q")
    SIZE: ClassVar = _FORMAT.size
    """Bytes of the packed bounds."""

    cpu_seconds: int
    memory_bytes: int
    tmp_bytes: int
    threads: int

    def pack(self) -> bytes:
        """The bounds as the child reads them before it reads its request."""
        return self._FORMAT.pack(*astuple(self))

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """What `pack` made. Raises struct.error where the bytes are not SIZE."""
        cpu_seconds, memory_bytes, tmp_bytes, threads = cls._FORMAT.unpack(packed)
        return cls(cpu_seconds=cpu_seconds, memory_bytes=memory_bytes, tmp_bytes=tmp_bytes, threads=threads)


@dataclass(frozen=True, kw_only=True)
class Seal:
    """State that is the same for every run, created once by the zygote."""

    without: frozenset[Layer]
    readable: tuple[str, ...]
    """What Landlock leaves to read."""
    mapped_bytes: int
    """Address space that the zygote uses already; with GPUs, its private writable memory."""
    gpus: tuple[str, ...]
    """Device nodes that runs may open, none in the pool of the CPU."""
    uid: int
    gid: int
    """The zygote's uid. A run has the same, although in a new namespace it reads as the overflow uid until it is mapped."""
    landlock: landlock.Handled | None
    filter: bytes
    """The seccomp program for PID 1."""

    @classmethod
    def prepare(
        cls, without: frozenset[Layer], readable: tuple[str, ...], mapped_bytes: int, gpus: tuple[str, ...] = ()
    ) -> Self:
        """The seal of this machine. Raises LayerMissing."""
        machine = seccomp.supported()
        if machine is None and Layer.SECCOMP not in without:
            raise LayerMissing(Layer.SECCOMP, f"there is no seccomp policy for {os.uname().machine}")
        try:
            handled = None if Layer.LANDLOCK in without else landlock.probe()
        except OSError as error:
            raise LayerMissing(Layer.LANDLOCK, str(error)) from error
        program = seccomp.program(machine, own_pid=1, gpu=bool(gpus)) if machine is not None else b""
        return cls(
            without=without,
            readable=readable,
            mapped_bytes=mapped_bytes,
            gpus=gpus,
            uid=os.getuid(),
            gid=os.getgid(),
            landlock=handled,
            filter=program,
        )

    def begin(self) -> None:
        """Do what can be done before it is known what for. Raises LayerMissing; then run nothing, exit."""
        for layer, step in EARLY:
            if layer not in self.without:
                with _as_missing(layer, step):
                    step(self)

    def close(self, bounds: Bounds) -> None:
        """Shut this process in, once that is begun: a child that has its namespaces and fds 0 to 4. Raises LayerMissing, too.

        The order matters: what needs a right comes before the right is given up.
        """
        for layer, step in LATE:
            if layer not in self.without:
                with _as_missing(layer, step):
                    step(self, bounds)


@contextmanager
def _as_missing(layer: Layer | None, step: Callable[..., None]) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise LayerMissing(layer, f"{step.__name__.strip('_')}: {error}") from error


def _descriptors(_: Seal, __: Bounds) -> None:
    syscalls.close_fds_from(5)


def _process_attributes(_: Seal) -> None:
    # A process group, but no session: each session is a scheduler autogroup, and 40 busy runs in 40 sessions starve the server 40 :
    # 1.
    os.setpgid(0, 0)
    os.nice(NICENESS)
    syscalls.set_dumpable(True)  # or /proc/self belongs to root and cannot be written
    _write("/proc/self/oom_score_adj", "1000")


def _identity(seal: Seal) -> None:
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{seal.uid} {seal.uid} 1")
    _write("/proc/self/gid_map", f"{seal.gid} {seal.gid} 1")
    # User namespaces build this sandbox; inside it they would only be a way to more of the kernel.
    try:
        _write("/proc/sys/user/max_user_namespaces", "0")
    except OSError as error:
        if error.errno != errno.EROFS:  # so a container shows it, and the seccomp filter has to refuse them alone
            raise


def _mounts(_: Seal, bounds: Bounds) -> None:
    syscalls.mount("none", "/", flags=MS_REC | MS_PRIVATE)
    quiet = MS_NOSUID | MS_NODEV | MS_NOEXEC
    syscalls.mount("tmpfs", "/tmp", "tmpfs", quiet, f"size={bounds.tmp_bytes},nr_inodes={TMP_INODES},mode=0700")
    syscalls.mount("tmpfs", "/proc", "tmpfs", quiet | MS_RDONLY, "size=4k,nr_inodes=2,mode=0555")
    os.chdir("/tmp")


def _limits(seal: Seal, bounds: Bounds) -> None:
    memory_bytes = seal.mapped_bytes + bounds.memory_bytes
    for limit, value in (
        (resource.RLIMIT_DATA, memory_bytes + GPU_HOST_BYTES) if seal.gpus else (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_NPROC, bounds.threads),
        (resource.RLIMIT_FSIZE, bounds.tmp_bytes),
        (resource.RLIMIT_NOFILE, GPU_OPEN_FILES if seal.gpus else OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, PENDING_SIGNALS),
        (resource.RLIMIT_CPU, bounds.cpu_seconds),  # soft = hard: PID 1 of a namespace ignores SIGXCPU but not SIGKILL
    ):
        _, hard = resource.getrlimit(limit)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (bound, bound))


def _privileges(seal: Seal, _: Bounds) -> None:
    if Layer.NAMESPACES not in seal.without:  # else there is no capability to do it with, and none to lose
        syscalls.forbid_capabilities()
    syscalls.drop_capabilities()
    syscalls.no_new_privileges()
    syscalls.set_dumpable(False)


def _parent(*_: object) -> None:
    syscalls.die_with_parent(signal.SIGKILL)


def _landlock(seal: Seal, _: Bounds) -> None:
    assert seal.landlock is not None
    writable = () if Layer.NAMESPACES in seal.without else ("/tmp",)  # a /tmp that runs share is no place to write
    landlock.restrict(seal.landlock, seal.readable, writable, DEVICES, seal.gpus)


def _seccomp(seal: Seal, _: Bounds) -> None:
    if os.getpid() == 1:
        seccomp.install(seal.filter)
    else:
        gpu = bool(seal.gpus)
        seccomp.install(seccomp.program(os.uname().machine, own_pid=os.getpid(), own_tmp=False, gpu=gpu))


EARLY: Final[tuple[tuple[Layer | None, Callable[[Seal], None]], ...]] = (
    (None, _parent),
    (None, _process_attributes),
    (Layer.NAMESPACES, _identity),
)
LATE: Final[tuple[tuple[Layer | None, Callable[[Seal, Bounds], None]], ...]] = (
    (None, _descriptors),
    (Layer.NAMESPACES, _mounts),
    (Layer.LIMITS, _limits),
    (Layer.PRIVILEGES, _privileges),
    (None, _parent),  # again: a change of credentials makes the kernel forget it
    (Layer.LANDLOCK, _landlock),
    (Layer.SECCOMP, _seccomp),
)
"""In this order, after the early ones. Steps without a layer are for every run."""


def _write(path: str, text: str) -> None:
    # One unbuffered write each: the kernel takes a map in one piece or not at all.
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
