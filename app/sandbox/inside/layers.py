"""The layers between a run and everything else, by name; each holds without the others."""

from enum import StrEnum


class Layer(StrEnum):
    """One layer. How much of them there is decides whom a server may serve (app/sandbox/tiers.py)."""

    BUBBLEWRAP = "bubblewrap"
    """Outer sandbox of all runs: no network, and of the file system only what Python and torch need."""
    NAMESPACES = "namespaces"
    """Each run alone, as PID 1, with its own /tmp and an empty /proc."""
    LIMITS = "limits"
    """What the kernel lets a run use."""
    PRIVILEGES = "privileges"
    """No capability, no way to gain one, and nobody of the same uid may look in."""
    LANDLOCK = "landlock"
    """No path but the bound ones, no TCP, no signal and no abstract socket across."""
    SECCOMP = "seccomp"
    """No system call but the listed ones."""


class LayerMissing(Exception):
    """A step of the sealing failed, so that `layer` cannot be had (None: a step of no layer). The text says which step, and how."""

    def __init__(self, layer: Layer | None, why: str) -> None:
        super().__init__(why)
        self.layer = layer
