"""The seccomp policy for x86-64 and ARM64, evaluated for each system call and many arguments."""

import errno
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sandbox.inside import policy, seccomp
from app.sandbox.inside.policy import ALLOW, ANSWERS, KILL, MACHINES, NOTHING_DONE, UNLISTED, refuse
from tests.sandbox.bpf import verdict

HEADERS = {
    "x86_64": (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), r"#define __NR_(\w+)\s+(\d+)"),
    "aarch64": (Path("/usr/include/asm-generic/unistd.h"), r"#define __NR(?:3264)?_(\w+)\s+(\d+)"),
}
OWN_PID = 77
PROGRAMS = {machine: seccomp.program(machine, OWN_PID) for machine in MACHINES}
NUMBERS = {machine: {rule.name: rule.number for rule in policy.rules(machine)} for machine in MACHINES}
EPERM, ENOTTY, ENOLCK = refuse(errno.EPERM), refuse(errno.ENOTTY), refuse(errno.ENOLCK)
EAGAIN, EINVAL, ENOTSUP = refuse(errno.EAGAIN), refuse(errno.EINVAL), refuse(errno.ENOTSUP)
NULL, POINTER = 0, 0x7FFF_0000_1000
THREAD = 0x3D0F00

BY_ARGUMENT = [
    ("clone", (THREAD,), ALLOW),
    ("clone", (THREAD | 1 << 40,), ALLOW),  # the kernel ignores bits above 32; fork; vfork
    ("clone", (0x01200011,), EPERM),  # fork
    ("clone", (0x4111,), EPERM),  # vfork
    ("clone", (0x10000000 | 17,), KILL),
    ("clone", (THREAD | 0x20000000,), KILL),
    ("clone", (THREAD | 0x2000,), EPERM),
    *(("clone", (17 | flag,), KILL) for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x20000000, 0x40000000, 0x80)),
    ("ioctl", (1, 0x5401), ALLOW),
    ("ioctl", (0, 0x5412), ENOTTY),  # TIOCSTI, which types into the terminal; TIOCLINUX; NV_ESC_CARD_INFO; UVM_INITIALIZE
    ("ioctl", (0, 0x541C), ENOTTY),  # TIOCLINUX
    ("ioctl", (5, 0x46C8), ENOTTY),  # NV_ESC_CARD_INFO
    ("ioctl", (5, 0x30000001), ENOTTY),  # UVM_INITIALIZE
    ("fcntl", (4, 3), ALLOW),
    ("fcntl", (4, 1031), EPERM),  # F_SETPIPE_SZ, F_SETOWN, F_SETLEASE, F_NOTIFY, queries of locks, locks
    ("fcntl", (4, 8), EPERM),  # F_SETOWN
    ("fcntl", (4, 1024), EPERM),  # F_SETLEASE
    ("fcntl", (4, 1026), EPERM),  # F_NOTIFY
    *(("fcntl", (4, command), ENOLCK) for command in (5, 36)),  # queries of locks
    *(("fcntl", (4, command), NOTHING_DONE) for command in (6, 7, 37, 38)),  # locks
    *(("futex", (POINTER, wait, 0), EAGAIN) for wait in (0, 9, 9 | 256, 6, 8, 11, 13, 0 | 1 << 40)),
    *(("futex", (POINTER, wait | 128, 0), ALLOW) for wait in (0, 9, 9 | 256, 6, 8, 11, 13)),
    *(("futex", (POINTER, wake, 0), ALLOW) for wake in (1, 5, 10, 129)),
    *(("madvise", (POINTER, 4096, advice), EINVAL) for advice in (12, 20, 21)),
    *(("madvise", (POINTER, 4096, advice), ALLOW) for advice in (4, 8, 14)),
    ("preadv2", (4, POINTER, 1, 0, 0, 0), ALLOW),
    ("preadv2", (4, POINTER, 1, 0, 0, 8), ENOTSUP),  # RWF_NOWAIT
    ("prctl", (15, POINTER), ALLOW),
    ("prctl", (4, 1), EPERM),  # PR_SET_DUMPABLE, PR_SET_PDEATHSIG, PR_SET_SECCOMP
    ("prctl", (1, 0), EPERM),  # PR_SET_PDEATHSIG
    ("prctl", (22, 2), EPERM),  # PR_SET_SECCOMP
    ("kill", (OWN_PID, 15), ALLOW),
    ("kill", (-1, 9), EPERM),
    ("kill", (0, 9), EPERM),
    ("kill", (1, 9), EPERM),
    ("tgkill", (OWN_PID, 80, 6), ALLOW),
    ("tgkill", (1, 1, 6), EPERM),
    ("prlimit64", (0, 7, NULL, POINTER), ALLOW),
    ("prlimit64", (OWN_PID, 7, NULL, POINTER), ALLOW),
    ("prlimit64", (0, 7, POINTER, NULL), EPERM),
    ("prlimit64", (0, 7, 1 << 32, NULL), EPERM),
    ("prlimit64", (1, 7, NULL, POINTER), EPERM),
]


