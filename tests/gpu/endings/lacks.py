"""A part that detects a missing requirement in its first case."""

from tests.gpu.case import CannotRunError, Case


def cases(device: str) -> list[Case]:
    """Return one case."""

    def look() -> None:
        raise CannotRunError("no sandbox can be built here: there is no bubblewrap")

    return [Case("looks", look)]
