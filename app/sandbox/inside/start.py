"""How the zygote starts a child that is PID 1 of new namespaces: three ways, and the best one that works here.

A raw clone fails with a libc that keeps its thread id elsewhere, and under a filter on clone's flags. Processor time of an
empty run, all processes together, on busy machines (`python -m tests.matrix.starts`): Debian 12 (glibc 2.36) 18.3 ms by a
raw clone and 23.8 ms by two forks, Debian 13 (2.41) 20.0 and 28.7 ms, Debian forky (2.43) 20.2 and 31.9 ms.
"""

import os
import resource
import signal
from collections.abc import Callable
from typing import Final, Literal, NoReturn

from app.sandbox.inside import syscalls
from app.sandbox.inside.syscalls import CLONE_NEWIPC, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWUTS

NAMESPACES: Final = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS
"""Of each run. Its network is the zygote's empty one: taking one down per run costs 0.1 s under load, and sockets are refused."""

BETWEEN: Final = b"between"
"""What `ps` calls the process between two forks, once it waits."""

Method = Literal["clone", "double", "plain"]


def clone() -> int:
    """One fork, straight into the namespaces: 2.5 ms less than two."""
    return syscalls.fork_into(NAMESPACES)


def double() -> int:
    """Two forks, by nothing but what libc and Python document; the one in between ends as the run ends."""
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        syscalls.unshare(NAMESPACES)
        syscalls.die_with_parent(signal.SIGKILL)  # not before: a new user namespace forgets it
        run = os.fork()
        if run == 0:
            return 0
        _end_like(run)
    finally:  # an exception that left this process between would make it a second zygote
        if os.getpid() != 1:
            os._exit(1)


def plain() -> int:
    """A fork without namespaces, where the kernel gives none."""
    return os.fork()


METHODS: Final[dict[Method, Callable[[], int]]] = {"clone": clone, "double": double, "plain": plain}


def _end_like(run: int) -> NoReturn:
    """Wait for `run`, keeping nothing of it open, and end with its status; the kernel adds its use of resources to ours."""
    syscalls.set_name(BETWEEN)
    os.closerange(0, 1 << 10)
    _, status = os.waitpid(run, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
