"""What can go wrong with the sandbox itself; whatever a snippet does is an end of its trace, never one of these.

SandboxError
├── SandboxUnavailable   it cannot start here, or could not seal a run: what is missing, and what to do
│   └── LayerUnavailable because one layer cannot be had here
└── SandboxDied          it ended under a run that was in flight; a new one is started
"""

from typing import Final

from app.sandbox.inside.layers import Layer

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
"""What an operator can do about a layer that is missing."""


class SandboxError(Exception):
    """Base of the sandbox's own errors. The text is one sentence that can be shown."""


class SandboxUnavailable(SandboxError):
    """No snippet can run: the text says what is missing and what to do. No snippet was run with less protection."""


class LayerUnavailable(SandboxUnavailable):
    """`layer` cannot be had on this machine; `why` is what the kernel or bubblewrap said."""

    def __init__(self, layer: Layer, why: str) -> None:
        super().__init__(f"No run can be sealed here, because the layer {layer} cannot be had ({why}): {REMEDIES[layer]}.")
        self.layer = layer
        self.why = why


class SandboxDied(SandboxError):
    """The process that runs were forked from is gone, and this run with it. The next run gets a new one."""
