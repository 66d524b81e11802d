"""A part with one case each that holds, fails, raises, and needs CUDA."""

from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Return these four cases."""

    def fail() -> None:
        raise AssertionError("2 is not 3\nand 3 is not 2")

    def stumble() -> None:
        raise KeyError("x")

    return [
        Case("holds", lambda: None),
        Case("fails", fail),
        Case("stumbles", stumble),
        Case("needs", stumble, "the CPU has none"),
    ]
