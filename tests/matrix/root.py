"""A directory with another Linux release, in which programs run as on a machine with this release.

The programs have their own mount and pid namespaces. When the last program ends, all mounts disappear, so removing the
directory cannot remove files outside of the directory. A chroot is not used, because the kernel does not permit user
namespaces in a chroot.
"""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_ALONE: Final = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "--mount-proc"]
_ENTER: Final = """
set -eu
root=$1 count=$2; shift 2
mount --bind "$root" "$root"
cd "$root"
mount --rbind /dev dev
mount --rbind /sys sys
mount -t proc proc proc
while [ "$count" -gt 0 ]; do
  if [ -d "$1" ]; then mkdir -p ".$1"; else mkdir -p ".$(dirname "$1")"; [ -e ".$1" ] || : > ".$1"; fi
  mount --bind "$1" ".$1"
  mount -o remount,bind,ro ".$1"
  count=$((count - 1)); shift
done
mkdir -p .outside
pivot_root . .outside
cd /
umount -l /.outside
rmdir /.outside
exec "$@"
"""
"""A shell script. Its arguments are the root directory, the number of paths to mount read-only, these paths, and the command."""


@contextmanager
def folder() -> Iterator[Path]:
    """Create a directory, and remove it at the end, also after SIGTERM, SIGHUP or Ctrl-C."""
    before = {number: signal.signal(number, _end) for number in (signal.SIGTERM, signal.SIGHUP)}
    made = Path(tempfile.mkdtemp(prefix="stepgrad-matrix-", dir="/var/tmp"))
    try:
        root = made / "root"
        root.mkdir(mode=0o755)  # the server must be able to enter it after it has dropped root
        yield root
    finally:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        shutil.rmtree(made)
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def alone(command: Sequence[str], environment: dict[str, str]) -> None:
    """Run a command in new namespaces. The command's mounts and child processes end with the command. Raises
    CalledProcessError.
    """
    with subprocess.Popen([*_ALONE, "--", *command], env=environment, stdin=subprocess.DEVNULL) as process:
        try:
            status = process.wait()
        except BaseException:
            _kill(process)
            raise
    if status != 0:
        raise subprocess.CalledProcessError(status, list(command))


def inside(root: Path, command: Sequence[str], environment: dict[str, str], seen: Sequence[str] = ()) -> None:
    """Run a command in the root directory, where it can also read the paths `seen`. Raises CalledProcessError."""
    enter = ["sh", "-c", _ENTER, "sh", str(root), str(len(seen)), *seen]
    try:
        alone([*enter, "env", "--chdir=/opt/stepgrad", *command], {"PATH": PATH, **environment})
    except subprocess.CalledProcessError as error:
        raise subprocess.CalledProcessError(error.returncode, list(command)) from None


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill PID 1 of the namespace, and thereby all its processes."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:
        subprocess.run(["kill", "-KILL", child], check=False)
    if not children:
        process.kill()
    process.wait()
