"""The cases of this module: one passes, one fails, one raises an exception, and one needs CUDA."""

from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
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
