"""Labels each tensor with the device that it would have if there were a GPU.

The stand-in is only active if a Request has `stand_in`. All tensors are CPU tensors, and all values are computed by the CPU.
The label belongs to the storage. Views, `detach`, `.data` and saved tensors share the label, which dies with the bytes.
Operators copy the label from their inputs to their outputs. `cuda_patches.py` replaces the functions of torch that depend on
the device.
"""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.journal import Journal
from app.tracer.observer import Observer

CUDA = torch.device("cuda", 0)
"""The device for which the CPU stands in."""

_CPU = torch.device("cpu")
_LABEL, _MADE, _PINNED = "_stepgrad_device", "_stepgrad_made", "_stepgrad_pinned"
"""Attributes of a storage's Python object, which lives as long as the storage (c10/core/impl/PyObjectSlot.h)."""

_BLOCK = 512
"""Torch's CUDA allocator allocates multiples of this many bytes (c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize)."""

_Place = tuple[int, int, int] | str
"""A position in the program: frame, instruction and statement. Operators at the same position belong to one call into torch."""

_ENGINE = "backward"


class StandInError(NotImplementedError):
    """Raised into the snippet for a feature of a GPU that the CPU cannot imitate. The message is one sentence."""

    __module__ = "stepgrad"
    """Tracebacks show this module in front of the name of the exception."""


def cannot(what: str) -> StandInError:
    return StandInError(f"The CPU stands in for cuda:0 in this run, and it cannot stand in for {what}.")


class _Allocation:
    """Attribute of a labelled storage that counts the storage's bytes while the storage lives. The attribute's destructor must
    not call torch, because it runs inside C++ destructors."""

    __slots__ = ("_labels", "_nbytes")

    def __init__(self, labels: "Labels", nbytes: int) -> None:
        self._labels = labels
        self._nbytes = -(-nbytes // _BLOCK) * _BLOCK
        labels.allocated += self._nbytes
        labels.peak = max(labels.peak, labels.allocated)

    def __del__(self) -> None:
        self._labels.allocated -= self._nbytes


class Labels:
    """The labels of storages that would be on the GPU."""

    def __init__(self) -> None:
        self.allocated = 0
        """Bytes of the live labelled storages, as torch's CUDA allocator would count them."""
        self.peak = 0
        self.generators: set[int] = set()
        """Addresses of the generators that would be on the GPU. Python objects cannot identify a generator, because each call
        of an operator gets a new wrapper of it."""
        self.target: torch.device | None = None
        """The target device of the running copy; None if there is none."""

    def of(self, tensor: torch.Tensor) -> torch.device | None:
        """Return the device of a tensor's label; None if the tensor has no label."""
        storage = _storage(tensor)
        return CUDA if storage is not None and self.has(storage) else None

    def has(self, storage: Any) -> bool:
        return _LABEL in storage.__dict__

    def put(self, tensor: torch.Tensor) -> None:
        """Label the storage of this tensor, and thus all tensors that share the storage."""
        storage = _storage(tensor)
        if storage is None:
            raise cannot(f"tensors without a storage of their own ({adapter.layout_of(tensor)})")
        self.put_on(storage)

    def put_on(self, storage: Any) -> None:
        if _LABEL not in storage.__dict__:
            storage.__dict__[_LABEL] = _Allocation(self, storage.nbytes())
            # Checkpoint only keeps the generator's state if CUDA is initialized, as after the first use of a GPU.
            torch.cuda._initialized = True

    def pinned(self, tensor: torch.Tensor, now: bool = False) -> bool:
        """Whether this tensor's memory would be pinned. With `now`, mark the memory as pinned."""
        storage = _storage(tensor)
        if now and storage is not None:
            storage.__dict__[_PINNED] = True
        return storage is not None and _PINNED in storage.__dict__

    @contextmanager
    def going_to(self, device: torch.device) -> Iterator[None]:
        """A context in which copies change the device. Outside of this context, copies stay on their device."""
        before, self.target = self.target, device
        try:
            yield
        finally:
            self.target = before


def _storage(tensor: torch.Tensor) -> Any:
    with torch._C.DisableTorchFunction():
        try:
            return tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):  # sparse, functorch, fake: torch refuses
            return None


