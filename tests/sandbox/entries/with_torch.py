"""The plain tracer in a zygote that has imported torch."""

import torch
import torch._dynamo

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    """Use a single thread. The first operator reads processor information from /proc, which a run cannot see."""
    torch.set_num_threads(1)
    torch.ones(2).mul(2)
