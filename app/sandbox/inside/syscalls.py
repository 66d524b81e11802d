"""Linux system calls that the standard library lacks, as functions that raise OSError."""

import ctypes
import os
import platform
import signal
import struct
from pathlib import Path
from typing import Any, Final

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_REMOUNT: Final = 32
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_CAPBSET_DROP: Final = 24
_PR_SET_NAME: Final = 15
_PR_GET_NAME: Final = 16
_PR_SET_SECUREBITS: Final = 28
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_CAP_AMBIENT: Final = 47
_PR_CAP_AMBIENT_CLEAR_ALL: Final = 4
_ALL_SECUREBITS_LOCKED: Final = 0xEF
"""NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE and their locks, and the lock of KEEP_CAPS, which stays unset."""

_LINUX_CAPABILITY_VERSION_3: Final = 0x20080522
_MADV_COLLAPSE: Final = 25

_PR_GET_TID_ADDRESS: Final = 40
_CLONE_CHILD_CLEARTID: Final = 0x00200000
_CLONE_CHILD_SETTID: Final = 0x01000000

_SECCOMP_SET_MODE_FILTER: Final = 1
_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_ADD_RULE: Final = 445
_LANDLOCK_RESTRICT_SELF: Final = 446
_LANDLOCK_CREATE_RULESET_VERSION: Final = 1
_LANDLOCK_RULE_PATH_BENEATH: Final = 1

_CLONE, _SECCOMP = {"x86_64": (56, 317), "aarch64": (220, 277)}.get(platform.machine(), (-1, -1))

_libc = ctypes.CDLL(None, use_errno=True)
_holding_gil = ctypes.PyDLL(None, use_errno=True)
_python = ctypes.pythonapi


def unshare(namespaces: int) -> None:
    """Leave the given namespaces for new ones."""
    _checked("unshare", _libc.unshare(ctypes.c_int(namespaces)))


def fork_into(namespaces: int) -> int:
    """fork(2) with the child in new `namespaces`.

    In a new pid namespace the child is PID 1. Needs no privilege. This function uses a raw clone(2), because libc has no such
    fork, and does the same work as Python's os.fork(). The other work of libc's fork only matters for processes with several
    threads, with two exceptions. First, the kernel must write the child's thread id to libc's variable, as for libc's fork
    (nsjail's a1dd160 fixed a missing thread id). Second, the pthread_atfork handlers do not run, because the handlers of torch
    and OpenMP are about threads and devices, which the zygote does not have.
    """
    tid = ctypes.c_void_p()
    _checked("prctl(PR_GET_TID_ADDRESS)", _libc.prctl(ctypes.c_int(_PR_GET_TID_ADDRESS), ctypes.byref(tid), 0, 0, 0))
    flags = ctypes.c_ulong(namespaces | _CLONE_CHILD_SETTID | _CLONE_CHILD_CLEARTID | signal.SIGCHLD)
    nothing = ctypes.c_void_p()
    # The order of the last two arguments depends on the machine type.
    last = (tid, nothing) if platform.machine() == "x86_64" else (nothing, tid)
    _python.PyOS_BeforeFork()
    pid: int = _holding_gil.syscall(ctypes.c_long(_CLONE), flags, nothing, nothing, *last)
    if pid == 0:
        _python.PyOS_AfterFork_Child()
    else:
        _python.PyOS_AfterFork_Parent()
        _checked("clone", pid)
    return pid


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, options: str | None = None) -> None:
    """mount(2)."""
    result = _libc.mount(
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode() if options else None,
    )
    _checked(f"mount {target}", result)


def die_with_parent(signal: int) -> None:
    """Send `signal` to this process when the thread that started it ends.

    A change of credentials resets this setting, so call this function last.
    """
    _prctl(_PR_SET_PDEATHSIG, signal)


def set_dumpable(dumpable: bool, /) -> None:
    """Set whether processes of the same uid may inspect this process, and whether this process may dump core.

    An inspection uses ptrace, or /proc/<pid>/mem and environ.
    """
    _prctl(_PR_SET_DUMPABLE, int(dumpable))


def name() -> bytes:
    """The name of this thread, as in `ps`."""
    text = ctypes.create_string_buffer(16)
    _checked("prctl(PR_GET_NAME)", _libc.prctl(ctypes.c_int(_PR_GET_NAME), text, 0, 0, 0))
    return text.value


def set_name(name: bytes, /) -> None:
    """Set the name of this thread, which may have at most 15 bytes."""
    _checked("prctl(PR_SET_NAME)", _libc.prctl(ctypes.c_int(_PR_SET_NAME), name, 0, 0, 0))


