"""Errors of engines other than those of the sandbox."""

from typing import Final, Literal

from app.sandbox import SandboxError

Kind = Literal["no_worker", "workers_unreachable", "run_lost"]

SENTENCES: Final[dict[Kind, str]] = {
    "no_worker": "No worker is there to run snippets.",
    "workers_unreachable": "The address of the workers does not answer.",
    "run_lost": "This run was killed from outside, or lost on its way to a worker or back. It is not run again by itself.",
}


class EngineUnavailable(SandboxError):
    """A run is impossible, or was lost. `kind` is a code for programs, the message one sentence."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(SENTENCES[kind])
        self.kind = kind
