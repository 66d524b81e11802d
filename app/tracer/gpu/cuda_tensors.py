"""Replaces methods of tensors and storages that depend on the device: attributes, moves, and creation from data."""

import functools
from collections.abc import Callable
from typing import Any

import torch

from app.tracer import adapter
from app.tracer.gpu.stand_in import CUDA, StandIn, cannot, named_device
from app.tracer.patching import Patching

CPU = torch.device("cpu")
_BASE: Any = torch._C.TensorBase


class TensorPatches(Patching):
    """Replaces methods of tensors and storages for one run."""

    def __init__(self, stand_in: StandIn) -> None:
        super().__init__()
        self._labels = stand_in.labels

    def install(self) -> None:
        """Install all replacements."""
        self._tensors()
        self._moves()
        self._constructors()
        self._storages()

    def _tensors(self) -> None:
        of, tensor = self._labels.of, torch.Tensor
        base = {name: getattr(_BASE, name) for name in ("device", "is_cuda", "is_cpu", "get_device", "numpy")}
        self.set(tensor, "device", property(lambda self: of(self) or base["device"].__get__(self)))
        self.set(tensor, "is_cuda", property(lambda self: of(self) is not None or base["is_cuda"].__get__(self)))
        self.set(tensor, "is_cpu", property(lambda self: of(self) is None and base["is_cpu"].__get__(self)))

        @self.method(tensor, "get_device")
        def get_device(self: torch.Tensor) -> int:
            return 0 if of(self) else int(base["get_device"](self))

        @self.method(tensor, "numpy")
        def numpy(self: torch.Tensor, *, force: bool = False) -> Any:
            if of(self) and not force:
                # torch/csrc/utils/tensor_numpy.cpp
                text = "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
                raise TypeError(text)
            return base["numpy"](_moved(self, CPU), force=force)

        for name in ("__dlpack__", "__cuda_array_interface__"):
            self.set(tensor, name, self._not_handed_over(tensor.__dict__[name]))

    def _not_handed_over(self, original: Any) -> Any:
        of = self._labels.of
        is_property = isinstance(original, property)
        ask = original.__get__ if is_property else original

        def hand_over(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            if of(self):
                raise cannot("handing a tensor on the GPU to another library")
            return ask(self, *args, **kwargs)

        return property(hand_over) if is_property else functools.wraps(original)(hand_over)

    def _moves(self) -> None:
        labels, of, tensor = self._labels, self._labels.of, torch.Tensor
        base_to, base_type = _BASE.to, adapter.TENSOR_TYPE

        @self.method(tensor, "to")
        def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            asked = args[0] if args else kwargs.get("device", kwargs.get("other"))
            if asked is None or isinstance(asked, torch.dtype):
                return base_to(self, *args, **kwargs)
            if isinstance(asked, torch.Tensor):
                names: tuple[str, ...] = ("other", "non_blocking", "copy")
                rest = {"dtype": asked.dtype}
                device = asked.device
            else:
                names = ("device", "dtype", "non_blocking", "copy")
                rest = {}
                device = named_device(asked)
            rest |= {name: value for name, value in zip(names, args, strict=False) if value is not None} | kwargs
            rest.pop("device", rest.pop("other", None))
            here = of(self)
            if device.type not in ("cpu", "cuda") or (device != CUDA and here is None):
                return base_to(self, *args, **kwargs)
            if here == device:
                return base_to(self, **rest) if rest.keys() - {"non_blocking"} else self
            with labels.going_to(device):
                moved = base_to(self, CPU, **{**rest, "copy": True})
            if device == CUDA:
                labels.put(moved)
            if moved.requires_grad and moved.grad_fn is not None:
                moved.grad_fn.register_hook(functools.partial(_back_to, here or CPU))
            return moved

        @self.method(tensor, "cuda")
        def cuda(self: torch.Tensor, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> torch.Tensor:
            return _moved(self, CUDA if device is None else device, non_blocking=non_blocking, **kwargs)

        @self.method(tensor, "cpu")
        def cpu(self: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            return _moved(self, CPU, **kwargs)

        @self.method(tensor, "type")
        def type_(self: torch.Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
            if dtype is None:
                name = base_type(self)
                # Under a function mode, torch calls this function twice, and the name may already contain ".cuda.".
                return name.replace("torch.", "torch.cuda.") if of(self) and ".cuda." not in name else name
            if not isinstance(dtype, str):
                return base_type(self, dtype, non_blocking, **kwargs)
            wanted = base_type(torch.empty(0, device=CPU), dtype.replace("torch.cuda.", "torch.")).dtype
            return _moved(self, CUDA if dtype.startswith("torch.cuda.") else CPU, dtype=wanted, non_blocking=non_blocking)

        @self.method(tensor, "type_as")
        def type_as(self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
            return _moved(self, other)

        @self.method(tensor, "pin_memory")
        def pin_memory(self: torch.Tensor, device: Any = None) -> torch.Tensor:
            if of(self):
                # aten/src/ATen/native/Memory.cpp
                raise RuntimeError(f"cannot pin '{type_(self)}' only dense CPU tensors can be pinned")
            pinned = self.detach().clone()
            labels.pinned(pinned, True)
            return pinned

        @self.method(tensor, "is_pinned")
        def is_pinned(self: torch.Tensor, device: Any = None) -> bool:
            return labels.pinned(self)

    def _constructors(self) -> None:
        """Replace factories that create the tensor on the CPU and then move it below all dispatch keys."""
        of = self._labels.of
        base_new, base_new_tensor = _BASE.new, _BASE.new_tensor
        tensor, as_tensor, asarray = torch.tensor, torch.as_tensor, torch.asarray

        @self.method(torch.Tensor, "new")
        def new(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            return placed(base_new(self, *args, **kwargs), of(self))

        @self.method(torch.Tensor, "new_tensor")
        def new_tensor(self: torch.Tensor, data: Any, *, device: Any = None, **kwargs: Any) -> Any:
            there = of(self) if device is None else named_device(device)
            return placed(base_new_tensor(self, data, device=below(there), **kwargs), there)

        @self.method(torch, "tensor")
        def tensor_(data: Any, *, device: Any = None, **kwargs: Any) -> Any:
            there = default_device() if device is None else named_device(device)
            if there is None and isinstance(data, torch.Tensor):
                there = of(data)
            return placed(tensor(data, device=below(there), **kwargs), there)

        def converting(original: Callable[..., Any]) -> Callable[..., Any]:
            def convert(data: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
                there = default_device() if device is None else named_device(device)
                if isinstance(data, torch.Tensor):
                    made = original(data, *args, **kwargs)
                    return made if device is None else _moved(made, there)
                made = original(data, *args, device=below(there), **kwargs)
                return _moved(made, CUDA) if there == CUDA else made

            return convert

        self.method(torch, "as_tensor")(converting(as_tensor))
        self.method(torch, "asarray")(converting(asarray))

        def placed(made: torch.Tensor, device: torch.device | None) -> torch.Tensor:
            if device == CUDA:
                self._labels.put(made)
            return made

    def _storages(self) -> None:
        labels, storage = self._labels, torch.UntypedStorage
        c_storage: Any = torch._C.StorageBase
        base_device, base_clone = c_storage.device, storage.clone

        self.set(storage, "device", property(lambda self: CUDA if labels.has(self) else base_device.__get__(self)))

        def copied(self: Any) -> Any:
            return storage(self.nbytes()).copy_(self)  # type: ignore[no-untyped-call]

        @self.method(storage, "clone")
        def clone(self: Any) -> Any:
            if not labels.has(self):
                return base_clone(self)  # type: ignore[no-untyped-call]
            made = copied(self)
            labels.put_on(made)
            return made

        @self.method(storage, "to")
        def to(self: Any, *, device: Any, non_blocking: bool = False) -> Any:
            wanted = named_device(device)
            if wanted == self.device:
                return self
            made = copied(self)
            if wanted == CUDA:
                labels.put_on(made)
            return made

        @self.method(storage, "cuda")
        def cuda(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
            return to(self, device=CUDA if device is None else device)


def _moved(tensor: torch.Tensor, to: Any, **kwargs: Any) -> torch.Tensor:
    moved: torch.Tensor = torch.Tensor.to(tensor, to, **kwargs)
    return moved


def _back_to(device: torch.device, grad_inputs: Any, grad_outputs: Any) -> Any:
    """Move gradients back to the original device of the moved tensor. Torch itself would not move gradients, because both
    devices are the CPU."""
    return tuple(gradient if gradient is None else _moved(gradient, device) for gradient in grad_inputs)


def below(device: torch.device | None) -> torch.device | None:
    """Return the device to pass to torch."""
    return CPU if device == CUDA else device


def default_device() -> torch.device | None:
    """Return the device set by `torch.device(...)` as a context or by `set_default_device`; None if there is none.

    `torch.get_default_device()` is unsuitable, because it creates a tensor to find the index.
    """
    for mode in reversed(torch.overrides._get_current_function_mode_stack()):  # type: ignore[no-untyped-call]
        if isinstance(mode, torch.utils._device.DeviceContext):
            return named_device(mode.device)
    return None
