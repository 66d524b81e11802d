"""Finds the files of installed packages that a run may read: listed packages, and the requirements of torch and the recorder."""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions, packages_distributions
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app.sandbox.errors import SandboxUnavailable

NEEDED: Final = ("torch", "numpy", "msgspec", "orjson", "xxhash")
"""The packages that the recorder imports. These packages and their requirements are always available."""

Parts = tuple[str, ...]
"""The components of a path, relative to a directory of sys.path."""

COMPILED: Final = (".so", ".pyd", ".dll", ".dylib")


@dataclass(frozen=True, kw_only=True)
class Packages:
    """Installed packages that runs may import in addition to the standard library."""

    places: dict[str, Path]
    """The readable files and directories, by their paths relative to a directory of sys.path."""
    versions: dict[str, str]
    """The versions of the listed packages, by import name."""
    extra: tuple[str, ...]
    """The listed packages that the recorder does not need, by import name."""

    @property
    def directories(self) -> list[str]:
        """The host directories of sys.path that contain these packages."""
        found = (source.parents[place.count("/")] for place, source in self.places.items())
        return list(dict.fromkeys(map(str, found)))

    @property
    def by_directory(self) -> dict[str, list[str]]:
        """The names that imports may find in these directories and their subdirectories, by directory."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for place, source in self.places.items():
            for parent, inside in zip(source.parents[: place.count("/") + 1], (source, *source.parents), strict=False):
                found[str(parent)][inside.name] = None
        return {directory: list(names) for directory, names in found.items()}


@cache
def packages_of(listed: tuple[str, ...]) -> Packages:
    """Find the packages with the import names `listed`, and what the recorder needs. Raises SandboxUnavailable with a remedy.

    The result is cached, because reading the metadata of all installed packages takes 0.2 s. A package consists of the files
    that pip installed under one name. Without pip's list of files, Stepgrad cannot separate the package from its neighbours.
    (PyPA: Recording installed projects.)
    """
    named = packages_distributions()
    needed = _required({_distribution(name, named) for name in NEEDED})
    extra = {name: _distribution(name, named) for name in listed}
    extra = {name: found for name, found in extra.items() if found not in needed}
    for name, found in extra.items():
        _check(name, found, needed | set(extra.values()), listed)
    readable = needed | set(extra.values())
    return Packages(
        places=_places(readable),
        versions={name: distribution(_distribution(name, named)).version for name in listed},
        extra=tuple(extra),
    )


def _distribution(name: str, named: Mapping[str, list[str]]) -> str:
    """The name under which pip installed the package with the import name `name`."""
    found = named.get(name)
    if not found:
        raise SandboxUnavailable(f"The Python package {name} is not installed, but runs need it: pip install {name}.")
    return canonicalize_name(found[0])


def _required(names: set[str]) -> set[str]:
    """The distributions `names` and, recursively, their installed requirements."""
    waiting = {(name, "") for name in names}
    found: set[tuple[str, str]] = set()
    while waiting:
        name, extra = waiting.pop()
        found.add((name, extra))
        waiting |= set(_requirements(name, extra)) - found
    return {name for name, _ in found}


def _requirements(name: str, extra: str) -> Iterator[tuple[str, str]]:
    """Yield each installed requirement of a distribution as pairs (name, extra): one with an empty extra, and one for each
    extra that is required of it."""
    for requirement in _required_here(name, extra):
        if _is_installed(requirement.name):
            required = canonicalize_name(requirement.name)
            yield from ((required, each) for each in ("", *requirement.extras))


def _required_here(name: str, extra: str = "") -> Iterator[Requirement]:
    """The requirements of a distribution, or of one of its extras, on this machine."""
    for requirement in map(Requirement, distribution(name).requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _check(name: str, found: str, readable: set[str], listed: tuple[str, ...]) -> None:
    """Raise SandboxUnavailable unless the package is plain Python and its requirements are listed."""
    files = ["/".join(parts) for parts in _files(distribution(found))]
    compiled = next((file for file in files if file.endswith(COMPILED) or ".so." in file), None)
    if compiled is not None:
        raise SandboxUnavailable(
            f"The Python package {name} in STEPGRAD_IMPORTS has compiled code ({compiled}), which cannot be recorded: "
            "list only packages of plain Python."
        )
    for requirement in _required_here(found):
        if not _is_installed(requirement.name):
            raise SandboxUnavailable(
                f"The Python package {name} in STEPGRAD_IMPORTS needs {requirement.name}, which is not installed: "
                f"pip install {requirement.name}."
            )
        if canonicalize_name(requirement.name) not in readable:
            names = ", ".join(_imported_as(requirement.name)) or requirement.name
            raise SandboxUnavailable(
                f"The Python package {name} in STEPGRAD_IMPORTS needs {names}, which is not listed: "
                f"STEPGRAD_IMPORTS={','.join(listed)},{names}."
            )


def _imported_as(required: str) -> list[str]:
    name = canonicalize_name(required)
    return sorted(each for each, found in packages_distributions().items() if name in map(canonicalize_name, found))


def _files(found: Distribution) -> set[Parts]:
    """The files of a distribution. Raises SandboxUnavailable if the distribution has no list of files."""
    files = _recorded(found)
    if not files:
        raise SandboxUnavailable(
            f"pip has no list of the files of {found.name}, so Stepgrad cannot separate the package: "
            f"pip install --force-reinstall {found.name}."
        )
    return files


def _recorded(found: Distribution) -> set[Parts]:
    # `found.files` would take a third of a second to create 15,000 paths for torch.
    paths = (row[0] for row in csv.reader((found.read_text("RECORD") or "").splitlines()) if row)
    return {tuple(path.split("/")) for path in paths if not path.startswith(("/", "../"))}


def _places(readable: set[str]) -> dict[str, Path]:
    """The smallest set of files and directories that contains exactly the distributions `readable`."""
    ours: dict[Path, set[Parts]] = defaultdict(set)
    others: dict[Path, set[Parts]] = defaultdict(set)
    seen = set()
    for found in distributions():
        name = canonicalize_name(found.metadata["Name"] or "")
        if name in seen:
            continue  # imports use the first installation
        seen.add(name)
        base = Path(str(found.locate_file("")))
        if name in readable:
            ours[base] |= _files(found)
        else:
            others[base] |= _recorded(found)
    places = ((base, place) for base, files in ours.items() for place in _outermost(files, others[base], 0))
    return {place: base / place for base, place in places if (base / place).exists()}


def _outermost(ours: set[Parts], others: set[Parts], depth: int) -> Iterator[str]:
    """The smallest set of prefixes that covers all paths in `ours` and no path in `others`.

    All paths have the same first `depth` parts.
    """
    taken = {parts[depth] for parts in others if len(parts) > depth}
    below: dict[str, set[Parts]] = defaultdict(set)
    for parts in ours:
        below[parts[depth]].add(parts)
    for name, files in sorted(below.items()):
        one = next(iter(files))
        if name not in taken or len(one) == depth + 1:
            yield "/".join((*one[:depth], name))
        else:
            yield from _outermost(files, {parts for parts in others if parts[: depth + 1] == one[: depth + 1]}, depth + 1)