def no_new_privileges() -> None:
    """Prevent exec from giving more rights to this process and its children."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def forbid_capabilities() -> None:
    """Empty the bounding and ambient sets and lock the securebits, so that the process cannot regain a capability.

    Needs CAP_SETPCAP.
    """
    _prctl(_PR_SET_SECUREBITS, _ALL_SECUREBITS_LOCKED)
    empty_bounding_set()
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)


def empty_bounding_set() -> None:
    """Empty the bounding set, so that executed programs gain no capability. Needs CAP_SETPCAP."""
    for capability in range(64):
        if _libc.prctl(ctypes.c_int(_PR_CAPBSET_DROP), ctypes.c_ulong(capability), 0, 0, 0) < 0:
            if capability == 0:
                _checked("prctl(PR_CAPBSET_DROP)", -1)
            return  # EINVAL: after the last capability of this kernel


def drop_capabilities() -> None:
    """Empty the effective, permitted and inheritable sets of this thread."""
    header = struct.pack("Ii", _LINUX_CAPABILITY_VERSION_3, 0)
    _checked("capset", _libc.capset(header, bytes(24)))


def close_fds_from(first: int) -> None:
    """Close every file descriptor >= `first`."""
    try:
        _checked("close_range", _libc.close_range(ctypes.c_uint(first), ctypes.c_uint(0xFFFFFFFF), 0))
    except (OSError, AttributeError):  # kernel < 5.9 or glibc < 2.34
        os.closerange(first, 1 << 16)


def seccomp_filter(program: Any) -> None:
    """Install a seccomp filter on this thread. `program` refers to a struct sock_fprog."""
    result = _libc.syscall(ctypes.c_long(_SECCOMP), ctypes.c_long(_SECCOMP_SET_MODE_FILTER), ctypes.c_long(0), program)
    _checked("seccomp", result)


def landlock_abi() -> int:
    """The ABI version of the kernel's Landlock; 0 without Landlock."""
    version = ctypes.c_long(_LANDLOCK_CREATE_RULESET_VERSION)
    return max(0, int(_libc.syscall(ctypes.c_long(_LANDLOCK_CREATE_RULESET), None, ctypes.c_long(0), version)))


def landlock_ruleset(file_system: int, network: int, scopes: int) -> int:
    """Create a ruleset that restricts these rights; return its file descriptor."""
    attributes = struct.pack("QQQ", file_system, network, scopes)
    size = len(attributes) if scopes else 16 if network else 8  # older kernels have fewer fields
    fd: int = _libc.syscall(ctypes.c_long(_LANDLOCK_CREATE_RULESET), attributes, ctypes.c_long(size), ctypes.c_long(0))
    _checked("landlock_create_ruleset", fd)
    return fd


def landlock_allow(ruleset: int, path_fd: int, rights: int) -> None:
    """Allow `rights` on the file or directory of `path_fd`, and on all files below."""
    rule = struct.pack("=Qi", rights, path_fd)
    arguments = (ctypes.c_long(ruleset), ctypes.c_long(_LANDLOCK_RULE_PATH_BENEATH), rule, ctypes.c_long(0))
    _checked("landlock_add_rule", _libc.syscall(ctypes.c_long(_LANDLOCK_ADD_RULE), *arguments))


def landlock_restrict(ruleset: int) -> None:
    """Apply `ruleset` to this thread."""
    arguments = (ctypes.c_long(ruleset), ctypes.c_long(0))
    _checked("landlock_restrict_self", _libc.syscall(ctypes.c_long(_LANDLOCK_RESTRICT_SELF), *arguments))


def collapse_memory() -> int:
    """Collapse private writable memory of this process into huge pages; return the number of collapsed bytes.

    A fork copies page tables: after `import torch` a fork took 3.5 ms with 4 KiB pages and 1.0 ms with huge pages. This
    function ignores failures, because kernels before 6.1 refuse the call, and small mappings cannot be collapsed.
    """
    collapsed = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, inode = line.split()[:5]
        if not rights.startswith("rw-p") or inode != "0":
            continue
        begin, end = (int(bound, 16) for bound in span.split("-"))
        if _libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), ctypes.c_int(_MADV_COLLAPSE)) == 0:
            collapsed += end - begin
    return collapsed


def _prctl(option: int, argument: int) -> None:
    result = _libc.prctl(
        ctypes.c_int(option), ctypes.c_ulong(argument), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)
    )
    _checked(f"prctl({option})", result)


def _checked(what: str, result: Any) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
