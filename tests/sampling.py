"""`make test` runs a tenth of each sweep, selected by the commit's hash; `make test-long` runs all cases.

A sweep is a test marked `sweep`, which checks one property of many programs, sizes or languages, or a test in one of the folders
of `EXERCISED`, which start servers, sandboxes and browsers. Tests that the current change may affect always run: tests in a
changed file, tests that import a changed file, tests that are named after a changed file, and tests in a folder that exercises
a changed file. A test that imports a package of `app` is affected by each file of that package.
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
"""The environment variable that passes the sample to the worker processes, because all must collect the same tests."""
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
"""Folders and files that are sweeps, with the paths that their tests exercise without importing them. They take most of the time
of all tests. The recorder and the store import nothing else of Stepgrad, as the contracts in pyproject.toml ensure.
"""
ALWAYS = (
    "tests/browser/test_journey.py",
    *(f"tests/web/test_{name}.py" for name in ("api_page", "assets", "conformance", "pages", "runs")),
)
"""Files of these folders that always run: a visitor's journey, the API as a whole, and what the web serves of docs/ and
static/.
"""


class Sample(msgspec.Struct, frozen=True):
    """The selection of cases of the sweeps."""

    part: int
    """The selected tenth, from 0 to 9."""
    commit: str
    """The hash of the commit that determined the sample."""
    changed: frozenset[str]
    """Files that changed since the last merge, in commits or uncommitted, as paths relative to the root."""

    def has(self, item: pytest.Item) -> bool:
        """Whether a test runs. A test outside of sweeps always runs. Tests that share a server run together."""
        marker = item.get_closest_marker("sweep")
        if marker is None:
            return True
        file = str(item.path.relative_to(ROOT))
        name = unit(item.nodeid) if marker.kwargs.get("by_unit") else item.nodeid
        return self.has_case(file, name.partition("::")[2])

    def has_case(self, file: str, case: str) -> bool:
        """Whether a case of a sweep in this test file runs."""
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
    """Return the sample for the current checkout; part 0 if git fails, as in an unpacked archive."""
    commit = _git("rev-parse", "HEAD") or "0"
    last_merge = _git("rev-list", "--merges", "--max-count=1", "HEAD")
    # If HEAD is a merge, test the merge itself.
    since = f"{commit}^1" if last_merge == commit else last_merge or "HEAD"
    changed = _git("diff", "--name-only", since) + "\n" + _git("ls-files", "--others", "--exclude-standard")
    return Sample(part=int(commit, 16) % PARTS, commit=commit, changed=read(changed))


def read(changed: str) -> frozenset[str]:
    """Return the paths in the output of git, except Markdown files, because the tests that read Markdown files are not
    sweeps."""
    return frozenset(path for path in changed.split("\n") if path and not path.endswith(".md"))


def mark(items: list[pytest.Item]) -> None:
    """Mark the remaining tests of the folders of `EXERCISED` as sweeps."""
    for item in items:
        if _folder(item.nodeid) is not None and item.get_closest_marker("sweep") is None:
            item.add_marker(pytest.mark.sweep(by_unit=True))


def _folder(file: str) -> str | None:
    """Return the folder of `EXERCISED` that contains a test file."""
    return None if file.startswith(ALWAYS) else next((folder for folder in EXERCISED if file.startswith(folder)), None)


def _git(*arguments: str) -> str:
    try:
        answer = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


@cache
def _names(paths: frozenset[str]) -> list[str]:
    """Return the names that cases have if one of the files is their program or finder."""
    return [name for path in paths if len(name := Path(path).name.partition(".")[0]) > 3]


@cache
def _units(paths: frozenset[str]) -> frozenset[str]:
    """Return the packages of `app` that contain the files, and the files outside of `app`."""
    return frozenset("/".join(path.split("/")[:2]) if path.startswith("app/") else path for path in paths)


def some(file: str, cases: Mapping[str, Case], folder: str | None = None) -> dict[str, Case]:
    """Return the selected cases of one test. `file` is the test's `__file__`. Returns all cases if a file in `folder`
    changed."""
    sample = msgspec.json.decode(os.environ[VARIABLE], type=Sample | None)
    path = str(Path(file).relative_to(ROOT))
    if sample is not None and folder is not None and any(each.startswith(folder) for each in sample.changed):
        sample = None
    return {name: cases[name] for name in cases if sample is None or sample.has_case(path, name)}


def choose(config: pytest.Config) -> Sample | None:
    """Return the sample of this run; None, so that all cases run, if files were named or `-m` selects sweeps."""
    if VARIABLE in os.environ:
        return msgspec.json.decode(os.environ[VARIABLE], type=Sample | None)
    is_whole = config.args_source == pytest.Config.ArgsSource.TESTPATHS and "sweep" not in config.getoption("markexpr")
    sample = at_hand() if is_whole else None
    os.environ[VARIABLE] = msgspec.json.encode(sample).decode()
    return sample
