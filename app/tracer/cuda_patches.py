"""What Python code asks of tensors and of `torch.cuda`, answered as if a GPU were there. Put in place for a stand-in run only.

Torch's own functions are kept and called; only the answers that depend on the device are others. `torch.Tensor` is a Python class
over a C one, so its attributes can be set, and taken away again. One thing stays: torch's C++ asks `_lazy_init` once per process
and remembers that it was answered. So a run that is stood in is the last of its process, as it is in the jail.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from app.tracer import adapter
from app.tracer.stand_in import CUDA, StandIn, cannot, named_device

_CPU = torch.device("cpu")
_ABSENT = object()
_Function = TypeVar("_Function", bound=Callable[..., Any])
_BASE: Any = torch._C.TensorBase

NAME = "CPU standing in for a GPU"
"""What `torch.cuda.get_device_name()` says."""

_UNKNOWABLE = (
    "get_device_capability get_device_properties mem_get_info memory_reserved max_memory_reserved memory_cached max_memory_cached "
    "memory_stats memory_summary memory_snapshot utilization temperature power_draw clock_rate memory_usage current_stream "
    "default_stream stream set_stream graph make_graphed_callables cudart current_blas_handle list_gpu_processes"
).split()
"""Functions of `torch.cuda` that no CPU can answer."""

_OBJECTS = ("Stream", "Event", "ExternalStream", "CUDAGraph", "MemPool")
"""Classes of `torch.cuda` that mean something on a GPU only."""


class CudaPatches:
    """The patches of one run: within it they are in place, afterwards torch is as it was."""

    def __init__(self, stand_in: StandIn) -> None:
        self._labels = stand_in.labels
        self._stand_in = stand_in
        self._undo: list[Callable[[], None]] = []
        self._stream = torch.Generator().manual_seed(_cuda_seed(torch.initial_seed()))
        self._seed = torch.initial_seed()
        self._autocast_before: tuple[bool, torch.dtype] | None = None
        stand_in.draw = self._draw

    def __enter__(self) -> None:
        self._tensors()
        self._moves()
        self._constructors()
        self._storages()
        self._cuda()
        self._random_numbers()
        self._backward()
        self._autocast()

    def __exit__(self, *_: object) -> None:
        while self._undo:
            self._undo.pop()()

    def _set(self, place: Any, name: str, value: Any) -> None:
        before = place.__dict__.get(name, _ABSENT)
        setattr(place, name, value)
        self._undo.append(lambda: delattr(place, name) if before is _ABSENT else setattr(place, name, before))

    def _method(self, place: Any, name: str) -> Callable[[_Function], _Function]:
        """Decorator: this function takes the place of torch's, and looks like it."""

        def put(function: _Function) -> _Function:
            self._set(place, name, functools.wraps(getattr(place, name))(function))
            return function

        return put

    # --- tensors ----------------------------------------------------------------------------------------------------

    def _tensors(self) -> None:
        of, tensor = self._labels.of, torch.Tensor
        base = {name: getattr(_BASE, name) for name in ("device", "is_cuda", "is_cpu", "get_device", "numpy")}
        self._set(tensor, "device", property(lambda self: of(self) or base["device"].__get__(self)))
        self._set(tensor, "is_cuda", property(lambda self: of(self) is not None or base["is_cuda"].__get__(self)))
        self._set(tensor, "is_cpu", property(lambda self: of(self) is None and base["is_cpu"].__get__(self)))

        @self._method(tensor, "get_device")
        def get_device(self: torch.Tensor) -> int:
            return 0 if of(self) else int(base["get_device"](self))

        @self._method(tensor, "numpy")
        def numpy(self: torch.Tensor, *, force: bool = False) -> Any:
            if of(self) and not force:
                # torch/csrc/utils/tensor_numpy.cpp
                text = "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
                raise TypeError(text)
            return base["numpy"](_moved(self, _CPU), force=force)

        for name in ("__dlpack__", "__cuda_array_interface__"):
            self._set(tensor, name, self._not_handed_over(tensor.__dict__[name]))

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

        @self._method(tensor, "to")
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
                moved = base_to(self, _CPU, **{**rest, "copy": True})
            if device == CUDA:
                labels.put(moved)
            if moved.requires_grad and moved.grad_fn is not None:
                moved.grad_fn.register_hook(functools.partial(_back_to, here or _CPU))
            return moved

        @self._method(tensor, "cuda")
        def cuda(self: torch.Tensor, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> torch.Tensor:
            return _moved(self, CUDA if device is None else device, non_blocking=non_blocking, **kwargs)

        @self._method(tensor, "cpu")
        def cpu(self: torch.Tensor, **kwargs: Any) -> torch.Tensor:
            return _moved(self, _CPU, **kwargs)

        @self._method(tensor, "type")
        def type_(self: torch.Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
            if dtype is None:
                name = base_type(self)
                # Under a function mode torch comes here twice.
                return name.replace("torch.", "torch.cuda.") if of(self) and ".cuda." not in name else name
            if not isinstance(dtype, str):
                return base_type(self, dtype, non_blocking, **kwargs)
            wanted = base_type(torch.empty(0, device=_CPU), dtype.replace("torch.cuda.", "torch.")).dtype
            return _moved(self, CUDA if dtype.startswith("torch.cuda.") else _CPU, dtype=wanted, non_blocking=non_blocking)

        @self._method(tensor, "type_as")
        def type_as(self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
            return _moved(self, other)

        @self._method(tensor, "pin_memory")
        def pin_memory(self: torch.Tensor, device: Any = None) -> torch.Tensor:
            if of(self):
                # aten/src/ATen/native/Memory.cpp
                raise RuntimeError(f"cannot pin '{type_(self)}' only dense CPU tensors can be pinned")
            pinned = self.detach().clone()
            labels.pinned(pinned, True)
            return pinned

        @self._method(tensor, "is_pinned")
        def is_pinned(self: torch.Tensor, device: Any = None) -> bool:
            return labels.pinned(self)

    def _constructors(self) -> None:
        """Those that torch fills on the CPU and then moves below every dispatch mode."""
        of = self._labels.of
        base_new, base_new_tensor = _BASE.new, _BASE.new_tensor
        tensor, as_tensor, asarray = torch.tensor, torch.as_tensor, torch.asarray

        @self._method(torch.Tensor, "new")
        def new(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            return placed(base_new(self, *args, **kwargs), of(self))

        @self._method(torch.Tensor, "new_tensor")
        def new_tensor(self: torch.Tensor, data: Any, *, device: Any = None, **kwargs: Any) -> Any:
            there = of(self) if device is None else named_device(device)
            return placed(base_new_tensor(self, data, device=_below(there), **kwargs), there)

        @self._method(torch, "tensor")
        def tensor_(data: Any, *, device: Any = None, **kwargs: Any) -> Any:
            there = default_device() if device is None else named_device(device)
            if there is None and isinstance(data, torch.Tensor):
                there = of(data)
            return placed(tensor(data, device=_below(there), **kwargs), there)

        def converting(original: Callable[..., Any]) -> Callable[..., Any]:
            def convert(data: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
                there = default_device() if device is None else named_device(device)
                if isinstance(data, torch.Tensor):
                    made = original(data, *args, **kwargs)
                    return made if device is None else _moved(made, there)
                made = original(data, *args, device=_below(there), **kwargs)
                return _moved(made, CUDA) if there == CUDA else made

            return convert

        self._method(torch, "as_tensor")(converting(as_tensor))
        self._method(torch, "asarray")(converting(asarray))

        def placed(made: torch.Tensor, device: torch.device | None) -> torch.Tensor:
            if device == CUDA:
                self._labels.put(made)
            return made

    def _storages(self) -> None:
        labels, storage = self._labels, torch.UntypedStorage
        c_storage: Any = torch._C.StorageBase
        base_device, base_clone = c_storage.device, storage.clone

        self._set(storage, "device", property(lambda self: CUDA if labels.has(self) else base_device.__get__(self)))

        def copied(self: Any) -> Any:
            return storage(self.nbytes()).copy_(self)  # type: ignore[no-untyped-call]

        @self._method(storage, "clone")
        def clone(self: Any) -> Any:
            if not labels.has(self):
                return base_clone(self)  # type: ignore[no-untyped-call]
            made = copied(self)
            labels.put_on(made)
            return made

        @self._method(storage, "to")
        def to(self: Any, *, device: Any, non_blocking: bool = False) -> Any:
            wanted = named_device(device)
            if wanted == self.device:
                return self
            made = copied(self)
            if wanted == CUDA:
                labels.put_on(made)
            return made

        @self._method(storage, "cuda")
        def cuda(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
            return to(self, device=CUDA if device is None else device)

    # --- torch.cuda -------------------------------------------------------------------------------------------------

    def _cuda(self) -> None:
        labels = self._labels

        def no_op(*args: Any, **kwargs: Any) -> None:
            """Nothing to do on a CPU."""

        def set_device(device: Any) -> None:
            named_device(device)

        def reset_peak(*args: Any) -> None:
            labels.peak = labels.allocated

        answers: dict[str, Callable[..., Any]] = {
            "is_available": lambda: True,
            "is_bf16_supported": lambda including_emulation=True: True,
            "is_current_stream_capturing": lambda: False,
            "device_count": lambda: 1,
            "current_device": lambda: 0,
            "get_device_name": lambda device=None: NAME,
            "set_device": set_device,
            "memory_allocated": lambda device=None: labels.allocated,
            "max_memory_allocated": lambda device=None: labels.peak,
            "reset_peak_memory_stats": reset_peak,
            "reset_max_memory_allocated": reset_peak,
            "_exchange_device": lambda device: 0,
            "_maybe_exchange_device": lambda device: 0,
            "_lazy_init": no_op,
            "init": no_op,
            "synchronize": no_op,
            "empty_cache": no_op,
            "ipc_collect": no_op,
        }
        for name, answer in answers.items():
            self._set(torch.cuda, name, answer)
        self._set(torch.cuda, "_initialized", False)
        for name in _UNKNOWABLE:
            self._set(torch.cuda, name, _refusing(f"torch.cuda.{name}"))
        for name in _OBJECTS:
            self._set(torch.cuda, name, type(name, (), {"__new__": _refusing(f"torch.cuda.{name}")}))
        accelerator: dict[str, Callable[..., Any]] = {
            "is_available": lambda: True,
            "device_count": lambda: 1,
            "current_accelerator": lambda check_available=False: torch.device("cuda"),
            "current_device_index": lambda: 0,
            "set_device_index": set_device,
            "synchronize": no_op,
            "empty_cache": no_op,
            "current_stream": lambda device=None: _Stream(),
        }
        for name, answer in accelerator.items():
            self._set(torch.accelerator, name, answer)
        # Else asking about a tensor on the GPU warns that cuDNN is not there.
        self._set(torch.backends.cudnn, "is_acceptable", lambda tensor: False)

    # --- random numbers: the GPU has a stream of its own ------------------------------------------------------------

    def _draw(self, run: Callable[[], Any]) -> Any:
        generator = torch.default_generator
        before = generator.get_state()
        generator.set_state(self._stream.get_state())
        try:
            return run()
        finally:
            self._stream.set_state(generator.get_state())
            generator.set_state(before)

    def _random_numbers(self) -> None:
        def manual_seed(seed: int) -> None:
            self._seed = int(seed)
            self._stream.manual_seed(_cuda_seed(self._seed))

        def seed() -> None:
            manual_seed(torch.Generator().seed())

        def get_rng_state(device: Any = "cuda") -> torch.Tensor:
            return self._stream.get_state()

        def set_rng_state(new_state: torch.Tensor, device: Any = "cuda") -> None:
            self._stream.set_state(new_state)

        for module in (torch.cuda, torch.cuda.random):
            for name, answer in {
                "manual_seed": manual_seed,
                "manual_seed_all": manual_seed,
                "seed": seed,
                "seed_all": seed,
                "initial_seed": lambda: self._seed,
                "get_rng_state": get_rng_state,
                "get_rng_state_all": lambda: [get_rng_state()],
                "set_rng_state": set_rng_state,
                "set_rng_state_all": lambda states: set_rng_state(states[0]),
            }.items():
                self._set(module, name, answer)
        self._set(torch, "Generator", self._generator_class())

    def _generator_class(self) -> type:
        """`torch.Generator`, whose instances may say that they are the GPU's. Torch's own are instances, too."""
        ours = self._labels.generators
        base: Any = torch._C.Generator

        class Meta(type(base)):  # type: ignore[misc]
            def __instancecheck__(cls, instance: object) -> bool:
                return isinstance(instance, base)

        class Generator(base, metaclass=Meta):  # type: ignore[misc]
            __doc__ = base.__doc__

            def __new__(cls, device: Any = "cpu") -> "Generator":
                named = named_device(device)
                made: Generator = super().__new__(cls, _below(named))
                if named == CUDA:
                    ours.add(made._cdata)
                return made

            def __del__(self) -> None:
                ours.discard(self._cdata)

            @property
            def device(self) -> torch.device:
                named: torch.device = CUDA if self._cdata in ours else base.device.__get__(self)
                return named

        Generator.__module__, Generator.__qualname__ = "torch", "Generator"
        return Generator

    # --- backward ---------------------------------------------------------------------------------------------------

    def _backward(self) -> None:
        """Gradients lie where their tensors do: torch sees to it by the device, which here is the same for all."""
        self._undo.append(adapter.patch_engine(self._around_engine))
        apply = torch.autograd.function.BackwardCFunction.apply
        adopt = self._stand_in.adopt_gradients

        @self._method(torch.autograd.function.BackwardCFunction, "apply")
        def apply_(self: Any, *args: Any) -> Any:
            adopt(args)
            return apply(self, *args)  # type: ignore[no-untyped-call]

    def _around_engine(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def _engine_run_backward(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
            handles = [node.register_prehook(functools.partial(self._to_leaf, node.variable)) for node in _leaves(t_outputs)]
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
        """A gradient where its tensor is. The CPU factor of a tensor on the GPU gets its gradient from there."""
        if not isinstance(gradient, torch.Tensor) or not isinstance(tensor, torch.Tensor):
            return gradient
        here, there = self._labels.of(gradient), self._labels.of(tensor)
        return gradient if here == there else torch.Tensor.to(gradient, there or _CPU)

    # --- autocast ---------------------------------------------------------------------------------------------------

    def _autocast(self) -> None:
        """`autocast("cuda")` runs as the CPU's, with the CUDA list of operators that go on in float32 added to it.

        Torch casts by the kind of a tensor's device, which is the CPU here (aten/src/ATen/autocast_mode.h).
        """
        set_enabled, set_dtype = torch.set_autocast_enabled, torch.set_autocast_dtype

        @self._method(torch, "set_autocast_enabled")
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

        @self._method(torch, "set_autocast_dtype")
        def set_autocast_dtype(device_type: str, dtype: torch.dtype) -> None:
            set_dtype(device_type, dtype)
            if device_type == "cuda" and self._autocast_before is not None:
                set_dtype("cpu", dtype)

        self._undo.append(adapter.add_autocast(lambda: self._autocast_before is not None))


def _moved(tensor: torch.Tensor, to: Any, **kwargs: Any) -> torch.Tensor:
    moved: torch.Tensor = torch.Tensor.to(tensor, to, **kwargs)
    return moved


def _back_to(device: torch.device, grad_inputs: Any, grad_outputs: Any) -> Any:
    """Takes a gradient back over the border that its tensor crossed: torch finds it on the CPU already and passes on what came."""
    return tuple(gradient if gradient is None else _moved(gradient, device) for gradient in grad_inputs)


def _below(device: torch.device | None) -> torch.device | None:
    """The device to ask torch for."""
    return _CPU if device == CUDA else device


class _Stream:
    """What optimizers ask for to learn whether a CUDA graph is being captured."""

    def is_capturing(self) -> bool:
        return False

    def synchronize(self) -> None:
        """Nothing waits on a CPU."""

    def __getattr__(self, name: str) -> Any:
        raise cannot(f"torch.Stream.{name}")


def default_device() -> torch.device | None:
    """The device that `torch.device(...)` as a context, or `set_default_device`, asks for; None where neither does.

    Not `torch.get_default_device()`: that makes a tensor to learn the index.
    """
    for mode in reversed(torch.overrides._get_current_function_mode_stack()):  # type: ignore[no-untyped-call]
        if isinstance(mode, torch.utils._device.DeviceContext):
            return named_device(mode.device)
    return None


def _cuda_seed(seed: int) -> int:
    """The seed of the GPU's stream: the same for the same seed, and not the CPU's numbers once more."""
    return (seed ^ 0x5DEECE66D) % 2**63


def _refusing(what: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise cannot(what)

    return refuse


def _leaves(t_outputs: Any) -> list[Any]:
    """The AccumulateGrad Nodes behind these outputs. Iterative: graphs are deeper than Python's stack."""
    waiting = [node for output in t_outputs if (node := adapter.gradient_root(output)) is not None]
    seen, leaves = set(waiting), []
    while waiting:
        node = waiting.pop()
        if hasattr(node, "variable"):
            leaves.append(node)
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return leaves
