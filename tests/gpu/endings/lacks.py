"""A part that finds out in its first case what is missing."""

from tests.gpu.case import CannotRunError, Case


def cases(device: str) -> list[Case]:
    """One."""

    def look() -> None:
        raise CannotRunError("no sandbox can be built here: there is no bubblewrap")

    return [Case("looks", look)]
