"""The plain tracer in a zygote that has imported torch."""

import torch
from plain_entry import run

__all__ = ["preload", "run"]


def preload() -> None:
    """Import torch and what it loads at first use; leave one thread."""
    import torch._dynamo  # noqa: PLC0415

    torch.set_num_threads(1)
    torch.ones(2, requires_grad=True).sum().backward()
