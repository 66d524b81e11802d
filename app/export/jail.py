"""The jail of the child: the child's command line, with the same bubblewrap options as for runs."""

import resource
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from app.export.errors import ExportUnavailable
from app.export.graphviz_engines import program
from app.sandbox.errors import SandboxUnavailable
from app.sandbox.jail import INSIDE, PYTHON, SYSTEM, bubblewrap, libraries, system
from app.sandbox.unroot import unprivileged

PROJECT: Final = Path(__file__).resolve().parents[2]
EXPORT: Final = PROJECT / "app/export"
SCRIPT: Final = PROJECT / "static/bundle/positions.js"
SHEET: Final = PROJECT / "static/bundle/main.css"
WEB_FONTS: Final = PROJECT / "static/vendor/fonts"

PACKAGES: Final = ("graphviz", "msgspec", "py_mini_racer", "pygraphviz", "pygraphviz.libs")
"""Additional packages that the child imports, by their directories in site-packages."""

SEEN: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "/var/cache/fontconfig")
"""Additional system directories: fonts and fontconfig's settings."""

LOADERS: Final = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
"""The dynamic loaders of the machine types in the seccomp policy."""

LIMITS: Final = {
    "RLIMIT_DATA": 2 << 30,  # not RLIMIT_AS, because V8 reserves a terabyte of address space, but uses little memory
    "RLIMIT_CPU": 30,
    "RLIMIT_FSIZE": 64 << 20,
    "RLIMIT_NOFILE": 64,
    "RLIMIT_CORE": 0,
}
"""Resource limits of the child, and of the Graphviz program that the child starts."""

assert all(hasattr(resource, name) for name in LIMITS)

ENVIRONMENT: Final = {
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "PATH": str(INSIDE / "bin"),
    "LD_LIBRARY_PATH": str(INSIDE / "python/lib"),
    "FONTCONFIG_FILE": str(INSIDE / "project/app/export/fonts.conf"),
    "MALLOC_ARENA_MAX": "2",
}


def has_chinese() -> bool:
    """Whether this machine has one of the fonts for Chinese in fonts.conf."""
    return any(found for path in SEEN[:2] for found in Path(path).rglob("NotoSans*CJK*"))


@dataclass(frozen=True)
class Engine:
    """A Graphviz with which the child can draw: its name, and the path of the program (None for a library)."""

    name: str
    program: Path | None


def engine() -> Engine | None:
    """Return the Graphviz of this machine: the program or, without it, the library of pygraphviz; None if neither is installed."""
    if found := program():
        return Engine("dot", found)
    return Engine("pygraphviz", None) if find_spec("pygraphviz") else None


def command(drawing: Engine | None) -> list[str]:
    """The command line of a child that draws with the engine `drawing`.

    Without an engine, the child only writes DOT. Raises ExportUnavailable.
    """
    try:
        bwrap = bubblewrap()
    except SandboxUnavailable as error:
        raise ExportUnavailable(f"Pictures are drawn in a sealed process, which is not possible here: {error}") from None
    view = _view(drawing)
    # fmt: off
    words = [
        bwrap,
        "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--clearenv", "--hostname", "stepgrad", "--cap-drop", "ALL",
        *system(),
        *(word for path in SEEN if Path(path).is_dir() for word in ("--ro-bind", path, path)),
        *(word for target, source in view.items() for word in ("--ro-bind", str(source), str(target))),
        "--dev", "/dev",
        "--tmpfs", "/tmp",
        "--remount-ro", "/",
        *(word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)),
        "--", str(INSIDE / "python/bin" / PYTHON.name), "-P", "-s", "-S", "-B", "-c", _start(drawing),
    ]
    # fmt: on
    return unprivileged(words, [Path(bwrap), *view.values()])


def _view(drawing: Engine | None) -> dict[Path, Path]:
    """Paths of the host that the child may read, by their paths inside."""
    project = INSIDE / "project"
    view = {
        INSIDE / "python/bin" / PYTHON.name: PYTHON,
        **{INSIDE / "python" / library.name: library for library in libraries()},
        project / "app/__init__.py": PROJECT / "app/__init__.py",
        project / "app/export": EXPORT,
        project / "app/sandbox/inside": PROJECT / "app/sandbox/inside",
        INSIDE / "fonts": EXPORT / "fonts",
        project / "fonts": WEB_FONTS,
        project / SCRIPT.name: SCRIPT,
        project / SHEET.name: SHEET,
        **{INSIDE / "packages" / name: source for name in PACKAGES if (source := _package(name)) is not None},
    }
    if drawing is not None and drawing.program is not None:
        view[INSIDE / "bin/dot"] = drawing.program
    return view


def _package(name: str) -> Path | None:
    found = next((path for entry in sys.path if entry and (path := Path(entry) / name).is_dir()), None)
    return None if found is None else found.resolve()


def _start(drawing: Engine | None) -> str:
    project = INSIDE / "project"
    places = {"script": str(project / SCRIPT.name), "css": str(project / SHEET.name), "fonts": str(project / "fonts")}
    readable = [str(INSIDE), *(path for path in (*SYSTEM, *SEEN) if Path(path).exists())]
    programs = [str(INSIDE / "bin/dot"), loader()] if drawing is not None and drawing.program is not None else []
    return (
        f"import sys, types; sys.path[:0] = [{str(project)!r}]; sys.path += [{str(INSIDE / 'packages')!r}]; "
        # The child does not run the __init__ of these packages, which belong to the server.
        f"export = sys.modules['app.export'] = types.ModuleType('app.export'); "
        f"export.__path__ = [{str(project / 'app/export')!r}]; "
        f"sandbox = sys.modules['app.sandbox'] = types.ModuleType('app.sandbox'); "
        f"sandbox.__path__ = [{str(project / 'app/sandbox')!r}]; "
        f"from app.export.inside import main; main({LIMITS!r}, {readable!r}, {programs!r}, {places!r})"
    )


def loader() -> str:
    """The dynamic loader of this machine, which the kernel executes to start a program."""
    found = (path for path in LOADERS if Path(path).exists())
    return next(found, str(INSIDE / "bin/dot"))
