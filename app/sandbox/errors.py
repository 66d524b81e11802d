"""Errors of the sandbox itself. Errors of a snippet are ends of its trace, never one of these.

SandboxError
├── SandboxUnavailable   it cannot start here, or could not seal a run; the message has the missing part and a remedy
│   └── LayerUnavailable because one layer is not available here
└── SandboxDied          it ended during a run; a new one is started
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
"""Sysctls: by which value each keeps user namespaces from programs, and one that does not. The first is Ubuntu's, in AppArmor."""

USER_NAMESPACES: Final = (
    "allow unprivileged user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
    "kernel.apparmor_restrict_unprivileged_userns; in Docker --security-opt seccomp=seccomp.json)"
)

REMEDIES: Final = {
    Layer.BUBBLEWRAP: USER_NAMESPACES,
    Layer.NAMESPACES: USER_NAMESPACES,
    Layer.LIMITS: "start Stepgrad where the kernel lets a process lower its own resource limits",
    Layer.PRIVILEGES: "start Stepgrad as an ordinary user without capabilities",
    Layer.LANDLOCK: "boot Linux 6.2 or later with Landlock (landlock in the kernel's lsm= list)",
    Layer.SECCOMP: "use a kernel with CONFIG_SECCOMP_FILTER on x86_64 or aarch64",
}
"""A remedy for a missing layer, for operators, unless a setting has a better one."""


def remedy(layer: Layer, sysctls: Path = SYSCTLS) -> str:
    """What an operator can do about a layer that is missing: change the settings that forbid it, where there are such."""
    forbid = {
        f"{name}={allows}": f"{name}={value}"
        for name, (value, allows) in FORBIDS_NAMESPACES.items()
        if _read(sysctls / name.replace(".", "/")) == value
    }
    if REMEDIES[layer] is not USER_NAMESPACES or not forbid:
        return REMEDIES[layer]
    return (
        f"allow user namespaces, which {' and '.join(forbid.values())} forbids here (as root: sysctl {' '.join(forbid)}, and "
        "a file in /etc/sysctl.d that keeps it so; in Docker also --security-opt seccomp=seccomp.json)"
    )


def _read(sysctl: Path) -> str | None:
    """Its value; None where this kernel has none, or does not show it."""
    try:
        return sysctl.read_text("ascii").strip()
    except OSError:
        return None


class SandboxError(Exception):
    """Base of the sandbox's own errors. The text is one sentence that can be shown."""


class SandboxUnavailable(SandboxError):
    """No snippet can run. The message has the missing part and a remedy. No snippet was run with less protection."""


class LayerUnavailable(SandboxUnavailable):
    """`layer` cannot be had on this machine; `why` is what the kernel or bubblewrap said."""

    def __init__(self, layer: Layer, why: str) -> None:
        super().__init__(f"No run can be sealed here, because the layer {layer} cannot be had ({why}): {remedy(layer)}.")
        self.layer = layer
        self.why = why


class SandboxDied(SandboxError):
    """The process that runs were forked from is gone, and this run with it. The next run gets a new one."""
