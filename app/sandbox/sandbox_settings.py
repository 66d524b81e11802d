"""The settings of a sandbox."""

from dataclasses import dataclass
from pathlib import Path

from app.sandbox.inside.layers import Layer
from app.sandbox.inside.start import Method
from app.sandbox.unroot import UNPRIVILEGED_UID


@dataclass(frozen=True, kw_only=True)
class SandboxSettings:
    """The settings of a sandbox. These settings exclude limits, because each Request has its own limits."""

    tracer: str = "app.tracer.entry"
    """The module that the zygote imports as its tracer (`inside.child.Tracer`)."""
    packages: tuple[str, ...] = ("torch", "numpy")
    """Packages that runs may import in addition to the standard library, by import name."""
    extra_paths: tuple[Path, ...] = ()
    """Additional directories that runs may read and import from."""
    unprivileged_uid: int = UNPRIVILEGED_UID
    """uid and gid of runs on the host if the server is started as root; otherwise runs have the server's uid and gid."""
    without: frozenset[Layer] = frozenset()
    """Layers to omit, because they are not available here, or to test the other layers."""
    method: Method | None = None
    """The method to start runs; None: the fastest available method."""
    gpus: tuple[str, ...] = ()
    """Device nodes that runs may open (`gpus.device_nodes`). A sandbox with such nodes is the GPU pool."""
    start_seconds: float = 60.0
    """Timeout of starting a zygote, including its imports."""
    recycle_runs: int = 5000
    """Number of runs after which a new zygote, with a new address-space layout, replaces the current one."""
    recycle_seconds: float = 3600.0
    """Age at which a zygote is replaced."""
    growth_bytes: int = 64 << 20
    """Growth of memory after which a zygote is replaced, because every fork copies the zygote's page tables."""
    ping_seconds: float = 1.0
    """Interval of pings to a zygote."""
    hang_seconds: float = 3.0
    """How long a zygote that sleeps, is stopped or has a processor may leave a ping unanswered before it is killed."""
