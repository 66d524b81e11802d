"""Replaces functions of torch for a run in which the CPU stands in for a GPU.

The replacements call torch's own functions, and change only results that depend on the device. `torch.Tensor` is a Python class
derived from a C class, so its attributes can be set and removed again. One change cannot be undone: torch's C++ code calls
`_lazy_init` once per process. Therefore a run with the stand-in must be the last run of its process, as in the jail.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch

from app.tracer import adapter
from app.tracer.gpu.cuda_module import ModulePatches
from app.tracer.gpu.cuda_tensors import CPU, TensorPatches
from app.tracer.gpu.stand_in import StandIn
from app.tracer.patching import Patching


class CudaPatches:
    """A context in which the replacements of one run are installed. Afterwards torch is restored."""

    def __init__(self, stand_in: StandIn) -> None:
        self._parts = TensorPatches(stand_in), ModulePatches(stand_in), EnginePatches(stand_in)

    def __enter__(self) -> None:
        for part in self._parts:
            part.install()

    def __exit__(self, *_: object) -> None:
        for part in reversed(self._parts):
            part.remove()


class EnginePatches(Patching):
    """Replaces functions of backward and autocast."""

    def __init__(self, stand_in: StandIn) -> None:
        super().__init__()
        self._labels = stand_in.labels
        self._stand_in = stand_in
        self._autocast_before: tuple[bool, torch.dtype] | None = None

    def install(self) -> None:
        """Install all replacements."""
        self._backward()
        self._autocast()

    def _backward(self) -> None:
        """Move gradients to the devices of their tensors. Torch does not move gradients, because the real device of all tensors
        is the CPU."""
        self.undo.append(adapter.patch_engine(self._around_engine))
        apply = torch.autograd.function.BackwardCFunction.apply
        adopt = self._stand_in.adopt_gradients

        @self.method(torch.autograd.function.BackwardCFunction, "apply")
        def apply_(self: Any, *args: Any) -> Any:
            adopt(args)
            return apply(self, *args)  # type: ignore[no-untyped-call]

    def _around_engine(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def _engine_run_backward(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
            leaves = [node for node in adapter.nodes_behind(t_outputs) if hasattr(node, "variable")]
            handles = [node.register_prehook(functools.partial(self._to_leaf, node.variable)) for node in leaves]
            try:
                result = original(t_outputs, *args, **kwargs)
            finally:
                for handle in handles:
                    handle.remove()
            inputs = args[3] if len(args) > 3 else kwargs.get("inputs", ())
            if result and inputs and len(result) == len(inputs):
                return tuple(self._beside(tensor, gradient) for tensor, gradient in zip(inputs, result, strict=True))
            return result

        return _engine_run_backward

    def _to_leaf(self, leaf: torch.Tensor, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self._beside(leaf, gradient) for gradient in gradients)

    def _beside(self, tensor: Any, gradient: Any) -> Any:
        """Return a gradient on the device of its tensor. For example, if a GPU tensor is multiplied by a scalar on the CPU, the
        scalar's gradient is computed on the GPU."""
        if not isinstance(gradient, torch.Tensor) or not isinstance(tensor, torch.Tensor):
            return gradient
        here, there = self._labels.of(gradient), self._labels.of(tensor)
        return gradient if here == there else torch.Tensor.to(gradient, there or CPU)

    def _autocast(self) -> None:
        """`autocast("cuda")` runs as the CPU's autocast, with the CUDA list of operators that stay in float32.

        Torch chooses the autocast by the type of a tensor's device, which is the CPU in such a run
        (aten/src/ATen/autocast_mode.h).
        """
        set_enabled, set_dtype = torch.set_autocast_enabled, torch.set_autocast_dtype

        @self.method(torch, "set_autocast_enabled")
        def set_autocast_enabled(*args: Any) -> None:
            set_enabled(*args)
            if args[0] != "cuda":
                return
            if args[1] and self._autocast_before is None:
                self._autocast_before = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
            if args[1]:
                set_enabled("cpu", True)
            elif self._autocast_before is not None:
                set_enabled("cpu", self._autocast_before[0])
                set_dtype("cpu", self._autocast_before[1])
                self._autocast_before = None

        @self.method(torch, "set_autocast_dtype")
        def set_autocast_dtype(device_type: str, dtype: torch.dtype) -> None:
            set_dtype(device_type, dtype)
            if device_type == "cuda" and self._autocast_before is not None:
                set_dtype("cpu", dtype)

        self.undo.append(adapter.add_autocast(lambda: self._autocast_before is not None))
