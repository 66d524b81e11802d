"""The outer wall: the bubblewrap command line, and what of the host can be read behind it."""

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.sandbox.errors import SandboxUnavailable
from app.sandbox.settings import SandboxSettings

INSIDE: Final = Path("/opt/stepgrad")
"""Neutral place of everything of ours inside, wherever it is on the host."""

APP: Final = Path(__file__).resolve().parents[1]
READABLE_OF_APP: Final = ("__init__.py", "trace", "tracer", "sandbox/inside")
"""Without sandbox/__init__.py: inside, `app.sandbox` is a namespace package that holds `inside` and nothing of the server."""

ENVIRONMENT: Final = {
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "LD_LIBRARY_PATH": str(INSIDE / "python/lib"),  # for a Python with a shared libpython, whose rpath is its place on the host
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # or each thread maps 64 MiB, and 15 of them use up the address space of a run
    "CUDA_VISIBLE_DEVICES": "",  # a fork cannot use a device that its parent opened
}
"""The whole environment of a run."""

SYSTEM: Final = (
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/sys/devices/system/cpu",
)
"""Shared libraries, and the processor's shape, which torch's kernels ask for."""

DEVICES: Final = ("null", "zero", "random", "urandom")


@dataclass(frozen=True, kw_only=True)
class Jail:
    """A bubblewrap command line, and the host paths that it binds."""

    command: list[str]
    sources: list[Path]


def jail(settings: SandboxSettings, *, control_fd: int, bind_proc: bool) -> Jail:
    """The jail for a zygote that is controlled over `control_fd`. Raises SandboxUnavailable.

    `bind_proc`: show the zygote the /proc of the host instead of a new one. Each run covers it in either case.
    """
    bwrap = _bubblewrap()
    python, binds = _python()
    search = [INSIDE / "project"]
    for part in READABLE_OF_APP:
        if (APP / part).exists():
            binds.append((APP / part, INSIDE / "project/app" / part))
    for index, directory in enumerate(_directories(settings.packages)):
        search.append(INSIDE / f"packages{index}")
        binds.append((directory, search[-1]))
    for index, directory in enumerate(settings.extra_paths):
        search.append(INSIDE / f"extra{index}")
        binds.append((directory.resolve(), search[-1]))

    start = (
        f"import sys; sys.path[:0] = {[str(path) for path in search]!r}; "
        f"from app.sandbox.inside.zygote import main; main({control_fd}, {settings.tracer!r})"
    )
    # fmt: off
    command = [
        bwrap,
        "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--clearenv", "--hostname", "stepgrad",
        # In bubblewrap's own user namespace, for the zygote alone: see Zygote._fork. Each run gives it up.
        "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN",
        *_system(),
        *(word for source, target in binds for word in ("--ro-bind", str(source), str(target))),
        *(("--bind", "/proc", "/proc") if bind_proc else ("--proc", "/proc")),
        "--tmpfs", "/dev",
        *(word for name in DEVICES for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")),
        "--remount-ro", "/dev",
        "--tmpfs", "/tmp",  # for imports that want a temporary file; each run covers it with its own
        "--remount-ro", "/",
        *(word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)),
        "--", str(python), "-I", "-S", "-B", "-c", start,
    ]
    # fmt: on
    return Jail(command=command, sources=[Path(bwrap), *(source for source, _ in binds)])


def _bubblewrap() -> str:
    if sys.platform != "linux":
        raise SandboxUnavailable(
            f"Stepgrad seals runs with Linux namespaces, and this is {sys.platform}: use the container image."
        )
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap is not installed, and no snippet runs without it: apt-get install bubblewrap.")
    return bwrap


def _python() -> tuple[Path, list[tuple[Path, Path]]]:
    """The interpreter's path inside, and the binds that make it work: the binary and the library directories, nothing else."""
    prefix = Path(sys.base_prefix).resolve()
    binary = Path(sys.executable).resolve()
    place = INSIDE / "python/bin" / binary.name
    libraries = [name for name in ("lib", "lib64") if (prefix / name).is_dir() and not (prefix / name).is_symlink()]
    return place, [(binary, place), *((prefix / name, INSIDE / "python" / name) for name in libraries)]


def _directories(packages: tuple[str, ...]) -> list[Path]:
    """The directories that `packages` are imported from, without importing them."""
    directories: dict[Path, None] = {}
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise SandboxUnavailable(f"The Python package {package} is not installed, and runs need it: pip install {package}.")
        directories[Path(spec.origin).resolve().parents[1 if spec.submodule_search_locations else 0]] = None
    return list(directories)


def _system() -> Iterator[str]:
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
