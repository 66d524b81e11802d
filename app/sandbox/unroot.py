"""Drops root privileges for the server at its start, and for a sandbox that a root process starts.

Python and its packages may be in a directory that only root may enter (/root/.pyenv, mode 700). In a private mount namespace,
an empty directory that all users may enter covers each such directory. The required paths are bound into the empty directory
*at the same path*, so the virtual environment, libpython and every path on the command line still work. Other files of the
covered directory are not visible.
"""

import os
import stat
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from app.sandbox.errors import SandboxUnavailable
from app.sandbox.inside import syscalls
from app.sandbox.inside.syscalls import MS_BIND, MS_NODEV, MS_NOSUID, MS_PRIVATE, MS_RDONLY, MS_REC, MS_REMOUNT

UNPRIVILEGED_UID: Final = 65521
"""The uid and gid to use instead of root.

The value is below 65536, so that it exists in every container's user namespace, and is in the range 65520-65533, which no
distribution assigns (according to systemd's UIDS-GIDS document).
"""

CANNOT_EXIT: Final = 96
"""Exit status of the launcher if it could not drop root. The launcher then writes the reason to standard error."""

NEVER_OURS: Final = frozenset(
    map(Path, ("/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/opt", "/proc", "/root", "/run"))
)


def give_up_root(*, writable: Sequence[Path] = (), uid: int = UNPRIVILEGED_UID) -> None:
    """If this process is root, run the same command again as `uid`; otherwise do nothing.

    The function creates the directories in `writable` and gives these directories to `uid`, which may write no other directory.
    Raises SandboxUnavailable if the process cannot drop root.
    """
    if os.geteuid() != 0:
        return
    directory = str(Path.cwd())
    project = Path(__file__).resolve().parents[2]
    search = [entry for entry in sys.path if entry and entry != directory]  # `python -m` adds the working directory
    readable = [project, *map(Path, (sys.executable, sys.prefix, sys.base_prefix, *search))]
    become(uid, readable, writable)
    for known in (directory, project):  # by path, because the old working directory may now be covered
        with suppress(OSError):
            os.chdir(known)
            break
    for name in ("USER", "LOGNAME", "HOME", "XDG_RUNTIME_DIR"):
        os.environ.pop(name, None)
    os.environ["HOME"] = "/nonexistent"
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def unprivileged(command: Sequence[str], readable: Iterable[Path], uid: int = UNPRIVILEGED_UID) -> list[str]:
    """`command`, or for root a launcher that drops root and executes `command`.

    `readable` has the paths that the command must be able to read.
    """
    if os.geteuid() != 0:
        return list(command)
    project = Path(__file__).resolve().parents[2]
    search = [
        str(project),
        *filter(None, sys.path),
    ]  # the path omits the empty entry, because the launcher has another working directory
    start = f"import sys; sys.path[:] = {search!r}; from app.sandbox.unroot import main; main()"
    needed = [project / "app/__init__.py", *readable]
    return [sys.executable, "-I", "-S", "-c", start, str(uid), *map(str, needed), "--", *command]


def main() -> None:
    """The launcher: drop root and execute the command after "--"."""
    separator = sys.argv.index("--")
    uid, readable, command = int(sys.argv[1]), map(Path, sys.argv[2:separator]), sys.argv[separator + 1 :]
    try:
        become(uid, list(readable), ())
        os.execv(command[0], command)
    except SandboxUnavailable as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(CANNOT_EXIT)


