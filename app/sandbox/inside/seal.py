"""Seals a forked child: after `seal` it can reach nothing but its own memory, its /tmp and its two pipes."""

import os
import resource
import signal
from dataclasses import dataclass

from app.sandbox.inside import syscalls
from app.sandbox.inside.syscalls import MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_PRIVATE, MS_RDONLY, MS_REC

TMP_INODES = 256
OPEN_FILES = 64
NICENESS = 10


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The part of a run's Limits that the kernel keeps."""

    cpu_seconds: int
    memory_bytes: int
    tmp_bytes: int
    threads: int


def seal(bounds: Bounds, mapped_bytes: int) -> None:
    """Shut this process in. The caller has made it PID 1 of a new pid namespace and arranged fds 0 to 4.

    `mapped_bytes` is the address space that the zygote uses already. Any exception: run nothing, exit. The order matters: what
    needs a right comes before the right is given up.
    """
    uid, gid = os.getuid(), os.getgid()
    syscalls.close_fds_from(5)
    # A process group of its own, but no session: each session is a scheduler autogroup, and 40 burning runs in 40 sessions
    # starve the server 40 : 1.
    os.setpgid(0, 0)
    os.nice(NICENESS)

    syscalls.unshare(syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS)
    syscalls.set_dumpable(True)  # or /proc/self belongs to root and cannot be written
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")
    _write("/proc/self/oom_score_adj", "1000")
    # User namespaces build this wall; inside it they would only be a way to more of the kernel.
    _write("/proc/sys/user/max_user_namespaces", "0")

    syscalls.mount("none", "/", flags=MS_REC | MS_PRIVATE)
    quiet = MS_NOSUID | MS_NODEV | MS_NOEXEC
    syscalls.mount("tmpfs", "/tmp", "tmpfs", quiet, f"size={bounds.tmp_bytes},nr_inodes={TMP_INODES},mode=0700")
    syscalls.mount("tmpfs", "/proc", "tmpfs", quiet | MS_RDONLY, "size=4k,nr_inodes=2,mode=0555")
    os.chdir("/tmp")

    for limit, value in (
        (resource.RLIMIT_AS, mapped_bytes + bounds.memory_bytes),
        (resource.RLIMIT_NPROC, bounds.threads),
        (resource.RLIMIT_FSIZE, bounds.tmp_bytes),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, bounds.cpu_seconds),  # soft = hard: PID 1 of a namespace ignores SIGXCPU but not SIGKILL
    ):
        _limit(limit, value)

    syscalls.forbid_capabilities()
    syscalls.drop_capabilities()
    syscalls.no_new_privileges()
    syscalls.set_dumpable(False)
    syscalls.die_with_parent(signal.SIGKILL)


def _write(path: str, text: str) -> None:
    # One unbuffered write each: the kernel takes a map in one piece or not at all.
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def _limit(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (bound, bound))
