"""Autocast on the CPU applies CUDA's lists of operators and dtypes."""

import torch

from app.tracer import adapter


def test_add_autocast_runs_in_float32_what_cuda_does() -> None:
    on = True
    undo = adapter.add_autocast(lambda: on)
    half = torch.ones(2, dtype=torch.float16)
    with torch.autocast("cpu", dtype=torch.float16):
        assert half.exp().dtype == half.softmax(0).dtype == half.sum().dtype == torch.float32
        assert (half + 1).dtype == torch.float16
        on = False
        assert half.exp().dtype == torch.float16
        on = True
    assert half.exp().dtype == torch.float16
    undo()
    with torch.autocast("cpu", dtype=torch.float16):
        assert half.exp().dtype == torch.float16
