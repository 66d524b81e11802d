"""A part of which one case holds, one fails, one raises, and one needs CUDA."""

from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Those four."""

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
