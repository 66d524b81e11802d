"""The layers between a run and everything else, by name; each holds without the others."""

from enum import StrEnum


class Layer(StrEnum):
    """One layer. The layers determine the tier of a server (app/sandbox/tiers.py)."""

    BUBBLEWRAP = "bubblewrap"
    """Outer sandbox of all runs: no network, and of the file system only what Python and torch need."""
    NAMESPACES = "namespaces"
    """Each run alone, as PID 1, with its own /tmp and an empty /proc."""
    LIMITS = "limits"
    """What the kernel lets a run use."""
    PRIVILEGES = "privileges"
    """No capability, no way to gain one, and no inspection by other processes of the same uid."""
    LANDLOCK = "landlock"
    """No path but the bound ones, no TCP, no signal and no abstract socket across."""
    SECCOMP = "seccomp"
    """No system call but the listed ones."""


class LayerMissing(Exception):
    """A step of the sealing failed, so `layer` is not available (None: a step without a layer). The text names the step and the
    error."""

    def __init__(self, layer: Layer | None, why: str) -> None:
        super().__init__(why)
        self.layer = layer
