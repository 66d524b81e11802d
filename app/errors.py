"""The exit codes of commands, and the error that ends a command."""

FINISHED, FAILED, MISUSED = 0, 1, 2


class CommandError(Exception):
    """The reason why a command cannot continue, in one sentence."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code