def named_device(device: Any) -> torch.device:
    """Return the device for a `device=` argument, as tensors report it. Raises torch's error for a second GPU."""
    named = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    if named.type != "cuda":
        return named
    if named.index not in (None, 0):
        # torch.AcceleratorError of cudaSetDevice, without its lines about debugging.
        raise torch.AcceleratorError("CUDA error: invalid device ordinal")
    return CUDA


# --- tensors of different devices ------------------------------------------------------------------------------------------

_FREE = frozenset(
    f"aten::{name}"
    for name in (
        "copy_ _to_copy to is_same_size resize_as_ set_ _has_same_storage_numel _pack_padded_sequence repeat_interleave "
        "_fused_adam_ _fused_adamw_ _fused_sgd_ _fused_adagrad_ _amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_ "
        "result_type expand_as view_as reshape_as"
    ).split()
)
"""Operators that accept tensors of different devices, or read only their shapes."""

_ITERATED = frozenset(f"aten::{name}" for name in "mse_loss smooth_l1_loss huber_loss binary_cross_entropy fill fill_".split())
"""Operators without the tag `pointwise` that accept 0-dimensional CPU tensors, as TensorIterator does."""

_INDEXING = frozenset({"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index"})

_STRUCTURED = frozenset(
    (
        "addmv addmv_ baddbmm baddbmm_ bmm cat index_copy index_copy_ mm addmm addmm_ index_add index_add_ scatter scatter_ "
        "scatter_add scatter_add_ gather nll_loss_forward nll_loss_backward linalg_cross _linalg_solve_ex linalg_lu_solve"
    ).split()
)
_UNSTRUCTURED = frozenset(
    "index_select dot vdot native_layer_norm native_group_norm equal take masked_select nll_loss2d_forward".split()
)
"""Operators whose CUDA wrapper checks the device of every tensor (native_functions.yaml: no `device_check: NoCheck`). The name of a
structured operator's wrapper does not contain the overload (torchgen/dest/register_dispatch_key.py)."""

_SAID_AS = {"aten::embedding": ("index_select", ("self", "index")), "aten::stack": ("cat", ("tensors",))}
"""Operators that call another operator on CUDA, whose error message has that operator's names of arguments."""


def device_mismatch(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], on_gpu: Callable[[torch.Tensor], bool]
) -> Exception | None:
    """Return the exception that torch raises if this operator gets tensors of both devices; None if the operator accepts them."""
    name = str(func._schema.name)
    if name in _FREE:
        return None
    short = name.removeprefix("aten::")
    operands = list(_operands(func, args, kwargs))
    if name in _INDEXING:
        return _indexing(operands, on_gpu)
    if short in ("convolution", "_convolution", "convolution_overrideable"):
        return _convolution(operands, on_gpu)
    if torch.Tag.pointwise in func.tags or name in _ITERATED or short.startswith("_foreach_"):
        return _iterated([(tensor, written) for _, tensor, written in operands], on_gpu)
    said, names = _SAID_AS.get(name, (short, ()))
    if said not in _STRUCTURED and said not in _UNSTRUCTURED:
        return cannot(f"what a GPU says to {name} of tensors on cuda:0 and cpu")
    first = on_gpu(operands[0][1])
    for number, (argument, tensor, _) in enumerate(operands):
        if on_gpu(tensor) != first:
            if names:
                argument = names[min(number, len(names) - 1)]
            method = f"wrapper_CUDA_{said}" if said in _STRUCTURED else f"wrapper_CUDA_{func._schema.overload_name}_{said}"
            # aten/src/ATen/core/adaption.cpp, common_device_check_failure
            return RuntimeError(
                f"Expected all tensors to be on the same device, but got {argument} is on {_said(not first)}, different from other "
                f"tensors on {_said(first)} (when checking argument in method {method})"
            )
    return None


def _iterated(operands: list[tuple[torch.Tensor, bool]], on_gpu: Callable[[torch.Tensor], bool]) -> Exception | None:
    if all(on_gpu(tensor) or (tensor.dim() == 0 and not written) for tensor, written in operands):
        return None
    # aten/src/ATen/TensorIterator.cpp, compute_types
    return RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")


