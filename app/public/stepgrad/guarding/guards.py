"""`guard()`: a block, function or module whose saved tensors and gradients are checked, and what it has found."""

import inspect
import random
import threading
import warnings
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Literal, ParamSpec, TypeVar

import torch
from torch import Tensor
from torch.utils._contextlib import context_decorator

from . import torch_hooks
from .birth import RandomState, find_birth
from .fingerprints import Slot
from .found import GuardError, GuardFinding
from .non_finite import find_non_finite
from .saved_tensors import Asked, Hooks, Place, hooks_of

Mode = Literal["raise", "warn", "collect"]
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_RANDOM = random.Random()
"""Chooses the steps that `sample` checks, so that the seeds of the program stay as they are."""


class Guard:
    """Check that backward uses saved tensors as they were saved, and that gradients are finite, on CPU and CUDA.

    `with stepgrad.guard():` checks a block, `@stepgrad.guard()` each call of a function, `stepgrad.guard(model)` each call of one
    module until `guard.off()`, and `guard.on()` everything from here to `guard.off()`. A guard belongs to its thread.

    It finds saved tensors whose bytes changed while their version counters did not (through `.data`, NumPy, DLPack, a custom
    kernel or compiled code), and checkpoints that recompute other values than the forward computed. Both give silently wrong
    gradients. It also finds NaN and infinity in gradients, and makes torch's own check of version counters, which saved-tensor
    hooks switch off (`SavedVariable::unpack`).

    `mode` is what happens to a finding: "raise" raises GuardError, "warn" warns, "collect" only adds it to `findings`. What torch
    itself refuses is raised in each mode. `sample` is the share (above 0, to 1) of steps that are checked; a step ends with
    `optimizer.step()`, and with the block or call. Raises ValueError for another `mode` or `sample`, TypeError if `module` is no
    Module.

    `findings` are in order. `saves` counts saved tensors; `unread` counts those whose bytes no guard can read, by layout or class.
    """

    def __init__(self, module: torch.nn.Module | None = None, *, mode: Mode = "raise", sample: float = 1.0) -> None:
        if mode not in ("raise", "warn", "collect"):
            raise ValueError(f'mode is "raise", "warn" or "collect", not {mode!r}')
        if not 0 < sample <= 1:
            raise ValueError(f"sample is above 0 and at most 1, not {sample!r}")
        if module is not None and not isinstance(module, torch.nn.Module):
            raise TypeError(f"guard() takes a torch.nn.Module, not {module!r}; above a function write @stepgrad.guard()")
        self.mode, self.sample = mode, sample
        self.findings: list[GuardFinding] = []
        self.saves = 0
        self.unread: Counter[str] = Counter()
        self.steps = 0
        """Steps of optimizers so far."""
        self.places: dict[str | None, Place] = {}
        """By line of the user's code: a place that all tensors share which the line saves in this step of the optimizer."""
        self.asked = Asked()
        self.compared_later: list[tuple[Slot, Slot, Callable[[], GuardFinding]]] = []
        """Pairs of fingerprints on a device, with the finding if they differ. They are compared at the end of backward."""
        self.has_scaler = False
        """A GradScaler is in use, so infinite gradients are expected until the optimizer steps."""
        self._optimizers: dict[int, tuple[weakref.ref[Any], str, int]] = {}
        self._hooks: Hooks = hooks_of(self)
        self._entered = 0
        self._module: weakref.ref[torch.nn.Module] | None = None
        self._handles: list[Any] = []
        self._told: set[str] = set()
        self._again: tuple[Callable[[], object], RandomState] | None = None
        """The step that `guard.step` runs, and the random numbers before it."""
        self._is_repeating = False
        self.is_checking = True
        """Whether this step is one of the sample, and not repeated to find the origin of a NaN."""
        if module is not None:
            self._guard_module(module)

    def __enter__(self) -> "Guard":
        if self._module is None:
            if not torch_hooks.is_armed(self):  # else a recursive call, for which the hooks are installed already
                self._choose()
                if self.is_checking:
                    torch_hooks.push(self._hooks)
            self._entered += 1
            torch_hooks.arm(self)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._module is not None:
            self._end()
            return
        self._entered -= 1
        torch_hooks.disarm(self)
        if not torch_hooks.is_armed(self):
            torch_hooks.remove(self._hooks)

    def __call__(self, function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        """Decorate a function or a generator function. Raises TypeError for a coroutine function: put a guard inside it."""
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "a guard checks its thread, where other coroutines run too: write `with stepgrad.guard():` inside the coroutine"
            )
        return context_decorator(lambda: self, function)  # type: ignore[no-any-return, no-untyped-call]

    @staticmethod
    def on(module: torch.nn.Module | None = None, *, mode: Mode = "raise", sample: float = 1.0) -> "Guard":
        """Begin to check on this thread, until `guard.off()`. Takes what `guard` takes."""
        guard = Guard(module, mode=mode, sample=sample)
        if module is None:
            guard.__enter__()
        _started.guards.append(guard)
        return guard

    @staticmethod
    def off() -> None:
        """End the guard that `guard.on()` or `guard(model)` began last on this thread. Raises RuntimeError if there is none."""
        while _started.guards:
            guard = _started.guards.pop()
            if guard._entered or guard._handles:
                guard.__exit__(None, None, None)
                return
        raise RuntimeError("guard.off() without guard.on() or guard(model) on this thread")

    @staticmethod
    def step(function: Callable[_Parameters, _Result], /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        """Call a function that can be called again, and return what it returns.

        A finding of NaN or infinity names the operator that returned the first one.

        If a gradient is not finite, the function is called again from the same random numbers, until the first operator that
        returns NaN (else infinity). Then every tensor that this second call wrote has its old
        elements again. The innermost guard of this thread checks the call; if there is none, a new guard does.
        """
        call = partial(function, *args, **kwargs)
        around = torch_hooks.innermost()
        if around is not None:
            return around._step(call)
        with Guard() as guard:
            return guard._step(call)

    def tell(self, finding: GuardFinding, *, always: bool = False) -> None:
        """Add a finding, then raise or warn, depending on `mode`. With `always` it is raised in every mode, as torch would."""
        if not self.is_checking and not always:
            return
        text = finding.text()
        if text not in self._told:
            self._told.add(text)
            self.findings.append(finding)
            if self.mode == "warn" and not always:
                warnings.warn(text, stacklevel=2)
        if always or self.mode == "raise":
            raise GuardError(finding)

    def cannot_read(self, tensor: Tensor) -> None:
        """Count a saved tensor with bytes that cannot be compared. A meta tensor has none."""
        if tensor.device.type != "meta":
            kind = type(tensor)
            self.unread[str(tensor.layout) if kind is Tensor or kind is torch.nn.Parameter else kind.__name__] += 1

    def optimizer_that_wrote(self, tensor: Tensor, since: int) -> tuple[str, str] | None:
        """Return name and line of the last optimizer that wrote this tensor after step `since`; None if no optimizer did."""
        address = tensor.data_ptr() if tensor.layout == torch.strided else 0
        for optimizer_of, line, step in reversed(self._optimizers.values()):
            optimizer = optimizer_of()
            if optimizer is None or step <= since:
                continue
            owned = (each for group in optimizer.param_groups for each in group["params"])
            if any(each.layout == torch.strided and each.data_ptr() == address for each in owned):
                return type(optimizer).__name__, line
        return None

    def backward_ended(self, outputs: Any, leaves: list[Tensor], results: Any) -> None:
        """Compare the fingerprints on devices. Then look for NaN and infinity in the gradients of the leaves and in `results`."""
        later, self.compared_later = self.compared_later, []
        by_sums: dict[Any, list[tuple[Slot, Slot, Callable[[], GuardFinding]]]] = {}
        for each in later:
            by_sums.setdefault(each[0].sums, []).append(each)
        for sums, pairs in by_sums.items():
            for differs, (*_, finding_of) in zip(sums.differing([pair[:2] for pair in pairs]), pairs, strict=True):
                if differs:
                    self.tell(finding_of())
        gradients = [(leaf, leaf.grad) for leaf in leaves] + [(None, each) for each in results or ()]
        finding = find_non_finite(self, outputs, gradients)
        if finding is not None:
            self.tell(finding if self._again is None else replace(finding, born=self._birth(*self._again, leaves)))

    def backward_failed(self) -> None:
        """Drop the fingerprints on devices that this backward has not compared."""
        self.compared_later.clear()

    def optimizer_begins(self, optimizer: Any) -> None:
        """Look for NaN and infinity in gradients that a GradScaler has divided by its scale."""
        if self.is_checking and self.has_scaler:
            owned = [each for group in optimizer.param_groups for each in group["params"]]
            finding = find_non_finite(self, (), [(each, each.grad) for each in owned], is_unscaled=True)
            if finding is not None:
                self.tell(finding)

    def optimizer_ended(self, optimizer: Any, line: str | None) -> None:
        """Count a step of the program, and choose whether the next one is checked."""
        if self._is_repeating:
            return
        self.steps += 1
        self.places.clear()
        self._optimizers.pop(id(optimizer), None)
        self._optimizers[id(optimizer)] = weakref.ref(optimizer), line or "", self.steps
        if self._module is None and self.sample < 1:
            was = self.is_checking
            self._choose()
            if was and not self.is_checking:
                torch_hooks.remove(self._hooks)
            elif self.is_checking and not was:
                torch_hooks.push(self._hooks)

    def _step(self, function: Callable[[], _Result]) -> _Result:
        outer, self._again = self._again, (function, RandomState())
        try:
            return function()
        finally:
            self._again = outer

    def _birth(self, step: Callable[[], object], state: RandomState, leaves: list[Tensor]) -> dict[str, str | int] | None:
        self.is_checking, self._is_repeating = False, True
        try:
            return find_birth(step, state, leaves)
        finally:
            self.is_checking, self._is_repeating = True, False

    def _choose(self) -> None:
        self.is_checking = self.sample >= 1 or _RANDOM.random() < self.sample

    def _guard_module(self, module: torch.nn.Module) -> None:
        self._module = weakref.ref(module)
        self._handles = [
            module.register_forward_pre_hook(self._module_begins, prepend=True),
            module.register_forward_hook(self._module_ended, always_call=True),
        ]
        torch_hooks.arm(self)
        _started.guards.append(self)

    def _module_begins(self, *_: object) -> None:
        if not self._handles:
            return  # the guard has ended; this module is a copy that kept the hooks
        self._choose()
        if self.is_checking:
            torch_hooks.push(self._hooks)

    def _module_ended(self, *_: object) -> None:
        torch_hooks.remove(self._hooks)

    def _end(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        torch_hooks.disarm(self)
        if self in _started.guards:
            _started.guards.remove(self)

    def __deepcopy__(self, _: object) -> "Guard":
        """Return this guard: a copy of a guarded module has the guard of the original."""
        return self

    def __reduce__(self) -> tuple[type["Guard"], tuple[()]]:
        """Pickle a new guard that checks nothing, for a guarded module that is saved to a file."""
        return Guard, ()

    def __repr__(self) -> str:
        unread = "".join(f", {count} of {layout} not read" for layout, count in self.unread.items())
        return f"<guard: {self.saves} saved tensors{unread}, {len(self.findings)} findings>"


class _Started(threading.local):
    """The guards that `guard.on()` and `guard(model)` began on a thread."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []


_started = _Started()
