"""A test module whose first case detects that no case can run."""

from tests.gpu.case import CannotRunError, Case


def cases(device: str) -> list[Case]:
    def look() -> None:
        raise CannotRunError("no sandbox can be built here: there is no bubblewrap")

    return [Case("looks", look)]
