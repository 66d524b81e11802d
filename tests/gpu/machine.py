"""Find the versions of torch and CUDA and the device, in a separate process.

Torch may be missing, and the main process must not open a device.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from app.commands.supported import refusal_of_torch

SECONDS = 120
"""The timeout in seconds. Importing torch for the first time may load hundreds of megabytes."""

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
    """The software and the device of this machine."""

    torch: str | None
    cuda: str | None
    """The CUDA version for which torch was built."""
    device: str | None
    no_device: str | None
    """Why no device is available."""

    @property
    def unsupported(self) -> str | None:
        """Return a sentence if this version of torch is not supported; otherwise None."""
        if self.torch is None or refusal_of_torch(self.torch) is None:
            return None
        return f"torch {'.'.join(self.torch.split('.')[:2])}, not supported"

    def __str__(self) -> str:
        torch = f"torch {self.torch or 'none'} ({f'CUDA {self.cuda}' if self.cuda else 'CPU build'})"
        return (
            f"{self.device or 'No device'}, {torch}, Python {sys.version.split()[0]}, {os.uname().sysname} {os.uname().release}"
        )


def first_device() -> dict[str, str]:
    """Return environment variables that make one device visible.

    As in the sandbox, torch then checks for a device without opening it.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    return {"CUDA_VISIBLE_DEVICES": visible, "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def machine(device: str) -> Machine:
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
