"""What can go wrong with the sandbox itself; whatever a snippet does is an end of its trace, never one of these.

SandboxError
├── SandboxUnavailable   it cannot start here, or could not seal a run: what is missing, and what to do
│   └── LayerUnavailable because one layer cannot be had here
└── SandboxDied          it ended under a run that was in flight; a new one is started
"""

from app.sandbox.inside.layers import Layer


class SandboxError(Exception):
    """Base of the sandbox's own errors. The text is one sentence that can be shown."""


class SandboxUnavailable(SandboxError):
    """No snippet can run: the text says what is missing and what to do. No snippet was run with less protection."""


class LayerUnavailable(SandboxUnavailable):
    """`layer` cannot be had on this machine."""

    def __init__(self, layer: Layer, message: str) -> None:
        super().__init__(message)
        self.layer = layer


class SandboxDied(SandboxError):
    """The process that runs were forked from is gone, and this run with it. The next run gets a new one."""
