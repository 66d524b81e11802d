"""What can go wrong with the sandbox itself; whatever a snippet does is an end of its trace, never one of these.

SandboxError
├── SandboxUnavailable   it cannot start here, or could not seal a run: what is missing, and what to do
└── SandboxDied          it ended under a run that was in flight; a new one is started
"""


class SandboxError(Exception):
    """Base of the sandbox's own errors. The text is one sentence that can be shown."""


class SandboxUnavailable(SandboxError):
    """No snippet can run: the text says what is missing and what to do. No snippet was run with less protection."""


class SandboxDied(SandboxError):
    """The process that runs were forked from is gone, and this run with it. The next run gets a new one."""
