"""The files of the repositories, fetched at their commits into build/external and read from git: nothing is checked out."""

import subprocess
from pathlib import Path

from tests.external.manifest import Repository

FOLDER = Path("build/external")


class NotFetched(Exception):
    """A repository could not be fetched, and is not here from before."""


def prepare(repository: Repository) -> None:
    """Fetch the repository's commit, unless it is here. Raises NotFetched."""
    folder = _folder(repository)
    if _git(folder, "cat-file", "-e", f"{repository.commit}^{{commit}}").returncode == 0:
        return
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet", "--bare")
    # Without the contents of files: git asks this remote for those that are read.
    for name, value in (("url", repository.address), ("promisor", "true"), ("partialCloneFilter", "blob:none")):
        _git(folder, "config", f"remote.origin.{name}", value)
    fetched = _git(folder, "fetch", "--quiet", "--depth", "1", "--filter", "blob:none", "origin", repository.commit)
    if fetched.returncode != 0:
        raise NotFetched(f"{repository.address} at {repository.commit}: {fetched.stderr.decode().strip()}")


def read(repository: Repository, path: str) -> str:
    """The text of one file at the repository's commit. Raises NotFetched where the commit has none of that name."""
    shown = _git(_folder(repository), "show", f"{repository.commit}:{path}")
    if shown.returncode != 0:
        raise NotFetched(f"{repository.name} has no {path} at {repository.commit}: {shown.stderr.decode().strip()}")
    return shown.stdout.decode("utf-8").replace("\r\n", "\n")


def _folder(repository: Repository) -> Path:
    return FOLDER / "sources" / f"{repository.name.replace('/', '+')}.git"


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", f"--git-dir={folder}", *arguments], capture_output=True, check=False)
