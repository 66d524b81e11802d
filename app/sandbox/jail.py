"""The outer sandbox: the command line that starts a zygote in the sandbox, and the host paths that the zygote can read."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.sandbox.errors import SandboxUnavailable
from app.sandbox.inside.layers import Layer
from app.sandbox.inside.seal import DEVICES
from app.sandbox.packages import Packages, packages_of
from app.sandbox.sandbox_settings import SandboxSettings

INSIDE: Final = Path("/opt/stepgrad")
"""The directory in the sandbox below which files are bound, independent of their paths on the host."""

PACKAGES: Final = INSIDE / "packages"
"""The directory of the packages in the sandbox. Imports find only these packages."""

APP: Final = Path(__file__).resolve().parents[1]
READABLE_OF_APP: Final = ("__init__.py", "trace", "tracer", "sandbox/inside")
PYTHON: Final = Path(sys.executable).resolve()

ENVIRONMENT: Final = {
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # constant, because sets must have the same order in runs that are compared
    "LD_LIBRARY_PATH": str(INSIDE / "python/lib"),  # for a shared libpython, whose rpath is a path of the host
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # otherwise each thread maps 64 MiB, and 15 threads exhaust the address space of a run
    "CUDA_VISIBLE_DEVICES": "",  # a fork cannot use a device that its parent opened
}
"""All environment variables of a run."""

GPU_ENVIRONMENT: Final = {
    **{name: value for name, value in ENVIRONMENT.items() if name != "CUDA_VISIBLE_DEVICES"},
    # With this variable, torch detects a GPU without opening the device. A fork of a zygote that has opened the GPU could not
    # use the GPU.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
"""All environment variables of a run in the GPU pool."""

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
"""Shared libraries, and the processor topology, which torch's kernels read."""


@dataclass(frozen=True, kw_only=True)
class Jail:
    """The start of a zygote: the command line, the environment, and the host paths that the zygote must be able to read."""

    command: list[str]
    environment: dict[str, str]
    sources: list[Path]


def jail(settings: SandboxSettings, *, control_fd: int, bind_proc: bool) -> Jail:
    """The jail for a zygote that the server controls over `control_fd`.

    Raises SandboxUnavailable. `bind_proc` binds the /proc of the host instead of mounting a new /proc. In both cases each run
    covers /proc.
    """
    packages = packages_of(settings.packages)
    view = _view(settings, packages)
    if Layer.BUBBLEWRAP in settings.without:
        outside = {source: source for source in view}
        environment = {**environment_of(settings), "LD_LIBRARY_PATH": str(Path(sys.base_prefix).resolve() / "lib")}
        return Jail(command=_zygote(settings, outside, packages, control_fd), environment=environment, sources=list(view))
    bwrap = bubblewrap()
    # fmt: off
    command = [
        bwrap,
        "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--clearenv", "--hostname", "stepgrad", "--cap-drop", "ALL",
        *system(),
        *(word for source, target in view.items() for word in ("--ro-bind", str(source), str(target))),
        *(("--bind", "/proc", "/proc") if bind_proc else ("--proc", "/proc")),
        "--tmpfs", "/dev",
        *(word for name in (*DEVICES, *settings.gpus) for word in ("--dev-bind", name, name)),
        "--remount-ro", "/dev",
        "--tmpfs", "/tmp",  # for imports that need a temporary file; each run covers it with a private /tmp
        "--remount-ro", "/",
        *(word for name, value in environment_of(settings).items() for word in ("--setenv", name, value)),
        "--", *_zygote(settings, view, packages, control_fd),
    ]
    # fmt: on
    return Jail(command=command, environment={}, sources=[Path(bwrap), *view])


def environment_of(settings: SandboxSettings) -> dict[str, str]:
    """All environment variables of a run with these settings."""
    return GPU_ENVIRONMENT if settings.gpus else ENVIRONMENT


def _view(settings: SandboxSettings, packages: Packages) -> dict[Path, Path]:
    """The readable paths of the host, each with the path inside to which it is bound."""
    return {
        PYTHON: INSIDE / "python/bin" / PYTHON.name,
        **{library: INSIDE / "python" / library.name for library in libraries()},
        **{APP / part: INSIDE / "project/app" / part for part in READABLE_OF_APP},
        **{source: PACKAGES / place for place, source in packages.places.items()},
        **{path.resolve(): INSIDE / f"more{number}" for number, path in enumerate(settings.extra_paths)},
    }


def _zygote(settings: SandboxSettings, places: dict[Path, Path], packages: Packages, control_fd: int) -> list[str]:
    """The command that starts the zygote. `places` has the path inside of each host path."""
    app = places[APP / "__init__.py"].parent
    is_inside = Layer.BUBBLEWRAP not in settings.without
    more = [str(places[path.resolve()]) for path in settings.extra_paths]
    search = [str(PACKAGES)] if is_inside else packages.directories
    listed = {} if is_inside else packages.by_directory
    readable = [str(place) for place in places.values() if not place.is_relative_to(PACKAGES)]
    readable += [*(search if is_inside else ()), *(path for path in SYSTEM if Path(path).exists())]
    without = sorted(map(str, settings.without))
    arguments = (control_fd, settings.tracer, without, settings.method, readable, list(settings.gpus))
    start = (
        f"import sys, types; sys.path[:0] = [{str(app.parent)!r}]; sys.path += {search + more!r}; "
        # The zygote imports no module of the server, because this app.sandbox contains only `inside`.
        f"sandbox = sys.modules['app.sandbox'] = types.ModuleType('app.sandbox'); sandbox.__path__ = [{str(app / 'sandbox')!r}]; "
        f"from app.sandbox.inside.listed import find_only; find_only({listed!r}); "
        f"from app.sandbox.inside.zygote import main; main(*{arguments!r})"
    )
    return [str(places[PYTHON]), "-P", "-s", "-S", "-B", "-c", start]  # not -I, which ignores PYTHONHASHSEED


def bubblewrap() -> str:
    """The path of bubblewrap. Raises SandboxUnavailable."""
    if sys.platform != "linux":
        raise SandboxUnavailable(
            f"Stepgrad isolates runs with Linux namespaces, but this is {sys.platform}: use the container image."
        )
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable(
            "bubblewrap is not installed, but Stepgrad needs it to isolate snippets: apt-get install bubblewrap."
        )
    return bwrap


def libraries() -> list[Path]:
    """The directories of Python's standard library and of libpython."""
    prefix = Path(sys.base_prefix).resolve()
    return [prefix / name for name in ("lib", "lib64") if (prefix / name).is_dir() and not (prefix / name).is_symlink()]


def system() -> Iterator[str]:
    """The bubblewrap arguments that make the system's libraries available."""
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
