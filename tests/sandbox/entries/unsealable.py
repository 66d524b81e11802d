"""A tracer that breaks one step of the sealing before any child is forked; the step is named in the file `broken_step`."""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from app.sandbox.inside import seal, syscalls

from .plain import run as run_plain

STEPS = {
    "namespaces": (syscalls, "unshare"),
    "mounts": (syscalls, "mount"),
    "limits": (resource, "setrlimit"),
    "capabilities": (syscalls, "forbid_capabilities"),
    "capability sets": (syscalls, "drop_capabilities"),
    "privileges": (syscalls, "no_new_privileges"),
    "files": (seal, "_write"),
    "descriptors": (syscalls, "close_fds_from"),
    "priority": (os, "nice"),
}


def preload() -> None:
    """Nothing: the breaking waits for the first fork, because the zygote itself uses unshare."""
    os.register_at_fork(after_in_child=_break)


def _break() -> None:
    owner, name = STEPS[(Path(__file__).parent / "broken_step").read_text()]
    setattr(owner, name, _refuse)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise PermissionError(1, "broken by the test")


def run(request: bytes, emit: Callable[[bytes], None]) -> None:
    """Reached only if the sandbox runs a snippet in a child that is not sealed."""
    run_plain(request, emit)