def _indexing(operands: list[tuple[str, torch.Tensor, bool]], on_gpu: Callable[[torch.Tensor], bool]) -> Exception | None:
    indexed = next(tensor for name, tensor, _ in operands if name == "self")
    if not on_gpu(indexed) and any(on_gpu(tensor) for name, tensor, _ in operands if name == "indices"):
        # aten/src/ATen/native/TensorAdvancedIndexingUtils.h
        return RuntimeError("indices should be either on cpu or on the same device as the indexed tensor (cpu)")
    values = [(tensor, False) for name, tensor, _ in operands if name == "values" and tensor.dim() > 0]
    if any(on_gpu(tensor) != on_gpu(indexed) for tensor, _ in values):
        return _iterated([*values, (indexed, True)], on_gpu)
    return None


def _convolution(operands: list[tuple[str, torch.Tensor, bool]], on_gpu: Callable[[torch.Tensor], bool]) -> Exception:
    spelled = {name: _type_name(tensor, on_gpu(tensor)) for name, tensor, _ in operands}
    # aten/src/ATen/native/Convolution.cpp, check_input_same_type_as_parameters: a CPU input would go to oneDNN
    rest = "" if on_gpu(operands[0][1]) else " or input should be a MKLDNN tensor and {} is a dense tensor"
    against = "weight" if spelled["weight"] != spelled["input"] else "bias"
    return RuntimeError(
        f"Input type ({spelled['input']}) and {against} type ({spelled[against]}) should be the same{rest.format(against)}"
    )


def _type_name(tensor: torch.Tensor, on_gpu: bool) -> str:
    name = adapter.TENSOR_TYPE(tensor)
    return name.replace("torch.", "torch.cuda.", 1) if on_gpu else str(name)


def _said(on_gpu: bool) -> str:
    return "cuda:0" if on_gpu else "cpu"


def _operands(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor, bool]]:
    """Yield (argument, tensor, whether it is written) for every tensor argument, in the order of the schema."""
    for position, argument in enumerate(func._schema.arguments):
        value = args[position] if position < len(args) else kwargs.get(argument.name)
        written = argument.alias_info is not None and argument.alias_info.is_write
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, torch.Tensor):
                yield argument.name, item, written


# --- operators -------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Plan:
    """How an operator is run: whether its outputs are labelled, or whether an exception is raised instead."""

    labelled: bool = False
    decided: bool = True
    """Whether the device of the outputs is known when the operator runs. It is not known for a factory without a `device`
    argument, because torch's own code also calls such factories, for tensors of any device."""
    decomposed: bool = False
    random: bool = False
    pinned: bool = False
    inputs: set[int] = field(default_factory=set)
    place: _Place = _ENGINE
    raised: Exception | None = None