def become(uid: int, readable: Sequence[Path], writable: Sequence[Path]) -> None:
    """Irreversibly change this root process to `uid` without any capability. Raises SandboxUnavailable."""
    paths = [path for path in dict.fromkeys(map(_absolute, readable)) if path.exists()]
    ours = [_absolute(path) for path in writable]
    for directory in ours:
        try:
            _hand_over(directory, uid, paths)
        except OSError as error:
            raise SandboxUnavailable(
                f"{directory} cannot be given to the user {uid}, which Stepgrad runs as instead of root ({error.strerror}): "
                "start Stepgrad as an ordinary user who may write there, or keep CAP_CHOWN."
            ) from error
    try:
        _uncover(paths, ours, uid)
    except OSError as error:
        raise SandboxUnavailable(
            f"Stepgrad was started as root, but Python is in a directory that only root may enter ({paths[0]}) and cannot be "
            f"bound elsewhere ({error}): start Stepgrad as an ordinary user, or keep CAP_SYS_ADMIN."
        ) from error
    try:
        os.setgroups([])
        syscalls.empty_bounding_set()
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)  # also drops all capabilities
        syscalls.drop_capabilities()
        syscalls.no_new_privileges()
    except OSError as error:
        raise SandboxUnavailable(f"Stepgrad cannot drop root privileges ({error}): use an ordinary user.") from error
    for path in paths:
        if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
            raise SandboxUnavailable(
                f"Without root, {path} cannot be read: chmod -R o+rX {path}, or start as an ordinary user."
            )


# --- helpers --------------------------------------------------------------------------------------------------------------


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _hand_over(directory: Path, uid: int, readable: Iterable[Path]) -> None:
    """Make `uid` the owner of `directory` and of its contents.

    Raises SandboxUnavailable if the directory contains other files than Stepgrad's data.
    """
    directory = directory.resolve()
    if directory in NEVER_OURS or any(path.is_relative_to(directory) for path in readable):
        raise SandboxUnavailable(f"{directory} contains more than Stepgrad's data: choose a separate directory for the data.")
    directory.mkdir(parents=True, exist_ok=True)
    # Access is by descriptor and does not follow links, because the contents may be hostile.
    for _root, _, files, fd in os.fwalk(directory):
        os.chown(fd, uid, uid)
        for name in files:
            if os.stat(name, dir_fd=fd, follow_symlinks=False).st_nlink == 1:  # another hard link may be a file of another user
                os.chown(name, uid, uid, dir_fd=fd, follow_symlinks=False)


def _uncover(readable: list[Path], writable: list[Path], uid: int) -> None:
    """If `uid` cannot reach one of the paths, make all paths reachable in a private mount namespace."""
    links: dict[Path, str] = {}
    needed = [_resolved(path, links) for path in (*readable, *writable)]
    covers = {cover for path in needed if (cover := _first_closed(path, uid))}
    covers = {cover for cover in covers if not any(other in cover.parents for other in covers)}
    if not covers:
        return
    os.umask(0o022)
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("none", "/", flags=MS_REC | MS_PRIVATE)
    ours = {path.resolve() for path in writable}
    for cover in covers:
        below = sorted(path for path in set(needed) if path.is_relative_to(cover))
        outermost = [path for path in below if path in ours or not any(other in path.parents for other in below)]
        held = [(path, os.open(path, os.O_PATH)) for path in outermost]
        syscalls.mount("tmpfs", str(cover), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m")
        for path, fd in held:  # parents sort before their contents
            _bind(fd, path, read_only=path not in ours)
            os.close(fd)
        for link, target in links.items():
            if link.is_relative_to(cover) and not link.is_symlink():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(target)


def _bind(fd: int, path: Path, *, read_only: bool) -> None:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            path.mkdir()
        else:
            path.touch()
    syscalls.mount(f"/proc/self/fd/{fd}", str(path), flags=MS_BIND | MS_REC)
    if read_only:
        with suppress(OSError):  # in a container some flags are locked, but `uid` cannot write these files anyway
            syscalls.mount("none", str(path), flags=MS_BIND | MS_REMOUNT | MS_RDONLY)


def _resolved(path: Path, links: dict[Path, str]) -> Path:
    """`path` without symbolic links. The function adds the links of `path` to `links`."""
    for _ in range(40):
        for place in (*reversed(path.parents), path):
            if place.is_symlink():
                target = str(place.readlink())
                links[place] = target
                path = _absolute(place.parent / target / path.relative_to(place))
                break
        else:
            return path
    return path


def _first_closed(path: Path, uid: int) -> Path | None:
    """The outermost directory above `path` that `uid` may not enter."""
    for parent in reversed(path.parents):
        known = parent.stat()
        if not known.st_mode & stat.S_IXOTH and known.st_uid != uid:
            return parent
    return None
