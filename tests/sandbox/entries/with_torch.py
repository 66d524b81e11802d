"""The tracer of plain.py in a zygote that has imported torch."""

import torch
import torch._dynamo

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    """Use one thread, and execute an operator. The first operator reads /proc/cpuinfo, which is not visible in a run."""
    torch.set_num_threads(1)
    torch.ones(2).mul(2)
