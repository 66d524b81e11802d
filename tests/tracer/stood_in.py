"""Expected results on a GPU, which the CPU must reproduce as a stand-in: output of programs, and exceptions of expressions.

The results follow from torch's source code, in the files named here. tests/gpu checks them on a real GPU.
"""

from pathlib import Path

PROGRAMS = sorted((Path(__file__).parent / "snippets" / "gpu").glob("*.py"))
"""Programs with their output on a GPU in comments at the end."""


def expected_lines(source: str) -> list[str]:
    """Return the expected output of a program, from its last comments."""
    return [line.removeprefix("# ") for line in source.split("\n\n# ")[1].splitlines()]


ELSEWHERE = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


def elsewhere(argument: str, its: str, others: str, method: str) -> str:
    return (
        f"RuntimeError: Expected all tensors to be on the same device, but got {argument} is on {its}, different from other "
        f"tensors on {others} (when checking argument in method wrapper_CUDA_{method})"
    )


def refused(what: str) -> str:
    return f"stepgrad.StandInError: The CPU stands in for cuda:0 in this run, and it cannot stand in for {what}."


REFUSALS = {
    # aten/src/ATen/TensorIterator.cpp
    "x + torch.zeros(3)": ELSEWHERE,
    "torch.zeros(3).add_(x)": ELSEWHERE,
    "F.mse_loss(x, torch.zeros(3))": ELSEWHERE,
    # aten/src/ATen/core/adaption.cpp
    "x.reshape(1, 3) @ torch.zeros(3, 2)": elsewhere("mat2", "cpu", "cuda:0", "mm"),
    "nn.Linear(3, 1)(x.reshape(1, 3))": elsewhere("mat1", "cuda:0", "cpu", "addmm"),
    "nn.Linear(3, 1).cuda()(torch.ones(1, 3))": elsewhere("mat1", "cpu", "cuda:0", "addmm"),
    "nn.Embedding(3, 2).cuda()(torch.tensor([1]))": elsewhere("index", "cpu", "cuda:0", "_index_select"),
    "F.cross_entropy(x.reshape(1, 3), torch.tensor([1]))": elsewhere("target", "cpu", "cuda:0", "nll_loss_forward"),
    "torch.cat([x, torch.zeros(3)])": elsewhere("tensors", "cpu", "cuda:0", "cat"),
    # aten/src/ATen/native/Convolution.cpp
    "nn.Conv1d(1, 1, 1)(x.reshape(1, 1, 3))": (
        "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same"
    ),
    "nn.Conv1d(1, 1, 1).cuda()(torch.ones(1, 1, 3))": (
        "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input should "
        "be a MKLDNN tensor and weight is a dense tensor"
    ),
    # aten/src/ATen/native/TensorAdvancedIndexingUtils.h
    "torch.ones(3)[torch.tensor([0], device='cuda')]": (
        "RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)"
    ),
    # torch/csrc/utils/tensor_numpy.cpp
    "x.numpy()": (
        "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
    ),
    # aten/src/ATen/core/Generator.h
    "torch.rand(2, device='cuda', generator=torch.Generator())": (
        "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'"
    ),
    "x.to('cuda:1')": "torch.AcceleratorError: CUDA error: invalid device ordinal",
    "torch.cuda.Stream()": refused("torch.cuda.Stream"),
    "torch.cuda.memory_reserved()": refused("torch.cuda.memory_reserved"),
    "x.to_sparse()": refused("tensors without a storage of their own (sparse_coo)"),
    "torch.mv(torch.ones(2, 3), x)": refused("what a GPU says to aten::mv of tensors on cuda:0 and cpu"),
}
"""Expressions over `x = torch.ones(3, device="cuda")` with the exception on a GPU. A StandInError marks what only a GPU can
do.
"""


def refusing(expression: str, mode: str = "") -> str:
    """Return a program that evaluates the expression on line 5."""
    head = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nx = torch.ones(3, device='cuda')\n"
    return f"{head}{mode}{expression}\n"
