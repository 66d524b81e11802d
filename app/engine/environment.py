"""The environment that runs have: versions, and packages that can be imported."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The versions on the page and in the health report."""

    stepgrad: str
    python: str
    torch: str


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The environment of runs: of this machine, or of the workers that are up."""

    versions: Versions
    imports: dict[str, str]
    """The versions of importable packages outside the standard library, by import name."""
