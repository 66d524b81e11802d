"""Run a tenth of the cases of each sweep in `make test`, selected by the hash of the commit. `make test-long` runs all cases.

A sweep is a test marked `sweep`, which checks one property for many programs, sizes or languages, or any test in the folders
of `EXERCISED`, which start servers, sandboxes or browsers.

Tests that the current change may affect always run: those in a changed file, those that import a changed file or have its
name, and those in a folder that exercises it. A test that imports a package of `app` is affected by all files of this
package.
"""

import os
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import msgspec
import pytest

from tests.dealing import unit
from tests.imports import imported

Case = TypeVar("Case")

PARTS = 10
VARIABLE = "TEST_STEPGRAD_SAMPLE"
"""The environment variable with the sample for all test processes, which must collect the same tests."""
ROOT = Path(__file__).parents[1]
BEHIND_THE_WEB = tuple(
    f"app/{part}"
    for part in (
        *("asgi", "background", "compose", "engine", "errors", "explainers", "export", "lectures", "networks"),
        *("questions", "rooms", "sandbox", "store", "web", "words"),
    )
)
EXERCISED = {
    "tests/browser/": ("app/web/", "static/", "templates/"),
    "tests/explainers/": (),
    "tests/fleet/": ("app/web/",),
    "tests/matrix/": ("pyproject.toml", "requirements"),
    "tests/rooms/": ("app/web/",),
    "tests/sandbox/": (),
    "tests/store/": ("app/background", "app/networks", "app/store", "app/trace", "requirements"),
    "tests/test_interrupted.py": ("Makefile", "app/__main__", "app/commands", *BEHIND_THE_WEB),
    "tests/tracer/": ("app/trace/", "app/tracer/", "requirements"),
    "tests/web/": (*BEHIND_THE_WEB, "templates/"),
}
"""Folders and files of sweeps, with the paths that they exercise without importing them.

These tests take most of the time. The recorder and the store import no other part of Stepgrad, according to the contracts in
pyproject.toml.
"""
ALWAYS = (
    "tests/browser/test_journey.py",
    *(f"tests/web/test_{name}.py" for name in ("api_page", "assets", "conformance", "pages", "runs")),
)
"""Files in these folders that always run: a visit to the page, the API as a whole, and what the server serves of docs/ and
static/.
"""


class Sample(msgspec.Struct, frozen=True):
    """The selection of cases."""

    part: int
    """Which tenth is selected, from 0 to 9."""
    commit: str
    """The hash of the commit that selects the tenth."""
    changed: frozenset[str]
    """Paths of files that changed since the last merge, committed or not, relative to the root."""

    def has(self, item: pytest.Item) -> bool:
        """Whether a test runs. Tests outside of sweeps always run. Tests that share a server run together."""
        marker = item.get_closest_marker("sweep")
        if marker is None:
            return True
        file = str(item.path.relative_to(ROOT))
        name = unit(item.nodeid) if marker.kwargs.get("by_unit") else item.nodeid
        return self.has_case(file, name.partition("::")[2])

    def has_case(self, file: str, case: str) -> bool:
        """Whether a case of a sweep runs."""
        in_part = crc32(f"{file} {case}".encode()) % PARTS == self.part
        is_concerned = not _units(self.changed).isdisjoint(_units(imported(file))) or any(
            path.startswith(EXERCISED[folder]) for path in self.changed if (folder := _folder(file)) is not None
        )
        return in_part or is_concerned or any(name in case for name in _names(self.changed))

    def told(self) -> str:
        """Return a line for pytest's header."""
        whole = f"; whole for {len(self.changed)} changed files" if self.changed else ""
        return f"sweeps: part {self.part + 1} of {PARTS}, chosen by commit {self.commit[:10]}{whole}"


def at_hand() -> Sample:
    """Return the sample for the current checkout. If git fails, as in an unpacked archive, select the first tenth."""
    commit = _git("rev-parse", "HEAD") or "0"
    last_merge = _git("rev-list", "--merges", "--max-count=1", "HEAD")
    # if HEAD is a merge, test the merge itself
    since = f"{commit}^1" if last_merge == commit else last_merge or "HEAD"
    changed = _git("diff", "--name-only", since) + "\n" + _git("ls-files", "--others", "--exclude-standard")
    return Sample(part=int(commit, 16) % PARTS, commit=commit, changed=read(changed))


def read(changed: str) -> frozenset[str]:
    """Return the paths in the output of git. Markdown files are left out, because the tests that read them are not sweeps."""
    return frozenset(path for path in changed.split("\n") if path and not path.endswith(".md"))


def mark(items: list[pytest.Item]) -> None:
    """Mark all tests in the folders of `EXERCISED` as sweeps."""
    for item in items:
        if _folder(item.nodeid) is not None and item.get_closest_marker("sweep") is None:
            item.add_marker(pytest.mark.sweep(by_unit=True))


def _folder(file: str) -> str | None:
    """Return the entry of `EXERCISED` that contains a test file; None if there is none."""
    return None if file.startswith(ALWAYS) else next((folder for folder in EXERCISED if file.startswith(folder)), None)


def _git(*arguments: str) -> str:
    try:
        answer = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


@cache
def _names(paths: frozenset[str]) -> list[str]:
    """Return the names of files without their suffixes. A case with such a name tests this file."""
    return [name for path in paths if len(name := Path(path).name.partition(".")[0]) > 3]


@cache
def _units(paths: frozenset[str]) -> frozenset[str]:
    """Return the packages of `app` that contain any of the files, and the files outside of `app`."""
    return frozenset("/".join(path.split("/")[:2]) if path.startswith("app/") else path for path in paths)


def some(file: str, cases: Mapping[str, Case], folder: str | None = None) -> dict[str, Case]:
    """Return the selected cases of a test. If a file in `folder` has changed, return all cases.

    `file` is the test's `__file__`.
    """
    sample = msgspec.json.decode(os.environ[VARIABLE], type=Sample | None)
    path = str(Path(file).relative_to(ROOT))
    if sample is not None and folder is not None and any(each.startswith(folder) for each in sample.changed):
        sample = None
    return {name: cases[name] for name in cases if sample is None or sample.has_case(path, name)}


def choose(config: pytest.Config) -> Sample | None:
    """Return the sample for this test run.

    None means all cases: if test files were named, or if `-m` mentions sweeps.
    """
    if VARIABLE in os.environ:
        return msgspec.json.decode(os.environ[VARIABLE], type=Sample | None)
    is_whole = config.args_source == pytest.Config.ArgsSource.TESTPATHS and "sweep" not in config.getoption("markexpr")
    sample = at_hand() if is_whole else None
    os.environ[VARIABLE] = msgspec.json.encode(sample).decode()
    return sample
