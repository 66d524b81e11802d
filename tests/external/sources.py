"""Download the files of public programs at a fixed commit, and install the libraries that they need, into build/external."""

import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.external.manifest import Program

FOLDER = Path("build/external")
LIBRARIES = FOLDER / "libraries"
_PINS = Path(__file__).with_name("libraries.txt")


class NotFetched(Exception):
    """A repository or the libraries could not be downloaded, and there is no earlier copy."""


def texts(program: Program) -> list[str]:
    """Return the contents of a program's files, which are downloaded if necessary. Raises NotFetched."""
    if program.libraries:
        _install()
    if program.files:
        _fetch(program.repository, program.commit, program.address)
    return [_read(program, path) for path in program.files]


@cache
def _install() -> None:
    """Install the libraries without their dependencies, which are torch and other libraries of the list."""
    pins = LIBRARIES / "pins.txt"
    if pins.exists() and pins.read_bytes() == _PINS.read_bytes():
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--upgrade"]
    installed = subprocess.run([*pip, "--target", LIBRARIES, "--requirement", _PINS], capture_output=True, check=False)
    if installed.returncode != 0:
        raise NotFetched(f"{_PINS.name}: {installed.stderr.decode().strip()}")
    pins.write_bytes(_PINS.read_bytes())


@cache
def _fetch(repository: str, commit: str, address: str) -> None:
    folder = _folder(repository)
    if _git(folder, "cat-file", "-e", f"{commit}^{{commit}}").returncode == 0:
        return
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet", "--bare")
    # git downloads the contents of a file only when the file is read
    for name, value in (("url", address), ("promisor", "true"), ("partialCloneFilter", "blob:none")):
        _git(folder, "config", f"remote.origin.{name}", value)
    fetched = _git(folder, "fetch", "--quiet", "--depth", "1", "--filter", "blob:none", "origin", commit)
    if fetched.returncode != 0:
        raise NotFetched(f"{address} at {commit}: {fetched.stderr.decode().strip()}")


def _read(program: Program, path: str) -> str:
    shown = _git(_folder(program.repository), "show", f"{program.commit}:{path}")
    if shown.returncode != 0:
        raise NotFetched(f"{program.repository} has no {path} at {program.commit}: {shown.stderr.decode().strip()}")
    return shown.stdout.decode("utf-8").replace("\r\n", "\n")


def _folder(repository: str) -> Path:
    return FOLDER / "sources" / f"{repository.replace('/', '+')}.git"


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", f"--git-dir={folder}", *arguments], capture_output=True, check=False)
