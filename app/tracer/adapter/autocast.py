"""Adds to the CPU's autocast the operators that CUDA's autocast runs in float32."""

import functools
from collections.abc import Callable
from typing import Any

import torch

# TORCH 2.13: AT_FORALL_FP32, AT_FORALL_FP32_SET_OPT_DTYPE of ATen/autocast_mode.h: the operators that autocast runs in float32
# on CUDA.
_FLOAT32_ON_CUDA = (
    "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar "
    "softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim cosine_similarity "
    "poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss "
    "mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss "
    "binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp prod prod.dim_int softmax.int log_softmax.int cumprod "
    "cumsum linalg_vector_norm linalg_matrix_norm linalg_matrix_norm.str_ord sum sum.dim_IntList norm.Scalar norm.ScalarOpt_dim"
).split()


def add_autocast(is_on: Callable[[], bool]) -> Callable[[], None]:
    """Make the CPU's autocast run the same operators in float32 as CUDA's autocast, while `is_on()` is true. Returns a function
    that restores the CPU's autocast.

    An operator for which the CPU's autocast already has a rule keeps that rule.
    """
    library = torch.library.Library("aten", "IMPL", "AutocastCPU")  # type: ignore[no-untyped-call]
    for name in _FLOAT32_ON_CUDA:
        packet, _, overload = name.partition(".")
        operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
        if not torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "AutocastCPU"):
            library.impl(operator, functools.partial(_in_float32, operator, is_on))  # type: ignore[no-untyped-call]
    return library._destroy


def _in_float32(operator: Any, is_on: Callable[[], bool], *args: Any, **kwargs: Any) -> Any:
    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)):
        if not is_on():
            return operator(*args, **kwargs)
        return operator(*[_widened(argument) for argument in args], **{key: _widened(value) for key, value in kwargs.items()})


def _widened(argument: Any) -> Any:
    if isinstance(argument, torch.Tensor):
        return argument.float() if argument.dtype in (torch.float16, torch.bfloat16) else argument
    if isinstance(argument, (list, tuple)):
        return [_widened(item) for item in argument]
    return argument
