"""Observes every operator that reaches a backend, by a separate dispatch key."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from sys import gettrace
from typing import Any, ClassVar

import torch
import torch._tensor_str

from app.tracer.adapter.calls import patch
from app.tracer.adapter.compilers import not_compiled
from app.tracer.adapter.interpreter import stack
from app.tracer.adapter.schemas import operator, operators

JOURNAL: Any = torch._C._parse_dispatch_key("Fake")
"""A dispatch key that torch itself does not use, directly above the backends (c10/core/DispatchKey.h; torchdistx used it).

TORCH 2.13: a TorchDispatchMode would be visible. While one is active, gradients meet out of place, formulas of backward and
composite operators take other paths (`isTensorSubclassLike`), `_foreach_*_` bump no counter, fast paths are refused. An
included key sees the same operators without these effects (measured; tests/tracer/operators.py compares every operator).
"""
_Tensor = torch.Tensor
_include = torch._C._dispatch_tls_set_dispatch_key_included
_is_included = torch._C._dispatch_tls_is_dispatch_key_included
_OF_NUMBERS = {
    int: torch.int64,
    float: torch.float64,
    bool: torch.bool,
    complex: torch.complex128,
    torch.SymInt: torch.int64,
    torch.SymFloat: torch.float64,
    torch.SymBool: torch.bool,
}
_NUMBERS = tuple(_OF_NUMBERS)
_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)


OperatorHandler = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Called as handler(keyset, func, args, kwargs) in place of an operator. It runs the operator with `run_operator` and returns
its output.

It does not see its own operators, and a trace function does not see its code.
"""


class _Kernels:
    """Registered with the dispatcher once, at first use: it takes 0.4 s. Run only on threads that include their key."""

    libraries: ClassVar[dict[str, Any]] = {}
    defined: ClassVar[set[str]] = set()
    """Operators defined from Python that have a kernel of ours. They may be redefined with another schema."""
    handler: OperatorHandler | None = None

    @classmethod
    def register(cls) -> None:
        """A kernel for each existing operator, and a fallback for operators that C++ adds.

        TORCH 2.13: with an active mode of the snippet that FakeTensorMode has set aside, torch looks for a Python fallback
        among the Python kernels and does not find it ("func != nullptr INTERNAL ASSERT", torch/csrc/utils/python_dispatch.cpp).
        """
        from_python = {"".join(name.split()) for name in torch.library._defs}
        if not cls.libraries:
            fallback = cls.libraries["_"] = torch._C._dispatch_library("IMPL", "_", "")
            fallback.fallback("Fake", lambda keyset, func, *args, **kwargs: cls.run(func, keyset, *args, **kwargs), True)
            for name in torch._C._dispatch_get_all_op_names():
                if name not in from_python:
                    cls._register(name, functools.partial(cls.run, _overload(name)))
        for name in from_python - cls.defined:
            cls.register_defined(name)

    @classmethod
    def register_defined(cls, name: str) -> None:
        """A kernel for an operator that was defined from Python: it asks at each call for what that name stands for then.

        TORCH 2.13: what the dispatcher itself hands to Python is the operator that first had the name.
        """
        if name not in cls.defined and torch._C._dispatch_has_kernel(name):
            cls._register(name, lambda keyset, *args, **kwargs: cls.run(_overload(name), keyset, *args, **kwargs))
            cls.defined.add(name)

    @classmethod
    def _register(cls, name: str, kernel: Callable[..., Any]) -> None:
        namespace, _, rest = name.partition("::")
        if namespace not in cls.libraries:
            cls.libraries[namespace] = torch._C._dispatch_library("IMPL", namespace, "")
        cls.libraries[namespace].impl(rest, "Fake", kernel, True)

    @staticmethod
    @not_compiled
    def run(func: Any, keyset: Any, /, *args: Any, **kwargs: Any) -> Any:
        # Before all else: with tracing on, each of our calls and instructions is looked at by CPython (2 µs an operator, measured).
        trace = gettrace()
        if trace is not None:
            stack.pause_tracing()
        _include(JOURNAL, False)
        try:
            handler = _Kernels.handler
            # Operators of the profiler are torch's own markers and compute nothing.
            if handler is None or (operators.get(id(func)) or operator(func)).namespace == "profiler":
                return run_operator(keyset, func, args, kwargs)
            return handler(keyset, func, args, kwargs)
        finally:
            _include(JOURNAL, _Kernels.handler is not None)
            if trace is not None:
                stack.resume_tracing()


