"""The folders of the source stay small, and a module's name means one thing."""

from collections import Counter, defaultdict
from pathlib import Path
from subprocess import run

import pytest

ROOT = Path(__file__).parent.parent
MOST_FILES = 25
COLLECTIONS = ("app/lessons", "app/explain/findings/", "app/store/migrations/")
"""Folders with files of one kind, which grow with the course, the findings and the releases."""
SHARED = {"__init__", "__main__", "errors", "seal", "jail", "inside", "protocol"}
"""Module names that mean the same in each part: its errors, and the modules that confine, start and talk to its child process."""


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
        # The modules of the narration and of the recorder may share names, because both are named after the recorded facts.
        if path.stem not in SHARED and not path.is_relative_to("app/narration"):
            folders[path.stem].append(str(path.parent))
    assert {name: found for name, found in folders.items() if len(found) > 1} == {}
