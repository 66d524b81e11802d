"""How a command ends: its exit codes, and the error that says why it cannot go on."""

FINISHED, FAILED, MISUSED = 0, 1, 2


class CommandError(Exception):
    """Why a command cannot go on, in one sentence."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code
