"""The machine, inspected in a separate process: torch may be absent, and only parts may open a device."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from app.commands.supported import refusal_of_torch

SECONDS = 120
"""The first use of a device may load hundreds of megabytes."""

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
    """What answered."""

    torch: str | None
    cuda: str | None
    """The version of CUDA that torch was built with."""
    device: str | None
    no_device: str | None
    """The error message if no device is available."""

    @property
    def unsupported(self) -> str | None:
        """That its torch is not recorded, in a few words."""
        if self.torch is None or refusal_of_torch(self.torch) is None:
            return None
        return f"torch {'.'.join(self.torch.split('.')[:2])}, not supported"

    def __str__(self) -> str:
        torch = f"torch {self.torch or 'none'} ({f'CUDA {self.cuda}' if self.cuda else 'CPU build'})"
        return (
            f"{self.device or 'No device'}, {torch}, Python {sys.version.split()[0]}, {os.uname().sysname} {os.uname().release}"
        )


def first_device() -> dict[str, str]:
    """The environment of what runs on a device: it sees one. Whether that is there is asked without opening it, as in the jail."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    return {"CUDA_VISIBLE_DEVICES": visible, "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def machine(device: str) -> Machine:
    """What this interpreter finds here."""
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