def _overload(name: str) -> Any:
    """The OpOverload that has this name now."""
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")


def run_operator(keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the dispatcher would have run, had it not come to us.

    TORCH 2.13: a number that a Tensor parameter took (`x * 3`) reaches Python as a number, which `redispatch` does not take back.
    Neither does a call from the top where only TorchScript passes numbers (printing a traced graph does).
    """
    known = operators.get(id(func)) or operator(func)
    count = len(args)
    for position in known.tensors:
        if position >= count:
            break
        kind = type(args[position])
        if kind is not _Tensor and kind in _NUMBERS:
            if known.takes_numbers:
                return func(*args, **kwargs)
            args = tuple(_tensor(arg) if index in known.tensors else arg for index, arg in enumerate(args))
            break
    return known.redispatch(keyset.remove(JOURNAL), *args, **kwargs)


def run_decomposed(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a composite operator as the operators that it consists of, each shown to the handler; instead of `run_operator`."""
    trace = gettrace()
    _include(JOURNAL, True)
    if trace is not None:
        stack.resume_tracing()
    try:
        return func.decompose(*args, **kwargs)
    finally:
        if trace is not None:
            stack.pause_tracing()
        _include(JOURNAL, False)


def _tensor(argument: Any) -> Any:
    """A number as the Tensor that it was: of a symbolic one the symbol alone counts (torch/csrc/utils/python_arg_parser.cpp)."""
    dtype = _OF_NUMBERS.get(type(argument))
    if dtype is None:
        return argument
    if type(argument) not in _SYMBOLS:
        return torch.tensor(argument, dtype=dtype)
    tensor: Any = torch.zeros((), dtype=dtype)
    tensor._wrapped_number = argument
    return tensor


@contextmanager
def seen_operators(handler: OperatorHandler) -> Iterator[None]:
    """A context in which the handler sees every operator that reaches a backend on this thread, or on a thread that runs its
    backward.

    TORCH 2.13: a constructor of a subclass in C++ refuses a tensor that Python has seen, so nothing is observed while one runs,
    nor while torch prints a tensor.
    """
    _Kernels.register()
    undo = [patch(owner, name, _unseen) for owner, name in _UNSEEN]
    undo.append(patch(torch.library.Library, "define", _defining))
    _Kernels.handler = handler
    _include(JOURNAL, True)
    try:
        yield
    finally:
        _include(JOURNAL, False)
        _Kernels.handler = None
        for restore in undo:
            restore()


def forget_handler() -> None:
    """Show no operator any more: what runs from here on, or after the one that runs, takes torch's own way."""
    _Kernels.handler = None
    _include(JOURNAL, False)


def show_operators(shown: bool) -> bool:
    """Whether what runs on this thread is shown to the handler from here on; returns whether it was."""
    before = _is_included(JOURNAL)
    _include(JOURNAL, shown)
    return bool(before)


@contextmanager
def unseen_operators() -> Iterator[None]:
    """A context in which no handler sees the operators of this thread."""
    before = show_operators(False)
    try:
        yield
    finally:
        show_operators(before)


_UNSEEN: tuple[tuple[Any, str], ...] = (
    (torch.Tensor, "_make_subclass"),
    (torch.Tensor, "as_subclass"),
    (torch.Tensor, "__new__"),
    (torch._tensor_str, "_str"),
)


def _defining(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def define(self: Any, schema: str, *args: Any, **kwargs: Any) -> Any:
        answer = original(self, schema, *args, **kwargs)
        _Kernels.register_defined(f"{self.ns}::{''.join(schema.partition('(')[0].split())}")
        return answer

    return define


def _unseen(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        with unseen_operators():
            return original(*args, **kwargs)

    return call
