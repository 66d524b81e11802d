"""The environment of runs: versions, and importable packages."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The versions on the page and in the health report."""

    stepgrad: str
    python: str
    torch: str


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The environment of runs, on this machine or on the available workers."""

    versions: Versions
    imports: dict[str, str]
    """The versions of importable packages outside the standard library, by import name."""
