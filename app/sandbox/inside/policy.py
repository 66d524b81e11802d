"""The seccomp policy as data: policy.tbl, and the system calls for which the answer depends on the arguments."""

import errno
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MACHINES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_* of the machine types in the table."""

ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
"""SECCOMP_RET_KILL_PROCESS."""

OWN_PID: Final = -1
"""A placeholder for the pid of the process that installs the filter."""


def refuse(number: int) -> int:
    """The filter's answer that skips a system call, which then fails with errno `number`."""
    return 0x00050000 | number


ANSWERS: Final = {"allow": ALLOW, "eperm": refuse(errno.EPERM), "enotsup": refuse(errno.ENOTSUP), "kill": KILL}
UNLISTED: Final = refuse(errno.ENOSYS)
NOTHING_DONE: Final = refuse(0)
"""The filter's answer that skips a system call, which then succeeds."""

NEW_NAMESPACES: Final = 0x7E020080
"""Every CLONE_NEW* of clone(2)."""
THREAD: Final = 0x003D0F00
"""VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID: exactly the flags of glibc's pthread_create."""

FUTEX_COMMAND: Final = 0x7F
FUTEX_PRIVATE: Final = 0x80


@dataclass(frozen=True, kw_only=True)
class Test:
    """True if argument number `argument`, masked, is one of `values`.

    Like the kernel, the test ignores the upper 32 bits of these arguments. With `wide` the test compares all 64 bits.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    wide: bool = False


@dataclass(frozen=True)
class Case:
    """The `answer` if all `tests` are true."""

    answer: int
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Cases:
    """The answer of the first case that applies, or `default` if no case applies."""

    cases: tuple[Case, ...]
    default: int


def only(argument: int, values: tuple[int, ...], default: int) -> Cases:
    """Allow the call if argument number `argument` is one of `values`; otherwise answer `default`."""
    return Cases((Case(ALLOW, (Test(argument=argument, values=values),)),), default)


BY_ARGUMENT: Final = {
    "clone": Cases(
        (
            Case(ALLOW, (Test(argument=0, values=(THREAD,)),)),
            Case(refuse(errno.EPERM), (Test(argument=0, values=(0,), mask=NEW_NAMESPACES),)),  # a fork
        ),
        KILL,
    ),
    # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
    "ioctl": only(1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451), refuse(errno.ENOTTY)),
    # Allowed: F_DUPFD, F_GETFD to F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not allowed: larger pipes, owners of signals, leases.
    # Locks are not set, because a lock on a commonly readable file would be a covert channel. SQLite locks its file in /tmp,
    # which no other process can open. Therefore F_SETLK, F_SETLKW and F_OFD_SETLK* succeed without effect, and F_GETLK and
    # F_OFD_GETLK fail.
    "fcntl": Cases(
        (
            Case(ALLOW, (Test(argument=1, values=(*range(5), 1030, 1032)),)),
            Case(NOTHING_DONE, (Test(argument=1, values=(6, 7, 37, 38)),)),
            Case(refuse(errno.ENOLCK), (Test(argument=1, values=(5, 36)),)),
        ),
        refuse(errno.EPERM),
    ),
    # Waits that another process can end (FUTEX_WAIT, LOCK_PI, TRYLOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2 without
    # FUTEX_PRIVATE_FLAG). All runs share libc's pages, so a wake-up through a shared page would be a covert channel. The answer
    # "the value has changed" makes pthread_join, the only caller that waits in this way, check again until its thread has
    # ended.
    "futex": Cases(
        (Case(refuse(errno.EAGAIN), (Test(argument=1, values=(0, 6, 8, 9, 11, 13), mask=FUTEX_COMMAND | FUTEX_PRIVATE),)),),
        ALLOW,
    ),
    # MADV_MERGEABLE, MADV_COLD and MADV_PAGEOUT fail like on a kernel without these flags, because they affect memory that is
    # shared with other processes.
    "madvise": Cases((Case(refuse(errno.EINVAL), (Test(argument=2, values=(12, 20, 21)),)),), ALLOW),
    # Allowed only without flags, because RWF_NOWAIT reveals which data other processes have read. The flags are argument 5,
    # after two arguments for the position.
    "preadv2": only(5, (0,), refuse(errno.EOPNOTSUPP)),
    # PR_SET_NAME, PR_GET_NAME
    "prctl": only(0, (15, 16), refuse(errno.EPERM)),
    # ARCH_GET_XCOMP_SUPP, ARCH_GET_XCOMP_PERM, ARCH_REQ_XCOMP_PERM: oneDNN requests the tiles of AMX
    "arch_prctl": only(0, (0x1021, 0x1022, 0x1023), refuse(errno.EPERM)),
    "kill": only(0, (OWN_PID,), refuse(errno.EPERM)),
    "tgkill": only(0, (OWN_PID,), refuse(errno.EPERM)),
    # A process may only read its own limits.
    "prlimit64": Cases(
        (Case(ALLOW, (Test(argument=0, values=(0, OWN_PID)), Test(argument=2, values=(0,), wide=True))),),
        refuse(errno.EPERM),
    ),
}


NVIDIA: Final = (
    Case(ALLOW, (Test(argument=1, values=(0x4600,), mask=0xFF00),)),  # NV_IOCTL_MAGIC 'F': nvidiactl, nvidia0, ...
    Case(ALLOW, (Test(argument=1, values=(0,), mask=0xFFFFFF00),)),  # nvidia-uvm counts its commands from 0
    Case(ALLOW, (Test(argument=1, values=(0x30000001, 0x30000002)),)),  # UVM_INITIALIZE, UVM_DEINITIALIZE
)
"""The commands of NVIDIA's open kernel modules, by their numbers (uvm_linux_ioctl.h, nv-ioctl-numbers.h)."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The filter's answer to one system call."""

    name: str
    number: int
    answer: int | Cases


def rules(machine: str, *, own_tmp: bool = True, gpu: bool = False) -> list[Rule]:
    """The rules for `machine`, one of MACHINES.

    Without `own_tmp` a run has no files, so the rules forbid changes of modes and times. With `gpu` the rules allow ioctl
    commands to NVIDIA devices.
    """
    column = 1 + list(MACHINES).index(machine)
    found = []
    for line in (Path(__file__).parent / "policy.tbl").read_text("ascii").splitlines():
        words = line.split()
        if not words or words[0] == "#" or words[column] == "-":
            continue
        name, answer = words[0], words[3]
        if answer == "tmp":
            answer = "allow" if own_tmp else "eperm"
        rule = BY_ARGUMENT[name] if answer == "argument" else ANSWERS[answer]
        if gpu and name == "ioctl" and isinstance(rule, Cases):
            rule = Cases((*rule.cases, *NVIDIA), rule.default)
        found.append(Rule(name=name, number=int(words[column]), answer=rule))
    return found
