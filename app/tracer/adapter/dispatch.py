"""Uses a separate dispatch key to observe every operator that reaches a backend."""

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

TORCH 2.13: a TorchDispatchMode would change the program. While one is active, gradients are added out of place, backward
formulas and composite operators take other paths (`isTensorSubclassLike`), `_foreach_*_` increment no counter, and fast paths
are not used. A dispatch key that is included on a thread sees the same operators without these effects (measured;
tests/tracer/operators.py compares every operator).
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
"""A function that torch calls, as handler(keyset, func, args, kwargs), instead of an operator. It must run the operator with
`run_operator` and return its output.

Operators that the handler runs are not observed, and trace functions are not called for its code.
"""


class _Kernels:
    """The kernels of the dispatch key. They are registered once, on first use, which takes 0.4 s. A kernel runs only on threads
    that include the key."""

    libraries: ClassVar[dict[str, Any]] = {}
    defined: ClassVar[set[str]] = set()
    """Operators that were defined in Python and have a kernel here. A program may redefine such an operator with another
    schema."""
    handler: OperatorHandler | None = None

    @classmethod
    def register(cls) -> None:
        """Register a kernel for each existing operator, and a fallback for operators that C++ adds later.

        A fallback alone would raise in one case. TORCH 2.13: while FakeTensorMode has set aside an active mode of the snippet,
        torch looks for a Python fallback among the Python kernels and fails ("func != nullptr INTERNAL ASSERT",
        torch/csrc/utils/python_dispatch.cpp).
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
        """Register a kernel for an operator that was defined in Python. The kernel looks up the operator by its name at each
        call.

        TORCH 2.13: the dispatcher itself passes the first operator of this name, which may have been redefined.
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
        # Tracing is paused first, because CPython otherwise checks each call and instruction (2 µs per operator, measured).
        trace = gettrace()
        if trace is not None:
            stack.pause_tracing()
        _include(JOURNAL, False)
        try:
            handler = _Kernels.handler
            # Operators of the profiler are markers without a computation.
            if handler is None or (operators.get(id(func)) or operator(func)).namespace == "profiler":
                return run_operator(keyset, func, args, kwargs)
            return handler(keyset, func, args, kwargs)
        finally:
            _include(JOURNAL, _Kernels.handler is not None)
            if trace is not None:
                stack.resume_tracing()


def _overload(name: str) -> Any:
    """Return the current OpOverload of this name."""
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")


def run_operator(keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the kernel that the dispatcher would have run without the recorder's kernel.

    TORCH 2.13: a number for a Tensor parameter (`x * 3`) arrives as a number, which `redispatch` does not accept. Operators
    with such a number are called through the whole dispatcher. If an operator does not accept numbers there either (TorchScript
    passes some when it prints a traced graph), the number is converted to a tensor.
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
    """Run the operators of which a composite operator consists, and pass each of them to the handler. The handler calls this
    function instead of `run_operator`."""
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
    """Convert a number to a Tensor. As in torch (torch/csrc/utils/python_arg_parser.cpp), the tensor for a symbolic number is a
    zero that refers to the number."""
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
    """A context in which the handler sees every operator that reaches a backend on this thread or on a thread of its backward.

    The functions `_UNSEEN` are not observed: printing of tensors, and constructors of subclasses in C++, which (TORCH 2.13)
    refuse a tensor that already has a Python object.
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
    """Stop passing operators to the handler, on all threads."""
    _Kernels.handler = None
    _include(JOURNAL, False)


def show_operators(shown: bool) -> bool:
    """Set whether operators of this thread are passed to the handler. Returns the earlier value."""
    before = _is_included(JOURNAL)
    _include(JOURNAL, shown)
    return bool(before)


@contextmanager
def unseen_operators() -> Iterator[None]:
    """A context in which the operators of this thread are not passed to the handler."""
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
