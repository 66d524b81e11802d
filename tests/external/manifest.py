"""What manifest.toml holds: repositories at their commits and the programs made of their files, and programs of libraries."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).with_name("manifest.toml")


@dataclass(frozen=True, kw_only=True)
class Program:
    """Files of a repository, one after the other, and how they are made small enough to record. A library's has `code` alone."""

    repository: str
    commit: str = ""
    files: list[str] = field(default_factory=list)
    variant: str = ""
    libraries: bool = False
    """It imports what libraries.txt pins, which the sandbox does not have: it runs plain and under `record()`."""
    absent: list[str] = field(default_factory=list)
    """Packages to replace by stand-ins, in addition to those of the prelude."""
    rounds: int = 2
    """A loop that trains goes at most this many rounds."""
    settings: dict[str, str] = field(default_factory=dict)
    """By the name that is assigned to: the expression that takes the place of the file's own."""
    replace: list[list[str]] = field(default_factory=list)
    """Pairs of short texts, the first of which becomes the second, where a setting is no name."""
    argv: list[str] = field(default_factory=list)
    local: list[str] = field(default_factory=list)
    """Modules of the repository with dropped imports, because `files` contains their text."""
    imports: str = ""
    """What a program without files imports."""
    model: str = ""
    """For files that only define: the module to train with two steps of SGD, its input, and the loss of its `result`."""
    inputs: str = ""
    loss: str = "result.square().mean()"
    code: str = ""
    """For files that define no module: code to run them."""
    masks: list[str] = field(default_factory=list)
    """Regular expressions of text that may differ from run to run, in addition to those of comparing.py."""
    findings: list[str] = field(default_factory=list)
    """Kinds of warnings and errors that are true of this program."""
    raises: str = ""
    """The type of the exception that today's torch raises of it, in all ways."""

    @property
    def name(self) -> str:
        return " ".join(filter(None, ("/".join((self.repository, *self.files[-1:])), self.variant)))

    @property
    def address(self) -> str:
        return f"https://github.com/{self.repository}"


def programs(file: Path = FILE) -> list[Program]:
    """All programs, in the order of the file. Raises ValueError where two have one name."""
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    found = [
        Program(repository=repository["name"], commit=repository["commit"], **repository.get("every", {}), **program)
        for repository in given["repository"]
        for program in repository["programs"]
    ]
    found += [
        Program(repository=library["name"], libraries=True, **program)
        for library in given["library"]
        for program in library["programs"]
    ]
    names = [program.name for program in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{file.name} has more than one {', '.join(twice)}; give them a `variant`")
    return found
