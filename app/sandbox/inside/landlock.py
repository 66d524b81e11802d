"""Landlock restricts this process to listed paths, and forbids TCP as well as signals and abstract sockets to other processes."""

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from stat import S_ISDIR
from typing import Final

from app.sandbox.inside import syscalls

# LANDLOCK_ACCESS_FS_* (include/uapi/linux/landlock.h)
EXECUTE: Final = 1 << 0
WRITE_FILE: Final = 1 << 1
READ_FILE: Final = 1 << 2
READ_DIR: Final = 1 << 3
REMOVE_DIR: Final = 1 << 4
REMOVE_FILE: Final = 1 << 5
MAKE_DIR: Final = 1 << 7
MAKE_REG: Final = 1 << 8
REFER: Final = 1 << 13
TRUNCATE: Final = 1 << 14
IOCTL_DEV: Final = 1 << 15

FILE_SYSTEM_BITS: Final = {1: 13, 2: 14, 3: 15, 5: 16}
"""The number of LANDLOCK_ACCESS_FS_* bits of each ABI version that added some."""
NETWORK: Final = 0b11
"""The rights to bind and to connect TCP sockets, since ABI 4."""
SCOPES: Final = 0b11
"""The scopes of abstract Unix sockets and of signals, since ABI 6."""

READ: Final = READ_FILE | READ_DIR
KEEP: Final = READ | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER
"""The rights of a run in its private /tmp: no programs, sockets, pipes, devices or symbolic links."""
COMMAND: Final = READ_FILE | WRITE_FILE | IOCTL_DEV

OF_A_FILE: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that a rule for a single file may have."""

LEAST_ABI: Final = 3
"""The first ABI with TRUNCATE. Without TRUNCATE, a run could truncate a file that it may not write."""


@dataclass(frozen=True, kw_only=True)
class Handled:
    """The access rights that this kernel's Landlock can restrict."""

    file_system: int
    network: int
    scopes: int


def probe() -> Handled:
    """The rights that Landlock can restrict here.

    Raises OSError if these rights do not suffice. The function creates a test ruleset, because the ABI version may be wrong:
    kernels of RHEL 9 report ABI 6 but refuse the scopes of ABI 6.
    """
    abi = syscalls.landlock_abi()
    if abi < LEAST_ABI:
        raise OSError(errno.ENOSYS, f"Landlock ABI {abi} is older than {LEAST_ABI}")
    bits = max(count for since, count in FILE_SYSTEM_BITS.items() if since <= abi)
    whole = Handled(file_system=(1 << bits) - 1, network=NETWORK if abi >= 4 else 0, scopes=SCOPES if abi >= 6 else 0)
    for handled in (whole, Handled(file_system=whole.file_system, network=whole.network, scopes=0)):
        try:
            os.close(syscalls.landlock_ruleset(handled.file_system, handled.network, handled.scopes))
            return handled
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
    raise OSError(errno.EINVAL, f"The kernel has Landlock ABI {abi}, but refused to create a ruleset")


def restrict(
    handled: Handled,
    readable: Sequence[str],
    writable: Sequence[str],
    devices: Sequence[str],
    gpus: Sequence[str] = (),
    programs: Sequence[str] = (),
) -> None:
    """Restrict this process to the given paths.

    The process may read `readable`, use the directories `writable`, read and write `devices` and `gpus`, send ioctl to `gpus`,
    and execute `programs` (none in a run). A rule applies to the file that a path refers to now, and to all files below, so
    call this function after the last mount. Needs no_new_privs.
    """
    ruleset = syscalls.landlock_ruleset(handled.file_system, handled.network, handled.scopes)
    try:
        granted = (
            *((readable, READ), (writable, KEEP), (devices, READ_FILE | WRITE_FILE), (gpus, COMMAND)),
            (programs, READ_FILE | EXECUTE),
        )
        for path, rights in ((path, rights) for paths, rights in granted for path in paths):
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                mask = handled.file_system if S_ISDIR(os.fstat(fd).st_mode) else OF_A_FILE
                syscalls.landlock_allow(ruleset, fd, rights & mask & handled.file_system)
            finally:
                os.close(fd)
        syscalls.landlock_restrict(ruleset)
    finally:
        os.close(ruleset)
