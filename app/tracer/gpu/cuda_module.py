"""Replaces functions of `torch.cuda`, and its random numbers, as if there were a GPU."""

from collections.abc import Callable
from typing import Any

import torch

from app.tracer.gpu.cuda_tensors import below
from app.tracer.gpu.stand_in import CUDA, StandIn, cannot, named_device
from app.tracer.patching import Patching

NAME = "CPU standing in for a GPU"
"""The result of `torch.cuda.get_device_name()`."""

_UNKNOWABLE = (
    "get_device_capability get_device_properties mem_get_info memory_reserved max_memory_reserved memory_cached max_memory_cached "
    "memory_stats memory_summary memory_snapshot utilization temperature power_draw clock_rate memory_usage current_stream "
    "default_stream stream set_stream graph make_graphed_callables cudart current_blas_handle list_gpu_processes"
).split()
"""Functions of `torch.cuda` that raise StandInError."""

_OBJECTS = ("Stream", "Event", "ExternalStream", "CUDAGraph", "MemPool")
"""Classes of `torch.cuda` that raise StandInError."""


class ModulePatches(Patching):
    """Replaces functions of `torch.cuda` and `torch.accelerator`, and generators: a GPU has a separate random stream."""

    def __init__(self, stand_in: StandIn) -> None:
        super().__init__()
        self._labels = stand_in.labels
        self._stream = torch.Generator().manual_seed(_cuda_seed(torch.initial_seed()))
        self._seed = torch.initial_seed()
        stand_in.draw = self._draw

    def install(self) -> None:
        """Install all replacements."""
        self._cuda()
        self._random_numbers()

    def _cuda(self) -> None:
        labels = self._labels

        def no_op(*args: Any, **kwargs: Any) -> None:
            """Do nothing, because the replaced function has no equivalent on a CPU."""

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
            self.set(torch.cuda, name, answer)
        self.set(torch.cuda, "_initialized", False)
        for name in _UNKNOWABLE:
            self.set(torch.cuda, name, _refusing(f"torch.cuda.{name}"))
        for name in _OBJECTS:
            self.set(torch.cuda, name, type(name, (), {"__new__": _refusing(f"torch.cuda.{name}")}))
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
            self.set(torch.accelerator, name, answer)
        # Otherwise torch warns that cuDNN is missing.
        self.set(torch.backends.cudnn, "is_acceptable", lambda tensor: False)

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
                self.set(module, name, answer)
        self.set(torch, "Generator", self._generator_class())

    def _generator_class(self) -> type:
        """Return a `torch.Generator` class with instances that may have the GPU as device. Torch's own generators count as
        instances of this class."""
        ours = self._labels.generators
        base: Any = torch._C.Generator

        class Meta(type(base)):  # type: ignore[misc]
            def __instancecheck__(cls, instance: object) -> bool:
                return isinstance(instance, base)

        class Generator(base, metaclass=Meta):  # type: ignore[misc]
            __doc__ = base.__doc__

            def __new__(cls, device: Any = "cpu") -> "Generator":
                named = named_device(device)
                made: Generator = super().__new__(cls, below(named))
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


class _Stream:
    """A stand-in for the current stream. Optimizers ask it whether a CUDA graph is being captured."""

    def is_capturing(self) -> bool:
        return False

    def synchronize(self) -> None:
        """Return immediately, because the CPU has no queue of operations to wait for."""

    def __getattr__(self, name: str) -> Any:
        raise cannot(f"torch.Stream.{name}")


def _cuda_seed(seed: int) -> int:
    """Return the seed of the GPU's random stream. `seed` determines this seed, but the two streams have different numbers."""
    return (seed ^ 0x5DEECE66D) % 2**63


def _refusing(what: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise cannot(what)

    return refuse
