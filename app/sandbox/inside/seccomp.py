"""Compiles the policy to a seccomp filter, and installs it on this thread permanently."""

import ctypes
import platform
import struct
from collections.abc import Iterable
from typing import Final

from app.sandbox.inside import syscalls
from app.sandbox.inside.policy import KILL, MACHINES, OWN_PID, UNLISTED, Cases, Rule, Test, rules

INSTRUCTION: Final = struct.Struct("HBBI")
"""struct sock_filter: code, jump if true, jump if false, k."""

LOAD: Final = 0x20
JUMP_EQUAL: Final = 0x15
JUMP_AT_LEAST: Final = 0x35
AND: Final = 0x54
RETURN: Final = 0x06

NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data."""

X32: Final = 0x40000000
"""The bit of x32 system call numbers on x86-64. No program in the sandbox uses this ABI."""

Instruction = tuple[int, int, int, int]


def supported() -> str | None:
    """The machine type of the policy; None if the policy does not cover this machine."""
    machine = platform.machine()
    return machine if machine in MACHINES else None


def program(machine: str, own_pid: int, *, own_tmp: bool = True, gpu: bool = False) -> bytes:
    """The policy for `machine` as a program of classic BPF: an array of struct sock_filter."""
    return assemble(machine, rules(machine, own_tmp=own_tmp, gpu=gpu), UNLISTED, own_pid)


def assemble(machine: str, rules: Iterable[Rule], default: int, own_pid: int) -> bytes:
    """A filter that applies `rules`, answers other calls by `default`, and kills the process for a call of another machine type.

    Each system call has one comparison and one answer, in sequence, so no jump is longer than its rule. The sequence is not
    slow, because the kernel answers always-allowed calls from a bitmap (Linux 5.11).
    """
    made: list[Instruction] = [
        (LOAD, 0, 0, MACHINE),
        (JUMP_EQUAL, 1, 0, MACHINES[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        made += [(JUMP_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    for rule in rules:
        body = _decide(rule.answer, own_pid) if isinstance(rule.answer, Cases) else [(RETURN, 0, 0, rule.answer)]
        made += [(JUMP_EQUAL, 0, len(body), rule.number), *body]
    made.append((RETURN, 0, 0, default))
    return b"".join(INSTRUCTION.pack(*instruction) for instruction in made)


class _Program(ctypes.Structure):
    """`struct sock_fprog`.

    PYTHON 3.14: the class is defined at import, because a later definition reads a file, which the seal forbids.
    """

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def install(filter_program: bytes) -> None:
    """Install `filter_program` for all later system calls of this thread. Needs no_new_privs. Raises OSError."""
    held = _Program(len(filter_program) // INSTRUCTION.size, filter_program)
    syscalls.seccomp_filter(ctypes.byref(held))


def _decide(cases: Cases, own_pid: int) -> list[Instruction]:
    made: list[Instruction] = []
    for case in cases.cases:
        checks = [_check(test, own_pid) for test in case.tests]
        left = sum(map(len, checks)) + 1  # number of instructions up to the next case
        for check in checks:
            for code, on_true, on_false, k in check:
                left -= 1
                failed = code == JUMP_EQUAL and on_false == FAIL
                made.append((code, on_true, left if failed else on_false, k))
        made.append((RETURN, 0, 0, case.answer))
    return [*made, (RETURN, 0, 0, cases.default)]


FAIL: Final = 255
"""A placeholder for the jump to the next case, until its distance is known."""


def _check(test: Test, own_pid: int) -> list[Instruction]:
    """Instructions that fall through if `test` is true, and jump to the next case otherwise."""
    low = ARGUMENTS + 8 * test.argument
    made: list[Instruction] = [(LOAD, 0, 0, low + 4), (JUMP_EQUAL, 0, FAIL, 0)] if test.wide else []
    made.append((LOAD, 0, 0, low))
    if test.mask != 0xFFFFFFFF:
        made.append((AND, 0, 0, test.mask))
    values = [own_pid if value == OWN_PID else value for value in test.values]
    for position, value in enumerate(values, 1):
        after = len(values) - position
        made.append((JUMP_EQUAL, after, FAIL if after == 0 else 0, value))
    return made
