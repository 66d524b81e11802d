"""`make test` runs a tenth of each sweep, which the commit's hash chooses; `make test-long` runs all of it.

A sweep is a test marked `sweep`, which asks one question of many programs, sizes or languages, or a test in one of the folders
of `EXERCISED`, which start servers, sandboxes and browsers. Tests that the change at hand may concern always run: those of a
test file that changed or that imports a file that changed, those named after one, and those of a folder that exercises one. A
test that imports a package of `app` is concerned by each file of that package.
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
"""Hands the sample of the controlling process to the others, for all must collect the same tests."""
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
"""Folders and files that are sweeps, and what their tests exercise without an import. They take most of the time of all tests.
Neither the recorder nor the store imports more of Stepgrad than stands here: the contracts in pyproject.toml are checked.
"""
ALWAYS = (
    "tests/browser/test_journey.py",
    *(f"tests/web/test_{name}.py" for name in ("api_page", "assets", "conformance", "pages", "runs")),
)
"""Files of these folders that always run: what a visitor does, the API as a whole, and what docs/ and static/ give to the web."""


class Sample(msgspec.Struct, frozen=True):
    """Which cases of the sweeps run."""

    part: int
    """From 0 to 9: the tenth that runs."""
    commit: str
    """The commit that determined the sample, by its hash."""
    changed: frozenset[str]
    """Files that changed since the last merge, commits and uncommitted edits together, as paths from the root."""

    def has(self, item: pytest.Item) -> bool:
        """Whether a test runs: each one that is not part of a sweep does. Tests that share a server run together."""
        marker = item.get_closest_marker("sweep")
        if marker is None:
            return True
        file = str(item.path.relative_to(ROOT))
        name = unit(item.nodeid) if marker.kwargs.get("by_unit") else item.nodeid
        return self.has_case(file, name.partition("::")[2])

    def has_case(self, file: str, case: str) -> bool:
        """Whether a case of a sweep in that test file runs."""
        in_part = crc32(f"{file} {case}".encode()) % PARTS == self.part
        is_concerned = not _units(self.changed).isdisjoint(_units(imported(file))) or any(
            path.startswith(EXERCISED[folder]) for path in self.changed if (folder := _folder(file)) is not None
        )
        return in_part or is_concerned or any(name in case for name in _names(self.changed))

    def told(self) -> str:
        """A line for the head of the output."""
        whole = f"; whole for {len(self.changed)} changed files" if self.changed else ""
        return f"sweeps: part {self.part + 1} of {PARTS}, chosen by commit {self.commit[:10]}{whole}"


def at_hand() -> Sample:
    """The sample for the checkout as it is; part 0 where git does not answer, as in an unpacked archive."""
    commit = _git("rev-parse", "HEAD") or "0"
    last_merge = _git("rev-list", "--merges", "--max-count=1", "HEAD")
    # If HEAD is a merge, test the merge itself.
    since = f"{commit}^1" if last_merge == commit else last_merge or "HEAD"
    changed = _git("diff", "--name-only", since) + "\n" + _git("ls-files", "--others", "--exclude-standard")
    return Sample(part=int(commit, 16) % PARTS, commit=commit, changed=read(changed))


def read(changed: str) -> frozenset[str]:
    """The paths in the output of git, without pages of documentation: the tests that read those are no sweeps."""
    return frozenset(path for path in changed.split("\n") if path and not path.endswith(".md"))


def mark(items: list[pytest.Item]) -> None:
    """Mark the other tests of the folders of `EXERCISED` as sweeps, too."""
    for item in items:
        if _folder(item.nodeid) is not None and item.get_closest_marker("sweep") is None:
            item.add_marker(pytest.mark.sweep(by_unit=True))


def _folder(file: str) -> str | None:
    """The folder of `EXERCISED` that a test file is in."""
    return None if file.startswith(ALWAYS) else next((folder for folder in EXERCISED if file.startswith(folder)), None)


def _git(*arguments: str) -> str:
    try:
        answer = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.stdout.strip()


@cache
def _names(paths: frozenset[str]) -> list[str]:
    """The names of cases with a program or finder among the files."""
    return [name for path in paths if len(name := Path(path).name.partition(".")[0]) > 3]


@cache
def _units(paths: frozenset[str]) -> frozenset[str]:
    """The packages of `app` that files belong to, and other files themselves."""
    return frozenset("/".join(path.split("/")[:2]) if path.startswith("app/") else path for path in paths)


def some(file: str, cases: Mapping[str, Case], folder: str | None = None) -> dict[str, Case]:
    """The cases that one test goes through; `file` is the test's `__file__`. All of them if a file in `folder` changed."""
    sample = msgspec.json.decode(os.environ[VARIABLE], type=Sample | None)
    path = str(Path(file).relative_to(ROOT))
    if sample is not None and folder is not None and any(each.startswith(folder) for each in sample.changed):
        sample = None
    return {name: cases[name] for name in cases if sample is None or sample.has_case(path, name)}


def choose(config: pytest.Config) -> Sample | None:
    """The sample of a whole run; None where files were named, or `-m` asks for sweeps, so that all cases run."""
    if VARIABLE in os.environ:
        return msgspec.json.decode(os.environ[VARIABLE], type=Sample | None)
    is_whole = config.args_source == pytest.Config.ArgsSource.TESTPATHS and "sweep" not in config.getoption("markexpr")
    sample = at_hand() if is_whole else None
    os.environ[VARIABLE] = msgspec.json.encode(sample).decode()
    return sample
