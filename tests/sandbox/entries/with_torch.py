"""The plain tracer in a zygote that has imported torch."""

import torch
import torch._dynamo

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    """Leave one thread. The first operator asks /proc for the processor, which no run can see."""
    torch.set_num_threads(1)
    torch.ones(2).mul(2)
