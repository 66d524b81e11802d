"""Read manifest.toml: repositories with their commits, and the programs in them."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).with_name("manifest.toml")


@dataclass(frozen=True, kw_only=True)
class Program:
    """A public program: its files in the repository, and how to make it small.

    A program that tests a library has only `code`.
    """

    repository: str
    commit: str = ""
    files: list[str] = field(default_factory=list)
    variant: str = ""
    libraries: bool = False
    """Whether the program imports packages of libraries.txt. The sandbox lacks these packages, so such a program is not run
    there.
    """
    absent: list[str] = field(default_factory=list)
    """Additional packages to replace with stand-ins."""
    rounds: int = 2
    """The maximum number of iterations of a training loop."""
    settings: dict[str, str] = field(default_factory=dict)
    """Expressions by the name of the variable whose value they replace."""
    replace: list[list[str]] = field(default_factory=list)
    """Pairs of a string in the text and its replacement."""
    argv: list[str] = field(default_factory=list)
    local: list[str] = field(default_factory=list)
    """Modules of the repository whose imports are removed, because `files` contains their code."""
    imports: str = ""
    """The imports of a program without files."""
    model: str = ""
    """For files that only define modules: the module to train with two steps of SGD, its inputs, and the loss of its `result`."""
    inputs: str = ""
    loss: str = "result.square().mean()"
    code: str = ""
    """For files without a module to train: code to run."""
    masks: list[str] = field(default_factory=list)
    """Regular expressions for text that may differ between runs, in addition to those in comparing.py."""
    findings: list[str] = field(default_factory=list)
    """Kinds of warnings and errors that are correct for this program."""
    raises: str = ""
    """The type of an exception that all runs raise with the current torch."""

    @property
    def name(self) -> str:
        return " ".join(filter(None, ("/".join((self.repository, *self.files[-1:])), self.variant)))

    @property
    def address(self) -> str:
        return f"https://github.com/{self.repository}"


def programs(file: Path = FILE) -> list[Program]:
    """Return all programs in the order of the file. Raises ValueError if two have the same name."""
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
