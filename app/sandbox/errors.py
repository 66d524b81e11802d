"""Errors of the sandbox itself. An error of a snippet is an end of its trace, not a SandboxError.

SandboxError
├── SandboxUnavailable   the sandbox cannot start, or could not seal a run; the message has the missing part and a remedy
│   └── LayerUnavailable because one layer is not available on this machine
└── SandboxDied          the zygote ended during a run; a new zygote starts
"""

from pathlib import Path
from typing import Final

from app.sandbox.inside.layers import Layer

SYSCTLS: Final = Path("/proc/sys")
FORBIDS_NAMESPACES: Final = {
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "15000"),
}
"""Sysctls, each with the value that forbids user namespaces and the value that allows them.

The first is Ubuntu's, in AppArmor.
"""

USER_NAMESPACES: Final = (
    "allow unprivileged user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
    "kernel.apparmor_restrict_unprivileged_userns; in Docker --security-opt seccomp=seccomp.json)"
)

REMEDIES: Final = {
    Layer.BUBBLEWRAP: USER_NAMESPACES,
    Layer.NAMESPACES: USER_NAMESPACES,
    Layer.LIMITS: "start Stepgrad where a process may lower its own resource limits",
    Layer.PRIVILEGES: "start Stepgrad as an ordinary user without capabilities",
    Layer.LANDLOCK: "boot Linux 6.2 or later with Landlock (landlock in the kernel's lsm= list)",
    Layer.SECCOMP: "use a kernel with CONFIG_SECCOMP_FILTER on x86_64 or aarch64",
}
"""What an operator can do about a missing layer, unless `remedy` finds a setting of the kernel to change."""


def remedy(layer: Layer, sysctls: Path = SYSCTLS) -> str:
    """The remedy for a missing layer, for operators. If sysctls forbid the layer, the remedy changes these sysctls."""
    forbid = {
        f"{name}={allows}": f"{name}={value}"
        for name, (value, allows) in FORBIDS_NAMESPACES.items()
        if _read(sysctls / name.replace(".", "/")) == value
    }
    if REMEDIES[layer] is not USER_NAMESPACES or not forbid:
        return REMEDIES[layer]
    return (
        f"allow user namespaces, which {' and '.join(forbid.values())} forbids here (as root: sysctl {' '.join(forbid)}, and "
        "permanently in a file in /etc/sysctl.d; in Docker also --security-opt seccomp=seccomp.json)"
    )


def _read(sysctl: Path) -> str | None:
    """The value of a sysctl; None if the kernel lacks or hides the sysctl."""
    try:
        return sysctl.read_text("ascii").strip()
    except OSError:
        return None


class SandboxError(Exception):
    """The base class. The text is one sentence that visitors may see."""


class SandboxUnavailable(SandboxError):
    """No snippet can run. The message has the missing part and a remedy."""


class LayerUnavailable(SandboxUnavailable):
    """`layer` is not available on this machine. `why` is the error of the kernel or of bubblewrap."""

    def __init__(self, layer: Layer, why: str) -> None:
        super().__init__(f"Runs cannot be isolated here, because the layer {layer} is not available ({why}): {remedy(layer)}.")
        self.layer = layer
        self.why = why


class SandboxDied(SandboxError):
    """The zygote died together with this run. The next run gets a new zygote."""
