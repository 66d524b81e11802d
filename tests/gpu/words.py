"""Messages of the CPU as a stand-in for a GPU equal the messages of a real GPU.

Errors that only the stand-in raises are not compared.
"""

from functools import partial
from typing import Any

from app.tracer.gpu.cuda_module import NAME
from tests.gpu import runs
from tests.gpu.case import Case
from tests.tracer.bare import said_by
from tests.tracer.stood_in import PROGRAMS, REFUSALS, expected_lines, refusing

ASK_NAME = "import torch\nprint(torch.cuda.get_device_name())\n"


def cases(device: str) -> list[Case]:
    """Return a case for each program that the stand-in can run, and one for each expression that a GPU rejects."""
    stood_in, real = runs.Runs(runs.NO_DEVICE), runs.Runs()

    def said(source: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return the results of the stand-in, and of the device if there is one."""
        ours = said_by(stood_in.recorded(source, "stood_in"))
        return ours, real.bare(source) if device == "cuda" else None

    def prints(source: str) -> None:
        ours, theirs = said(source)
        assert ours["stdout"].splitlines() == expected_lines(source), ours
        if theirs is not None:
            name = real.bare(ASK_NAME)["stdout"].strip()
            printed = theirs["stdout"].replace(name, NAME)
            assert (printed, theirs["raised"]) == (ours["stdout"], ours["raised"]), (
                f"the device: {theirs}\nthe stand-in: {ours}"
            )

    def refuses(source: str, expected: str) -> None:
        ours, theirs = said(source)
        assert in_words(ours).startswith(expected), f"the stand-in: {ours['raised']}"
        # a CUDA error also contains advice about debugging
        assert theirs is None or in_words(theirs).startswith(in_words(ours)), f"the device: {theirs}\nthe stand-in: {ours}"

    found = [Case(path.stem, partial(prints, path.read_text("utf-8"))) for path in PROGRAMS]
    for expression, expected in REFUSALS.items():
        if not expected.startswith("stepgrad."):
            modes = ("", "with torch.inference_mode(): ")
            found += [Case(mode + expression, partial(refuses, refusing(expression, mode), expected)) for mode in modes]
    return found


def in_words(said: dict[str, Any]) -> str:
    """Return the type and the message of the exception that a run raised; "" if it raised none."""
    if said["raised"] is None:
        return ""
    kind, message = said["raised"][:2]
    return f"{kind.replace('torch._C.', 'torch.')}: {message}"
