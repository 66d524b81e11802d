"""Shuts an explainer in, after its imports: no file, socket, process or signal is within its reach, and its memory is bounded."""

import os
import resource
import signal
from typing import Final

from app.sandbox.inside import landlock, seccomp, syscalls

MEMORY_BYTES: Final = 2 << 30
"""Address space. A recording of 34 MiB takes 0.2 GB while it is explained, as measured; the largest there may be has 64 MiB."""

NICENESS: Final = 7
"""Between a run that has just begun and one that computes for long (`app.sandbox.inside.zygote`)."""


def seal(parent: int) -> None:
    """Give up every right. `parent` is the server: when it ends, so does this process."""
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
    except OSError:  # an older kernel: the filter below still leaves it no socket and no process
        pass
    syscalls.die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:  # it went before this process could ask to go with it
        os._exit(1)
    if allowed:
        seccomp.install(allowed)
