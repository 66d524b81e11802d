"""The rows of the table in docs/install.md. Each row is a Linux release with its Python and a version of torch."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs/install.md"


@dataclass(frozen=True, kw_only=True)
class System:
    """A Linux release with its Python and package archive."""

    name: str
    python: str
    mirror: str = "http://deb.debian.org/debian"
    components: str = "main"
    keyring: str = "debian-archive-keyring"


_UBUNTU: Final = {
    "mirror": "http://archive.ubuntu.com/ubuntu",
    "components": "main,universe",
    "keyring": "ubuntu-archive-keyring",
}
SYSTEMS: Final = {
    "bookworm": System(name="Debian 12", python="3.11"),
    "trixie": System(name="Debian 13", python="3.13"),
    "forky": System(name="Debian forky", python="3.14"),
    "noble": System(name="Ubuntu 24.04", python="3.12", **_UBUNTU),
}
TORCHES: Final = ("2.13.0", "2.14.0", "2.15.0")
"""The newest torch release of each minor version that app/commands/supported.py accepts."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A row of the table: a Linux release and a version of torch."""

    suite: str
    torch: str

    @property
    def name(self) -> str:
        """Return the value of CELL=: the release's code name and torch's minor version."""
        return f"{self.suite}-{self.torch.rpartition('.')[0]}"

    @property
    def system(self) -> System:
        return SYSTEMS[self.suite]

    def row(self, tried: str, python: str = "") -> str:
        """Return the row as Markdown. `python` is the version that was tested."""
        return f"| `{self.name}` | {self.system.name} | {python or self.system.python} | {self.torch} | {tried} |"


CELLS: Final = {cell.name: cell for suite in SYSTEMS for torch in TORCHES for cell in [Cell(suite=suite, torch=torch)]}

PARTS: Final = {
    "tracer": ["tests/tracer", "tests/trace"],
    "explain": ["tests/explain", "tests/explainers", "tests/corpus"],
    "lessons": ["tests/lessons"],
    "sandbox": ["tests/sandbox"],
    "web": ["tests/web", "tests/engine", "tests/store"],
    "cli": [
        "tests/test_cli.py",
        "tests/test_store_commands.py",
        "tests/test_supported.py",
        "tests/test_transcript.py",
    ],
}
"""The groups of tests that can run, by their titles in the table. Tests with browsers or Docker are not among them."""


def tried(parts: list[str], passed: int, failed: int, commit: str) -> str:
    """Return the text about a test result."""
    left_out = [part for part in PARTS if part not in parts]
    how = f"partly ({', '.join(parts)})" if len(parts) <= len(left_out) else f"partly (all but {', '.join(left_out)})"
    said = f"{failed:,} of {passed + failed:,} fail" if failed else f"{passed:,} pass"
    return f"{how if left_out else 'tried'}: {said}, `{commit}`"


def rows(text: str) -> dict[str, str]:
    """Return the lines of the table by the names of their cells."""
    return {found[1]: found[0] for found in re.finditer(r"^\| `([a-z]+-\d+\.\d+)` \|.*$", text, re.MULTILINE)}


def write(row: str, page: Path = PAGE) -> None:
    """Replace a row of the table in docs/install.md."""
    text = page.read_text("utf-8")
    [name] = rows(row)
    page.write_text(text.replace(rows(text)[name], row), "utf-8")
