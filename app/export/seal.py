"""Seals the drawing child like a run, with Landlock, and with the seccomp policy of runs plus the calls that drawing needs."""

import errno
import os
import resource
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from app.sandbox.inside import landlock, seccomp, syscalls
from app.sandbox.inside.layers import Layer, LayerMissing
from app.sandbox.inside.policy import ALLOW, KILL, NEW_NAMESPACES, THREAD, Case, Cases, Rule, Test, only, refuse, rules
from app.sandbox.inside.seal import DEVICES

STARTS: Final = 0x4111
"""VM, VFORK and SIGCHLD: libc's flags to start a program. Landlock decides which programs may be started."""
ARCH_SET_FS: Final = 0x1002
"""The code of arch_prctl by which a starting program sets the address of its thread-local variables."""
AF_UNIX: Final = 1

BESIDES: Final[Mapping[str, int | Cases]] = {
    "execve": ALLOW,
    "vfork": ALLOW,
    "clone": Cases(
        (
            Case(ALLOW, (Test(argument=0, values=(THREAD, STARTS)),)),
            Case(refuse(errno.EPERM), (Test(argument=0, values=(0,), mask=NEW_NAMESPACES),)),
        ),
        KILL,
    ),
    "arch_prctl": only(0, (ARCH_SET_FS, 0x1021, 0x1022, 0x1023), refuse(errno.EPERM)),
    "set_tid_address": ALLOW,  # a program gets its thread id by this call at its start
    # The event loop that waits for V8 wakes itself by a socket pair. The socket pair cannot pass descriptors, because sendmsg
    # is forbidden.
    "socketpair": only(0, (AF_UNIX,), refuse(errno.EPERM)),
    "sendto": ALLOW,
    "recvfrom": ALLOW,
}
"""Additional answers, by system call: V8 or the Graphviz program needs these calls according to strace, but runs do not."""


def seal(limits: Mapping[str, int], readable: Sequence[str], programs: Sequence[str]) -> None:
    """Seal this process and its descendants permanently. Raises LayerMissing if a layer cannot be applied; the child must then
    not draw anything."""
    for name, bound in limits.items():
        resource.setrlimit(getattr(resource, name), (bound, bound))
    machine = seccomp.supported()
    if machine is None:
        raise LayerMissing(Layer.SECCOMP, f"there is no seccomp policy for {os.uname().machine}")
    program = seccomp.assemble(machine, _rules(machine), refuse(errno.ENOSYS), os.getpid())
    layer = Layer.PRIVILEGES
    try:
        syscalls.no_new_privileges()
        layer = Layer.LANDLOCK
        landlock.restrict(landlock.probe(), readable, ("/tmp",), DEVICES, programs=programs)
        layer = Layer.SECCOMP
        seccomp.install(program)
    except OSError as error:
        raise LayerMissing(layer, str(error)) from error


def _rules(machine: str) -> list[Rule]:
    return [replace(rule, answer=BESIDES.get(rule.name, rule.answer)) for rule in rules(machine)]
