"""Follow the recipes in CONTRIBUTING.md in a copy of the source tree, and run the checks that they must pass."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COPIED = ("app", "static", "templates", "tests", "pyproject.toml")
BLOCK = re.compile(r"^( *)```\w+\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    """Return a section of CONTRIBUTING.md."""
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


def follow(recipe: str, tree: Path) -> None:
    """Add each code block to the last file that is named before it.

    If the file contains the first line of the block, the block replaces this line.
    """
    for block in BLOCK.finditer(recipe):
        named = re.findall(r"`((?:app|static|tests)/[\w./-]+\.\w+)`", recipe[: block.start()])
        path, text = tree / named[-1], re.sub(f"^{block[1]}", "", block[2], flags=re.MULTILINE)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        first = text.splitlines(keepends=True)[0]
        whole = before.replace(first, text, 1) if first in before.splitlines(keepends=True) else before + text
        path.write_text(whole, encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy the files that the checks need."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_recipe_for_a_finding(tree: Path) -> None:
    recipe = section("A finding")
    follow(recipe, tree)
    (check,) = re.findall(r"`\.venv/bin/python (-m pytest .* -k .*)`", recipe)
    # without this session's sample, which belongs to another source tree
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("PYTEST_", "TEST_STEPGRAD_SAMPLE"))}
    checked = subprocess.run(
        [sys.executable, *shlex.split(check)], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert re.search(r"(\d+) passed", checked.stdout)