class StandIn:
    """Gets every operator before the journal, and propagates the labels."""

    def __init__(self, journal: Journal, observer: Observer, guard: Guard) -> None:
        self.guard = guard
        self.labels = Labels()
        self.draw: Callable[[Callable[[], Any]], Any] = lambda run: run()
        """Runs a random operator with the GPU's own random stream."""
        self._journal = journal
        self._observer = observer
        self._gpu_call: _Place | None = None
        """The position of the last operator that read a tensor on the GPU."""

    def operator(self, keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run an operator and label its outputs. Raises the error that torch would raise with a GPU, or StandInError."""
        plan = self._planned(func, args, kwargs, sys._getframe(1).f_back)  # the caller of the adapter's kernel
        if plan is None:
            return self._journal.operator(keyset, func, args, kwargs, depth=2)
        if plan.raised is not None:
            raise plan.raised
        if plan.decomposed:
            return adapter.run_decomposed(func, args, kwargs)
        return self._journal.operator(keyset, func, args, kwargs, functools.partial(self._run, plan), depth=2)

    def _run(self, plan: _Plan, keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if plan.random:
            output = self.draw(lambda: adapter.run_operator(keyset, func, args, kwargs))
        else:
            output = adapter.run_operator(keyset, func, args, kwargs)
        refusal = self._labelled(output, plan)
        if refusal is not None:
            raise refusal
        return output

    def _on_gpu(self, tensor: torch.Tensor) -> bool:
        return self.labels.of(tensor) is not None

    @guarded
    def _planned(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None) -> _Plan:
        plan = _Plan()
        plan.place = place = self._place(frame)
        tensors = [tensor for _, tensor, _ in _operands(func, args, kwargs)]
        plan.inputs = {id(storage) for tensor in tensors if (storage := _storage(tensor)) is not None}
        gpu = [self._on_gpu(tensor) for tensor in tensors]
        if any(gpu) and not all(gpu):
            for tensor, there in zip(tensors, gpu, strict=True):
                if not there and self._is_torchs_own(tensor, place):
                    self.labels.put(tensor)
            gpu = [self._on_gpu(tensor) for tensor in tensors]
            if not all(gpu) and place != _ENGINE:
                plan.raised = device_mismatch(func, args, kwargs, self._on_gpu)
                if isinstance(plan.raised, StandInError) and adapter.is_composite(func):
                    plan.raised, plan.decomposed = None, True
                if plan.raised is not None or plan.decomposed:
                    return plan
        plan.labelled = any(gpu)
        self._apply_device(func, kwargs, plan, bool(gpu))
        if any(gpu) and plan.decided:
            self._gpu_call = place
        self._apply_generator(func, kwargs.get("generator"), plan)
        return plan

    def _apply_device(self, func: Any, kwargs: dict[str, Any], plan: _Plan, reads: bool) -> None:
        """Replace the GPU by the CPU in the `device` argument. `kwargs` belongs to this call, so it is changed in place."""
        asked = kwargs.get("device")
        if asked is not None and asked.type == "cuda":
            plan.labelled = True
            try:
                named_device(asked)
            except RuntimeError as refusal:
                plan.raised = refusal
            kwargs["device"] = _CPU
        elif func._schema.name in ("aten::_to_copy", "aten::to"):
            if self.labels.target is not None:
                plan.labelled = self.labels.target == CUDA
            elif asked is not None and asked.type != "cpu":
                plan.labelled = False
        elif asked is not None and asked.type != "cpu":
            plan.labelled = False
        elif asked is not None or not reads:
            plan.labelled = plan.place == self._gpu_call
            plan.decided = False
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
            plan.pinned = True

    def _apply_generator(self, func: Any, generator: Any, plan: _Plan) -> None:
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return
        if generator is None:
            plan.random = plan.labelled
        elif (generator._cdata in self.labels.generators) != plan.labelled:
            wanted, got = ("cuda", "cpu") if plan.labelled else ("cpu", "cuda")
            # aten/src/ATen/core/Generator.h, check_generator
            plan.raised = RuntimeError(f"Expected a '{wanted}' device type for generator but found '{got}'")

    @guarded
    def _labelled(self, output: Any, plan: _Plan) -> Exception | None:
        """Label the outputs. Returns an exception if an output cannot be labelled."""
        for tensor in output if isinstance(output, (list, tuple)) else (output,):
            if not isinstance(tensor, torch.Tensor) or tensor.device.type == "meta":
                continue
            storage = _storage(tensor)
            if storage is None:
                if plan.labelled:
                    return cannot(f"tensors without a storage of their own ({adapter.layout_of(tensor)})")
            elif id(storage) not in plan.inputs:
                if plan.labelled:
                    self.labels.put_on(storage)
                elif not plan.decided:
                    storage.__dict__[_MADE] = plan.place
                if plan.pinned:
                    storage.__dict__[_PINNED] = True
        return None

    def _place(self, frame: FrameType | None) -> _Place:
        if frame is None or frame.f_code.co_name == "_engine_run_backward":
            return _ENGINE
        return id(frame), frame.f_lasti, self._observer.statements

    def _is_torchs_own(self, tensor: torch.Tensor, place: _Place) -> bool:
        """Whether torch itself created this tensor, inside the call into torch that now reads it."""
        storage = _storage(tensor)
        return storage is not None and storage.__dict__.get(_MADE) == place

    def adopt_gradients(self, gradients: tuple[Any, ...]) -> None:
        """Label zeros that autograd created for missing gradients, if other gradients are on the GPU."""
        tensors = [gradient for gradient in gradients if isinstance(gradient, torch.Tensor)]
        if any(self._on_gpu(tensor) for tensor in tensors):
            for tensor in tensors:
                if self._is_torchs_own(tensor, _ENGINE):
                    self.labels.put(tensor)
