"""What manifest.toml holds: repositories at their commits, and the programs made of their files."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).with_name("manifest.toml")


@dataclass(frozen=True, kw_only=True)
class Program:
    """Files of a repository, one after the other, and how they are made small enough to record."""

    repository: str
    files: list[str]
    variant: str = ""
    rounds: int = 2
    """A loop that trains goes at most this many rounds."""
    settings: dict[str, str] = field(default_factory=dict)
    """By the name that is assigned to: the expression that takes the place of the file's own."""
    replace: list[list[str]] = field(default_factory=list)
    """Pairs of short texts, the first of which becomes the second, where a setting is no name."""
    argv: list[str] = field(default_factory=list)
    local: list[str] = field(default_factory=list)
    """Modules of the repository whose imports are dropped, because `files` holds their text."""
    model: str = ""
    """For files that only define: the module that two steps of SGD train, what it is given, and the loss of its `result`."""
    inputs: str = ""
    loss: str = "result.square().mean()"
    code: str = ""
    """For files that define no module: what is done with them."""
    masks: list[str] = field(default_factory=list)
    """Regular expressions of what may differ from run to run, besides those of comparing.py."""
    findings: list[str] = field(default_factory=list)
    """Kinds of warnings and errors that are true of this program."""

    @property
    def name(self) -> str:
        return " ".join(filter(None, (f"{self.repository}/{self.files[-1]}", self.variant)))


@dataclass(frozen=True, kw_only=True)
class Repository:
    """Where programs come from: `name` is owner/name on GitHub, `licence` what the repository says of itself."""

    name: str
    commit: str
    licence: str
    programs: list[Program]

    @property
    def address(self) -> str:
        return f"https://github.com/{self.name}"


def repositories(file: Path = FILE) -> list[Repository]:
    """All repositories, in the order of the file. Raises ValueError where two programs have one name."""
    found = [
        Repository(**{**given, "programs": [Program(repository=given["name"], **program) for program in given["programs"]]})
        for given in tomllib.loads(file.read_text(encoding="utf-8"))["repository"]
    ]
    names = [program.name for repository in found for program in repository.programs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{file.name} has more than one {', '.join(twice)}; give them a `variant`")
    return found
