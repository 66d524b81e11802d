"""What a sandbox is made of."""

from dataclasses import dataclass
from pathlib import Path

from app.sandbox.inside.layers import Layer
from app.sandbox.inside.start import Method
from app.sandbox.unroot import UNPRIVILEGED_UID


@dataclass(frozen=True, kw_only=True)
class SandboxSettings:
    """What a sandbox is made of. Limits are not here: they travel with each Request."""

    tracer: str = "app.tracer.entry"
    """Module that is imported inside: `preload()` once in the zygote, `run(request, emit)` in each sealed child."""
    packages: tuple[str, ...] = ("torch", "numpy")
    """Packages that runs may import in addition to the standard library, by import name."""
    extra_paths: tuple[Path, ...] = ()
    """More directories that the inside may read and import from."""
    unprivileged_uid: int = UNPRIVILEGED_UID
    """uid and gid on the host when started as root; otherwise runs have the caller's."""
    without: frozenset[Layer] = frozenset()
    """Layers that are left out, because they cannot be had here, or to see what holds without them."""
    method: Method | None = None
    """How runs are started; None takes the best way that works here."""
    gpus: tuple[str, ...] = ()
    """Device nodes that runs may open (`gpus.device_nodes`); with any of them it is a pool for GPU runs."""
    start_seconds: float = 60.0
    """How long the zygote may take to import everything."""
    recycle_runs: int = 5000
    """After so many runs a fresh zygote (with a new address-space layout) takes over."""
    recycle_seconds: float = 3600.0
    """At this age, too."""
    growth_bytes: int = 64 << 20
    """It is also replaced after growing by this much since it was ready: every fork has to copy the page tables."""
    ping_seconds: float = 1.0
    """How often a zygote is asked whether it is alive."""
    hang_seconds: float = 3.0
    """How long it may leave that unanswered, asleep, stopped or with a processor at hand, before it is killed."""
