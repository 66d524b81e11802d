"""The three methods by which the zygote can start the child for a run. With two of the methods, the child is PID 1 of new
namespaces.

A raw clone fails with a libc that stores its thread id elsewhere, and under a filter on clone's flags. Processor time of an
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
"""The new namespaces of a run.

A run shares the zygote's empty network, because the removal of a network per run costs 0.1 s under load.
"""

BETWEEN: Final = b"between"
"""The name of the process between two forks while it waits."""

Method = Literal["clone", "double", "plain"]


def clone() -> int:
    """One fork directly into the namespaces, which takes 2.5 ms less than two forks."""
    return syscalls.fork_into(NAMESPACES)


def double() -> int:
    """Two forks, with only documented functions of libc and Python. The intermediate process ends with the status of the run."""
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        syscalls.unshare(NAMESPACES)
        syscalls.die_with_parent(signal.SIGKILL)  # after unshare, because a new user namespace resets this setting
        run = os.fork()
        if run == 0:
            return 0
        _end_like(run)
    finally:  # after an exception, this process must not continue as a second zygote
        if os.getpid() != 1:
            os._exit(1)


def plain() -> int:
    """A fork without namespaces, for machines that do not allow namespaces."""
    return os.fork()


METHODS: Final[dict[Method, Callable[[], int]]] = {"clone": clone, "double": double, "plain": plain}


def _end_like(run: int) -> NoReturn:
    """Wait for `run` without its descriptors, and end with the status of `run`.

    The kernel adds the resource use of `run` to this process.
    """
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
