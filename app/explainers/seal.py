"""Seals an explainer after its imports: the explainer can reach no file, socket or process, and its memory is limited."""

import os
import resource
import signal
from typing import Final

from app.sandbox.inside import landlock, seccomp, syscalls

MEMORY_BYTES: Final = 2 << 30
"""Limit of address space. Explaining a recording of 34 MiB takes 0.2 GB, measured; recordings have at most 64 MiB."""

NICENESS: Final = 7
"""The niceness, between the niceness of a new run and the niceness of a long run (`app.sandbox.inside.zygote`)."""


def seal(parent: int) -> None:
    """Drop all rights. `parent` is the pid of the server. This process ends with the server."""
    machine = seccomp.supported()
    allowed = seccomp.program(machine, own_pid=os.getpid(), own_tmp=False) if machine is not None else b""
    os.nice(NICENESS)
    for limit, bound in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_NOFILE, 8),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(limit)
        lowest = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(limit, (lowest, lowest))
    syscalls.no_new_privileges()
    syscalls.set_dumpable(False)
    try:
        landlock.restrict(landlock.probe(), (), (), ())
    except OSError:  # on an older kernel, the filter below still forbids sockets and processes
        pass
    syscalls.die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:  # the server ended before PR_SET_PDEATHSIG was set
        os._exit(1)
    if allowed:
        seccomp.install(allowed)
