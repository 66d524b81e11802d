"""Folders of the source code have few files, and modules with the same name have the same purpose."""

from collections import Counter, defaultdict
from pathlib import Path
from subprocess import run

import pytest

ROOT = Path(__file__).parent.parent
MOST_FILES = 25
COLLECTIONS = ("app/lessons", "app/explain/findings/", "app/store/migrations/")
"""Folders with many files of one kind, such as lessons or findings."""
SHARED = {"__init__", "__main__", "errors", "seal", "jail", "inside", "protocol"}
"""Module names with the same purpose in several parts: errors, and modules that confine, start or talk to a child process."""


def sources(*suffixes: str) -> list[Path]:
    listed = run(["git", "ls-files", "-co", "--exclude-standard", "app", "static/js"], cwd=ROOT, capture_output=True, text=True)
    files = [Path(line) for line in listed.stdout.splitlines() if line.endswith(suffixes)]
    return [path for path in files if (ROOT / path).exists()]


@pytest.mark.parametrize("top", ["app", "static/js"])
def test_no_folder_is_crowded(top: str) -> None:
    counts = Counter(str(path.parent) for path in sources(".py", ".js", ".ts", ".toml") if path.is_relative_to(top))
    assert counts
    crowded = {folder: count for folder, count in counts.items() if count > MOST_FILES}
    assert {folder for folder in crowded if not f"{folder}/".startswith(COLLECTIONS)} == set()


def test_a_module_name_means_one_thing() -> None:
    folders: dict[str, list[str]] = defaultdict(list)
    for path in sources(".py"):
        # Modules of the narration and the recorder may have equal names, because both are named after the recorded facts.
        if path.stem not in SHARED and not path.is_relative_to("app/narration"):
            folders[path.stem].append(str(path.parent))
    assert {name: found for name, found in folders.items() if len(found) > 1} == {}
