"""A tracer in which one step of sealing the process fails.

The file `broken_step` contains the name of the step; if it is empty, no step fails.
"""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from app.sandbox.inside import landlock, seal, seccomp, syscalls

from .plain import run as run_plain
from .plain import warm_up

__all__ = ["preload", "run", "warm_up"]

CALLS = {
    "mount": (syscalls, "mount"),
    "limit": (resource, "setrlimit"),
    "bounding set": (syscalls, "forbid_capabilities"),
    "capability sets": (syscalls, "drop_capabilities"),
    "no new privileges": (syscalls, "no_new_privileges"),
    "dumpable": (syscalls, "set_dumpable"),
    "parent": (syscalls, "die_with_parent"),
    "descriptors": (syscalls, "close_fds_from"),
    "priority": (os, "nice"),
    "ruleset": (syscalls, "landlock_ruleset"),
    "rule": (syscalls, "landlock_allow"),
    "restriction": (landlock, "restrict"),
    "filter": (seccomp, "install"),
}
"""The functions that the steps of sealing call."""
WRITTEN = (
    *(f"/proc/self/{name}" for name in ("oom_score_adj", "setgroups", "uid_map", "gid_map")),
    "/proc/sys/user/max_user_namespaces",
)
"""The files that the steps of sealing write."""
BREAKABLE = [*CALLS, *WRITTEN, *(f"step {step.__name__}" for _, step in (*seal.EARLY, *seal.LATE))]
READ_EXIT = 42


def preload() -> None:
    """Make the step fail in forked children only, because the zygote must start."""
    os.register_at_fork(after_in_child=_break)


def _break() -> None:
    broken = (Path(__file__).parent / "broken_step").read_text()
    if broken in CALLS:
        owner, name = CALLS[broken]
        setattr(owner, name, _refuse)
    elif broken in WRITTEN:
        write = seal._write
        seal._write = lambda path, text: _refuse() if path == broken else write(path, text)
    elif broken:
        for steps in ("EARLY", "LATE"):
            told = tuple(
                (layer, _refuse if broken == f"step {step.__name__}" else step) for layer, step in getattr(seal, steps)
            )
            setattr(seal, steps, told)
    if broken:
        os.fdopen = _read


def _refuse(*_: object, **__: object) -> NoReturn:
    raise PermissionError(1, "broken by the test")


def _read(*_: Any, **__: Any) -> NoReturn:
    """Exit instead of reading the request. A correct sandbox never calls this function."""
    os._exit(READ_EXIT)


def run(request: bytes, emit: Callable[[bytes], None]) -> None:
    """Run the request. The sandbox calls this function only if no step of sealing failed."""
    run_plain(request, emit)
