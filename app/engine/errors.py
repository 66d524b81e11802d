"""Errors of engines, in addition to the errors of the sandbox."""

from typing import Final, Literal

from app.sandbox import SandboxError

Kind = Literal["no_worker", "workers_unreachable", "run_lost"]

SENTENCES: Final[dict[Kind, str]] = {
    "no_worker": "No worker is available to run snippets.",
    "workers_unreachable": "The workers' address does not respond.",
    "run_lost": "This run was killed from outside, or the connection to its worker was lost. It is not retried automatically.",
}


class EngineUnavailable(SandboxError):
    """Raised if a run is impossible, or was lost. `kind` is a code for programs. The message is one sentence."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(SENTENCES[kind])
        self.kind = kind