@pytest.mark.parametrize("machine", MACHINES)
def test_every_line_of_the_table(machine: str) -> None:
    rules = policy.rules(machine)
    assert len({rule.number for rule in rules}) == len(rules) > 250
    for rule in rules:
        if isinstance(rule.answer, int):
            assert verdict(PROGRAMS[machine], MACHINES[machine], rule.number, (POINTER,) * 6) == rule.answer, rule.name
        else:
            assert rule.answer is policy.BY_ARGUMENT[rule.name]
    assert {rule.name for rule in rules if not isinstance(rule.answer, int)} == set(policy.BY_ARGUMENT) - (
        {"arch_prctl"} if machine == "aarch64" else set()
    )


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("name", "arguments", "answer"), BY_ARGUMENT)
def test_arguments(machine: str, name: str, arguments: tuple[int, ...], answer: int) -> None:
    assert verdict(PROGRAMS[machine], MACHINES[machine], NUMBERS[machine][name], arguments) == answer


@pytest.mark.parametrize("machine", MACHINES)
@given(number=st.integers(0, 2**32 - 1), arguments=st.tuples(*[st.integers(0, 2**64 - 1)] * 6))
def test_nothing_unnamed_is_allowed(machine: str, number: int, arguments: tuple[int, ...]) -> None:
    answer = verdict(PROGRAMS[machine], MACHINES[machine], number, arguments)
    if number not in NUMBERS[machine].values():
        assert answer == (KILL if machine == "x86_64" and number >= seccomp.X32 else UNLISTED)
    else:
        assert answer in (*ANSWERS.values(), ENOTTY, ENOLCK, EAGAIN, EINVAL, NOTHING_DONE)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_run_that_can_write_nothing_changes_no_mode(machine: str) -> None:
    program = seccomp.program(machine, OWN_PID, own_tmp=False)
    changed = {
        name
        for name, number in NUMBERS[machine].items()
        if name not in policy.BY_ARGUMENT
        and verdict(program, MACHINES[machine], number) != verdict(PROGRAMS[machine], MACHINES[machine], number)
    }
    assert {"fchmod", "fchmodat", "utimensat"} <= changed <= {*"chmod fchmod fchmodat utime utimes futimesat utimensat".split()}


def test_other_ways_into_the_kernel() -> None:
    i386 = 0x40000003
    for machine, program in PROGRAMS.items():
        for other in {i386, *MACHINES.values()} - {MACHINES[machine]}:
            assert verdict(program, other, NUMBERS[machine]["read"]) == KILL
    read = NUMBERS["x86_64"]["read"]
    assert verdict(PROGRAMS["x86_64"], MACHINES["x86_64"], read | seccomp.X32) == KILL


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    header, pattern = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not here (Debian: linux-libc-dev)")
    known = {name: int(number) for name, number in re.findall(pattern, header.read_text())}
    assert {name: known[name] for name in NUMBERS[machine] if name in known} == {
        name: number for name, number in NUMBERS[machine].items() if name in known
    }
    assert len(set(NUMBERS[machine]) - set(known)) <= 2  # one of the headers has another name for fstatat and similar calls
