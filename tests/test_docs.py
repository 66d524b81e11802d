"""The documentation names what is there, and keeps to its size."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ARCHITECTURE = ROOT / "app/ARCHITECTURE.md"
PAGES = [
    ROOT / path
    for path in subprocess.run(
        [
            "git",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "*README.md",
            "CONTRIBUTING.md",
            "app/ARCHITECTURE.md",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    if "/vendor/" not in path
]

PATH = re.compile(r"[\w.-]+(/[\w.-]+)*/?")
SUFFIX = re.compile(r"\.(py|js|mjs|ts|md|toml|json|ftl|css|html|tbl|txt|lock)$")
MADE = {"run.json", "out.json", "snippet.py"}
"""Files of the reader's, in examples."""


def paths(text: str) -> Iterator[tuple[str, list[str]]]:
    """What looks like a path in backticks, each with the folders that its line names before it."""
    for line in re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE).splitlines():
        folders: list[str] = []
        for code in re.findall(r"`([^`]+)`", line):
            if PATH.fullmatch(code) and ("/" in code or SUFFIX.search(code)) and code not in MADE:
                yield code, folders
                folders = [*folders, code] if code.endswith("/") else folders


def is_there(path: str, page: Path, folders: list[str]) -> bool:
    """Whether a path leads somewhere from the root, from the page, or from a folder of its line or of the page's tables."""
    places = [ROOT, page.parent, *(ROOT / folder for folder in folders)]
    if page == ARCHITECTURE:
        places += [ROOT / "static/js", ROOT / "static/js/layout", ROOT / "static/js/lazy"]
    return any((place / path).exists() for place in places)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    named = list(paths(text))
    assert [path for path, folders in named if not is_there(path, page, folders)] == []
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_pages_are_found() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"README.md", "CONTRIBUTING.md", "app/ARCHITECTURE.md", "app/tracer/README.md", "static/README.md"} <= names
    assert not is_there("app/no_such_file.py", ARCHITECTURE, [])


def test_the_architecture_is_short() -> None:
    lines = ARCHITECTURE.read_text("utf-8").splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 110] == []
    glossary = lines[lines.index("## Glossary") :]
    assert len(glossary) <= 40 and not any(line.startswith("## ") for line in glossary[1:])
