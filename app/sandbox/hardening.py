"""Protects the server process from other processes of the same uid, and raises its limit of descriptors."""

import resource
from typing import Final

from app.sandbox.inside import syscalls

DESCRIPTORS: Final = 65536
"""The wanted limit of open files. An active run briefly needs four files."""


def harden_server() -> None:
    """Prevent processes of the same uid from reading this process, and raise the limit of open files.

    Call this function once, at the start.
    """
    syscalls.set_dumpable(False)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
