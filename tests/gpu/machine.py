"""Inspects the machine in a separate process: torch may be absent, and only parts may open a device."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from app.commands.supported import refusal_of_torch

SECONDS = 120
"""A long timeout, because the first use of a device may load hundreds of megabytes."""

ASK = """
import json, sys
answer = {"torch": None, "cuda": None, "device": None, "refused": None}
try:
    import torch
    answer |= {"torch": torch.__version__, "cuda": torch.version.cuda}
    ones = torch.ones(2, device=sys.argv[1])
    if (ones + ones).tolist() != [2.0, 2.0]:
        raise RuntimeError("1 + 1 is not 2 there.")
    answer["device"] = torch.cuda.get_device_name() if sys.argv[1] == "cuda" else "CPU"
except Exception as error:
    answer["refused"] = (str(error) or type(error).__name__).splitlines()[0]
print(json.dumps(answer))
"""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """The software and the device that were found."""

    torch: str | None
    cuda: str | None
    """The CUDA version that torch was built with."""
    device: str | None
    no_device: str | None
    """The error message if no device is available."""

    @property
    def unsupported(self) -> str | None:
        """A note that this version of torch is not supported; None if it is."""
        if self.torch is None or refusal_of_torch(self.torch) is None:
            return None
        return f"torch {'.'.join(self.torch.split('.')[:2])}, not supported"

    def __str__(self) -> str:
        torch = f"torch {self.torch or 'none'} ({f'CUDA {self.cuda}' if self.cuda else 'CPU build'})"
        return (
            f"{self.device or 'No device'}, {torch}, Python {sys.version.split()[0]}, {os.uname().sysname} {os.uname().release}"
        )


def first_device() -> dict[str, str]:
    """Return environment variables that make one device visible, and make torch check for it without opening it, as in
    the jail.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    return {"CUDA_VISIBLE_DEVICES": visible, "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def machine(device: str) -> Machine:
    """Return the software and the device that this interpreter finds on this machine."""
    command = [sys.executable, "-c", ASK, device]
    try:
        ended = subprocess.run(
            command, env={**os.environ, **first_device()}, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Machine(torch=None, cuda=None, device=None, no_device=f"It did not answer within {SECONDS} seconds.")
    try:
        answer = json.loads(ended.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return Machine(torch=None, cuda=None, device=None, no_device=f"Asking for it ended with status {ended.returncode}.")
    return Machine(torch=answer["torch"], cuda=answer["cuda"], device=answer["device"], no_device=answer["refused"])
