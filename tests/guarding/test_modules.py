"""Every module of torch.nn gives no finding and the same gradients under a guard.

One test calls it twice and runs backward twice. The other calls it in a checkpoint, whose two runs get memory with other contents.
"""

import copy
import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from app.public import stepgrad

NOT_CALLED = {
    *("Module", "Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "RNNBase", "RNNCellBase"),
    *("DataParallel", "SyncBatchNorm"),  # these need a device
}
"""Classes that are not called, or not on the CPU."""


def values(*shape: int) -> Tensor:
    """An input of this shape, without equal elements."""
    return torch.linspace(-1, 1, torch.Size(shape).numel()).view(shape).sin().requires_grad_()


def above_zero(*shape: int) -> Tensor:
    """An input between 0 and 1."""
    return torch.linspace(0.1, 0.9, torch.Size(shape).numel()).view(shape).requires_grad_()


def log_of(*shape: int) -> Tensor:
    """An input of logarithms of probabilities."""
    return above_zero(*shape).log().detach().requires_grad_()


def indices(*shape: int) -> Tensor:
    """An input of small indices."""
    return torch.arange(torch.Size(shape).numel()).view(shape) % 3


def signs(count: int) -> Tensor:
    """A target of 1 and -1."""
    return torch.arange(count) % 2 * 2.0 - 1


SIZES = {"1d": (2, 4, 8), "2d": (2, 4, 8, 8), "3d": (2, 4, 8, 8, 8)}
Case = tuple[tuple[Any, ...], Callable[[], tuple[Any, ...]]]
"""The arguments of a class and of its call."""


def _by_dimension(name: str) -> Case | None:
    size = SIZES.get(name[-2:])
    if size is None:
        return None
    shape, dimension = (2, 6, *size[2:]) if name.startswith("Lazy") else size, int(name[-2])
    one_argument: dict[str, tuple[Any, ...]] = {
        **dict.fromkeys(("Conv", "ConvTranspose"), (4, 3, 3)),
        **dict.fromkeys(("LazyConv", "LazyConvTranspose"), (3, 3)),
        **dict.fromkeys(("BatchNorm",), (4,)),
        "InstanceNorm": (4, 1e-5, 0.1, True, True),
        **dict.fromkeys(("LazyBatchNorm", "LazyInstanceNorm", "Dropout"), ()),
        **dict.fromkeys(("AvgPool", "MaxPool"), (2,)),
        **dict.fromkeys(("AdaptiveAvgPool", "AdaptiveMaxPool"), (2,)),
        "LPPool": (2, 2),
        "FractionalMaxPool": (2, 3),
        **dict.fromkeys(("CircularPad", "ReflectionPad", "ReplicationPad", "ZeroPad"), (1,)),
        "ConstantPad": (1, 0.5),
        "UpsamplingBilinear": (None, 2),
        "UpsamplingNearest": (None, 2),
        "Softmax": (),
    }
    kind = name[:-2]
    if kind == "MaxUnpool":
        pooled, places = getattr(nn.functional, f"max_pool{dimension}d")(values(*shape), 2, return_indices=True)
        return (2,), lambda: (pooled.detach().requires_grad_(), places)
    return (one_argument[kind], lambda: (values(*shape),)) if kind in one_argument else None


CASES: dict[str, Case] = {
    "AdaptiveLogSoftmaxWithLoss": ((4, 6, [2]), lambda: (values(3, 4), indices(3))),
    "BCELoss": ((), lambda: (above_zero(3, 4), above_zero(3, 4).detach())),
    "Bilinear": ((4, 5, 3), lambda: (values(2, 4), values(2, 5))),
    "CTCLoss": ((), lambda: (log_of(5, 2, 4), indices(2, 2) + 1, *torch.tensor([[5, 3], [2, 1]]))),
    "ChannelShuffle": ((2,), lambda: (values(2, 4, 3, 3),)),
    "CosineEmbeddingLoss": ((), lambda: (values(4, 3), values(4, 3) + 0.5, signs(4))),
    "CosineSimilarity": ((), lambda: (values(4, 3), values(4, 3) + 0.5)),
    "CrossEntropyLoss": ((), lambda: (values(4, 3), indices(4))),
    "CrossMapLRN2d": ((2,), lambda: (values(2, 4, 3, 3),)),
    "Embedding": ((5, 3, None, 1.0), lambda: (indices(4),)),
    "EmbeddingBag": ((5, 3, 1.0), lambda: (indices(2, 4),)),
    "Flatten": ((), lambda: (values(2, 3, 4),)),
    "Fold": (((4, 4), 2), lambda: (values(1, 8, 9),)),
    "GLU": ((), lambda: (values(2, 4),)),
    "GRU": ((4, 3, 2, True, False, 0.5, True), lambda: (values(5, 2, 4),)),
    "GRUCell": ((4, 3), lambda: (values(2, 4),)),
    "GaussianNLLLoss": ((), lambda: (values(4), values(4).detach() + 0.1, above_zero(4))),
    "GroupNorm": ((2, 4), lambda: (values(2, 4, 3),)),
    "HingeEmbeddingLoss": ((), lambda: (values(4), signs(4))),
    "LSTM": ((4, 3, 2, True, False, 0.5, True), lambda: (values(5, 2, 4),)),
    "LSTMCell": ((4, 3), lambda: (values(2, 4),)),
    "LayerNorm": ((4,), lambda: (values(2, 4),)),
    "LazyLinear": ((3,), lambda: (values(2, 4),)),
    "Linear": ((4, 3), lambda: (values(2, 4),)),
    "LinearCrossEntropyLoss": ((4, 3), lambda: (values(2, 4), indices(2))),
    "LocalResponseNorm": ((2,), lambda: (values(2, 4, 3),)),
    "LogSoftmax": ((-1,), lambda: (values(2, 4),)),
    "MarginRankingLoss": ((), lambda: (values(4), values(4) + 0.5, signs(4))),
    "MultiLabelMarginLoss": ((), lambda: (values(2, 4), indices(2, 4))),
    "MultiLabelSoftMarginLoss": ((), lambda: (values(2, 4), above_zero(2, 4).detach())),
    "MultiMarginLoss": ((), lambda: (values(2, 4), indices(2))),
    "MultiheadAttention": ((4, 2, 0.5), lambda: (values(3, 2, 4), values(3, 2, 4), values(3, 2, 4))),
    "NLLLoss": ((), lambda: (values(2, 4), indices(2))),
    "NLLLoss2d": ((), lambda: (values(2, 4, 3, 3), indices(2, 3, 3))),
    "PixelShuffle": ((2,), lambda: (values(2, 4, 3, 3),)),
    "PixelUnshuffle": ((2,), lambda: (values(2, 4, 4, 4),)),
    "RMSNorm": ((4,), lambda: (values(2, 4),)),
    "RNN": ((4, 3, 2, "relu", True, False, 0.5, True), lambda: (values(5, 2, 4),)),
    "RNNCell": ((4, 3), lambda: (values(2, 4),)),
    "Sequential": ((nn.Linear(4, 3), nn.BatchNorm1d(3), nn.ReLU(inplace=True)), lambda: (values(2, 4),)),
    "SoftMarginLoss": ((), lambda: (values(4), signs(4))),
    "Softmax": ((-1,), lambda: (values(2, 4),)),
    "Softmin": ((-1,), lambda: (values(2, 4),)),
    "Threshold": ((0.1, 0.5), lambda: (values(2, 4),)),
    "Transformer": ((8, 2, 1, 1, 8), lambda: (values(3, 2, 8), values(4, 2, 8))),
    "TransformerDecoder": ((nn.TransformerDecoderLayer(8, 2, 8), 2), lambda: (values(4, 2, 8), values(3, 2, 8))),
    "TransformerDecoderLayer": ((8, 2, 8), lambda: (values(4, 2, 8), values(3, 2, 8))),
    "TransformerEncoder": ((nn.TransformerEncoderLayer(8, 2, 8), 2, None, False), lambda: (values(4, 2, 8),)),
    "TransformerEncoderLayer": ((8, 2, 8), lambda: (values(4, 2, 8),)),
    "TripletMarginLoss": ((), lambda: (values(4, 3), values(4, 3) + 0.2, values(4, 3).cos())),
    "TripletMarginWithDistanceLoss": ((), lambda: (values(4, 3), values(4, 3) + 0.2, values(4, 3).cos())),
    "Unflatten": ((1, (2, 2)), lambda: (values(2, 4),)),
    "Unfold": ((2,), lambda: (values(2, 4, 4, 4),)),
    "Upsample": ((None, 2), lambda: (values(2, 4, 3),)),
    **dict.fromkeys(
        ("HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "PoissonNLLLoss", "SmoothL1Loss", "BCEWithLogitsLoss"),
        ((), lambda: (values(2, 4), above_zero(2, 4).detach())),
    ),
    "PairwiseDistance": ((), lambda: (values(2, 4), values(2, 4) + 0.5)),
}
"""The classes that are not called with one batch of four features."""
NAMES = [
    name
    for name in dir(nn)
    if isinstance(kind := getattr(nn, name), type) and issubclass(kind, nn.Module) and name not in NOT_CALLED
]


def made_of(name: str) -> tuple[nn.Module, tuple[Any, ...]]:
    """A module of this class, and the arguments of its call."""
    arguments, inputs_of = CASES.get(name) or _by_dimension(name) or ((), lambda: (values(2, 4),))
    torch.manual_seed(0)
    made: nn.Module = getattr(nn, name)(*copy.deepcopy(arguments)).train()
    made.zero_grad()
    return made, inputs_of()


def step(name: str) -> list[Tensor]:
    """Call a module twice, then run two backwards. Returns all gradients."""
    made, inputs = made_of(name)
    loss = _sum(made(*inputs)) + _sum(made(*inputs))
    if loss.requires_grad:
        loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
        loss.backward()  # type: ignore[no-untyped-call]
    return _gradients(made, inputs)


def checkpointed(name: str, *, is_training: bool) -> list[Tensor]:
    """Call a module in a checkpoint, then run one backward. The two runs of the checkpoint get
    memory with other contents. Returns all gradients."""
    made, inputs = made_of(name)
    made(*inputs)  # a lazy module makes its parameters
    made.train(is_training)
    with new_memory_filled_with(1):
        loss = _sum(checkpoint(made, *inputs, use_reentrant=False))
    with new_memory_filled_with(2):
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
    return _gradients(made, inputs)


@contextmanager
def new_memory_filled_with(byte: int) -> Iterator[None]:
    """Let the C library fill memory that it gives out with this byte (`M_PERTURB` of glibc)."""
    mallopt = ctypes.CDLL(None).mallopt
    m_perturb = -6
    mallopt(m_perturb, byte)
    try:
        yield
    finally:
        mallopt(m_perturb, 0)


def _sum(outputs: Any) -> Tensor:
    return sum((each.sum() for each in _tensors(outputs) if each.requires_grad), torch.zeros(()))


def _gradients(made: nn.Module, inputs: tuple[Any, ...]) -> list[Tensor]:
    leaves = [*made.parameters(), *(each for each in inputs if isinstance(each, Tensor) and each.is_leaf)]
    return [leaf.grad.clone() for leaf in leaves if leaf.grad is not None]


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return [tensor for each in value for tensor in _tensors(each)] if isinstance(value, (tuple, list)) else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_a_module_called_twice_gives_no_finding(name: str) -> None:
    _compare(lambda: step(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_a_module_in_a_checkpoint_gives_no_finding(name: str, is_training: bool) -> None:
    _compare(lambda: checkpointed(name, is_training=is_training))


def _compare(program: Callable[[], list[Tensor]]) -> None:
    bare = program()
    with stepgrad.guard() as guard:
        guarded = program()
    assert guard.findings == [] and not guard.unread
    assert len(bare) == len(guarded) and all(torch.equal(*pair) for pair in zip(bare, guarded, strict=True))
    assert bare
