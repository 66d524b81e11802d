"""Seals a forked child, layer by layer. A sealed child can only reach its memory, its /tmp and its pipes."""

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
"""Maximum number of pending signals. A pending signal takes kernel memory that no other limit counts."""
NICENESS: Final = 5
"""The value that a run adds to the niceness of the server."""
GPU_OPEN_FILES: Final = 256
GPU_HOST_BYTES: Final = 4 << 30
"""Bytes that CUDA may allocate in addition to a snippet's memory. CUDA reserves far more address space than it uses, so
RLIMIT_DATA limits a run with a GPU instead of RLIMIT_AS."""
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
"""The only device nodes in a run and in the outer sandbox."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The part of a run's Limits that the kernel enforces."""

    _FORMAT: ClassVar = struct.Struct("=4Q")
    SIZE: ClassVar = _FORMAT.size
    """Bytes of the packed bounds."""

    cpu_seconds: int
    memory_bytes: int
    tmp_bytes: int
    threads: int

    def pack(self) -> bytes:
        """The bounds as bytes, which the child reads before its request."""
        return self._FORMAT.pack(*astuple(self))

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Decode the bytes of `pack`. Raises struct.error if the number of bytes is not SIZE."""
        cpu_seconds, memory_bytes, tmp_bytes, threads = cls._FORMAT.unpack(packed)
        return cls(cpu_seconds=cpu_seconds, memory_bytes=memory_bytes, tmp_bytes=tmp_bytes, threads=threads)


@dataclass(frozen=True, kw_only=True)
class Seal:
    """State that is the same for every run. The zygote creates this object once."""

    without: frozenset[Layer]
    readable: tuple[str, ...]
    """The paths that Landlock allows reading."""
    mapped_bytes: int
    """Bytes of address space that the zygote already uses; with GPUs, only bytes of private writable memory."""
    gpus: tuple[str, ...]
    """Device nodes of GPUs that runs may open; none in the CPU pool."""
    uid: int
    gid: int
    """The zygote's gid. A run has the zygote's uid and gid. They are stored here, because a new user namespace shows the
    overflow ids until ids are mapped."""
    landlock: landlock.Handled | None
    filter: bytes
    """The seccomp program for PID 1."""

    @classmethod
    def prepare(
        cls, without: frozenset[Layer], readable: tuple[str, ...], mapped_bytes: int, gpus: tuple[str, ...] = ()
    ) -> Self:
        """Prepare the seal for this machine: the rights of Landlock and the seccomp program. Raises LayerMissing."""
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
        """Do the steps that do not depend on the run. If a step raises LayerMissing, the child must exit."""
        for layer, step in EARLY:
            if layer not in self.without:
                with _as_missing(layer, step):
                    step(self)

    def close(self, bounds: Bounds) -> None:
        """Complete the seal of this child after `begin`.

        The child already has its namespaces and the descriptors 0 to 4. Raises LayerMissing.

        The order matters: a step that needs a right comes before the step that drops the right.
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
    # The child gets a process group but no session, because each session is a scheduler autogroup: 40 busy runs in 40 sessions
    # would get 40 times the server's processor time.
    os.setpgid(0, 0)
    os.nice(NICENESS)
    syscalls.set_dumpable(True)  # otherwise /proc/self belongs to root and cannot be written
    _write("/proc/self/oom_score_adj", "1000")


def _identity(seal: Seal) -> None:
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{seal.uid} {seal.uid} 1")
    _write("/proc/self/gid_map", f"{seal.gid} {seal.gid} 1")
    # The creation of this sandbox needs user namespaces. Inside the sandbox they would only expose more of the kernel.
    try:
        _write("/proc/sys/user/max_user_namespaces", "0")
    except OSError as error:
        if error.errno != errno.EROFS:  # in a container /proc/sys is read-only, and only seccomp forbids user namespaces
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
    if Layer.NAMESPACES not in seal.without:  # without namespaces the child lacks the capability for this call
        syscalls.forbid_capabilities()
    syscalls.drop_capabilities()
    syscalls.no_new_privileges()
    syscalls.set_dumpable(False)


def _parent(*_: object) -> None:
    syscalls.die_with_parent(signal.SIGKILL)


def _landlock(seal: Seal, _: Bounds) -> None:
    assert seal.landlock is not None
    writable = (
        () if Layer.NAMESPACES in seal.without else ("/tmp",)
    )  # without namespaces, runs share /tmp, so a run may not write there
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
    (None, _parent),  # again, because a change of credentials resets this setting
    (Layer.LANDLOCK, _landlock),
    (Layer.SECCOMP, _seccomp),
)
"""The steps after the early steps, in this order. Steps without a layer apply to every run."""


def _write(path: str, text: str) -> None:
    # A single unbuffered write is necessary, because the kernel accepts a uid map only in one write.
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
