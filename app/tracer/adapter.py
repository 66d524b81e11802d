"""Every touch of torch that is private, undocumented or bound to a version. Measured on torch 2.13; one test per function."""

import _thread
import ctypes
import functools
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import CodeType, FrameType, TracebackType
from typing import Any, ClassVar, TypeVar

import torch
import torch._C._dynamo.eval_frame as _dynamo
import torch._tensor_str
from torch.utils._python_dispatch import TorchDispatchMode

from app.trace.records import SHAPELESS
from app.tracer.values import read_bytes

_SKIPPED = _dynamo._FrameExecStrategy(_dynamo._FrameAction.SKIP, _dynamo._FrameAction.SKIP)

Function = TypeVar("Function", bound=Callable[..., Any])


def not_compiled(function: Function) -> Function:
    """For a function of ours that is called back: `torch.compile` leaves it alone, and all that it calls.

    TORCH 2.13: while a compiled function runs, it compiles whatever Python function begins on that thread.
    """
    _dynamo.set_code_exec_strategy(function.__code__, _SKIPPED)
    return function


TOKEN = "stepgrad"
"""Our key in `Node.metadata`; the value dies with the C++ Node."""

HIDDEN_WRITES: dict[str, tuple[int, ...]] = {
    # TORCH 2.13: the schema marks no write, yet training updates running_mean and running_var (arguments 3 and 4).
    "aten::native_batch_norm": (3, 4),
    "aten::cudnn_batch_norm": (3, 4),
    "aten::miopen_batch_norm": (3, 4),
}
_BATCH_NORM_TRAINING = 5
"""Position of the `training` argument in all of them."""


def version_of(tensor: torch.Tensor) -> int | None:
    """`tensor._version`, or None for an inference tensor, which tracks none and raises when asked.

    `is_inference()` does not tell: `.data =` changes its answer and leaves the counter as it is.
    """
    try:
        return tensor._version
    except RuntimeError:
        return None


_TENSOR_DEVICE: Any = torch._C.TensorBase.__dict__["device"]
true_device_of = _TENSOR_DEVICE.__get__
"""The device a tensor is truly on; `tensor.device` may be a label (`stand_in.py`)."""

_STORAGE_DEVICE: Any = torch._C.StorageBase.__dict__["device"]
kind_of_memory = _STORAGE_DEVICE.__get__
"""The device a storage's bytes truly lie on; `storage.device` may be a label (`stand_in.py`)."""


def on_host(storage: Any) -> Any:
    """The storage itself when the CPU can read its bytes, else a copy that it can. Seen by no journal."""
    if kind_of_memory(storage).type == "cpu":
        return storage
    with unseen_operators():
        return storage.cpu()


PLAIN = (torch.Tensor, torch.nn.Parameter)
"""Classes whose attributes are torch's own. A subclass's may be code of the snippet, which nobody but the snippet runs."""

OPAQUE = "opaque"
"""The layout of a tensor whose class answers for its shape and device by code of its own."""


class _Refused(Exception):
    """Asking a tensor would have run code of its class."""


class _Refusing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise _Refused

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # TORCH 2.13: else the first call of the mode imports torch._dynamo, which takes 1.7 s


_refusing = _Refusing()  # type: ignore[no-untyped-call]
_base: Any = torch._C.TensorBase


def _past_its_class(tensor: torch.Tensor, read: Callable[[], Any]) -> Any:
    """What `read` reads of a tensor of a subclass without running any code of that class; None if that cannot be.

    A wrapper subclass may send even `.shape` to its `__torch_dispatch__` (`_make_wrapper_subclass`); a mode comes before that.
    """
    if type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__:
        return read()
    try:
        with _refusing:
            return read()
    except _Refused:
        return None


def layout_of(tensor: torch.Tensor) -> str:
    """`tensor.layout` without its prefix; "nested" for a nested tensor, which calls itself strided; "uninitialized" for a lazy
    module's parameter, which refuses to tell its shape; or OPAQUE."""
    if type(tensor) in PLAIN:
        return "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.")
    if torch.nn.parameter.is_lazy(tensor):
        return "uninitialized"
    if _base.is_nested.__get__(tensor):
        return "nested"

    def read() -> str:
        layout = str(_base.layout.__get__(tensor)).removeprefix("torch.")
        sizes_of(tensor, layout)  # torch, too, has those from the class or from the tensor
        return layout

    return _past_its_class(tensor, read) or OPAQUE


def type_of(tensor: torch.Tensor) -> str:
    """The name of its class; of a lazy module's parameter that of the class it turns into with its first input."""
    kind = type(tensor)
    return getattr(kind, "cls_to_become", kind).__name__ if layout_of(tensor) == "uninitialized" else kind.__name__


def device_of(tensor: torch.Tensor) -> str:
    """`str(tensor.device)`; "" where that would run code of the tensor's class."""
    if type(tensor) in PLAIN:
        return device_name(tensor.device)
    device = _past_its_class(tensor, lambda: _base.device.__get__(tensor))
    return "" if device is None else str(device)


def look_of(tensor: torch.Tensor) -> tuple[Any, ...]:
    """How a tensor looks at its storage, to compare: (layout, dtype, shape, stride, storage_offset, is_conj, is_neg)."""
    if type(tensor) in PLAIN and tensor.layout is torch.strided and not tensor.is_nested:
        return (
            torch.strided,
            tensor.dtype,
            tensor.shape,
            tensor.stride(),
            tensor.storage_offset(),
            tensor.is_conj(),
            tensor.is_neg(),
        )
    layout = layout_of(tensor)
    return (layout, tensor.dtype, *sizes_of(tensor, layout), tensor.is_conj(), tensor.is_neg())


@functools.cache
def dtype_name(dtype: torch.dtype) -> str:
    """`float32`, as torch spells it after the dot."""
    return str(dtype).removeprefix("torch.")


@functools.cache
def device_name(device: torch.device) -> str:
    """`cuda:0`, as torch spells it."""
    return str(device)


def sizes_of(tensor: torch.Tensor, layout: str) -> tuple[tuple[int, ...], tuple[int, ...] | None, int | None]:
    """(shape, stride, storage_offset) in elements. A sparse tensor has no strides; others not even a shape."""
    if layout in SHAPELESS:
        return (), None, None
    if type(tensor) in PLAIN:
        if layout != "strided":
            return tuple(tensor.shape), None, None
        return tuple(tensor.shape), tensor.stride(), int(tensor.storage_offset())
    shape = tuple(_base.shape.__get__(tensor))
    if layout != "strided":
        return shape, None, None
    return shape, _base.stride(tensor), int(_base.storage_offset(tensor))


_SILENCE = [("ignore", None, Warning, None, 0)]


def grad_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """`tensor.grad` of any tensor, without the warning that torch gives for a non-leaf that has none.

    The filters are put aside, not changed: the snippet's "once per location" memory is left as it is (Python/_warnings.c).
    """
    filters = warnings.filters
    warnings.filters = _SILENCE
    try:
        return tensor.grad
    finally:
        warnings.filters = filters


def is_shared(storage: torch.UntypedStorage) -> bool:
    """Whether these bytes are, or have been, lent to NumPy or come from elsewhere (`from_numpy`, `from_dlpack`, `frombuffer`).

    TORCH 2.13: such a storage refuses to be resized (torch/csrc/utils/tensor_numpy.cpp, `set_resizable`).
    """
    return not storage.resizable()


_MARK = 2**31 - 7
"""A version no program reaches: the counter is 32 bits wide and counts writes."""


def shares_counter(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether both tensors hang on the same version counter.

    Sets one's to a mark, looks whether the other shows it, and sets it back (torch/csrc/autograd/python_variable.cpp,
    `_unsafe_set_version_counter`). Nothing runs in between, so nobody can see the mark.
    """
    before = one._version
    if before != other._version:
        return False
    set_version = torch._C._autograd._unsafe_set_version_counter
    set_version((one,), (_MARK,))
    try:
        return bool(other._version == _MARK)
    finally:
        set_version((one,), (before,))


_slots: dict[type, tuple[str, ...]] = {}


def raw_saved(node: Any) -> Iterator[tuple[str, Any]]:
    """The Node's SavedTensors as (slot, SavedTensor); a list slot gives `name[i]`.

    Reads `_raw_saved_<slot>`, which neither checks versions nor raises for stale ones (`_saved_<slot>` does). Once released
    they have no `.data`; of a list torch raises RuntimeError then, and so does this.
    """
    kind = type(node)
    slots = _slots.get(kind)
    if slots is None:
        slots = _slots[kind] = tuple(name for name in dir(node) if name.startswith("_raw_saved_"))
    for slot in slots:
        saved = getattr(node, slot)
        name = slot.removeprefix("_raw_saved_")
        if isinstance(saved, (tuple, list)):
            for index, item in enumerate(saved):
                yield f"{name}[{index}]", item
        elif saved is not None:
            yield name, saved


def is_refused(node: Any, slot: str) -> bool:
    """Whether torch would refuse to use this SavedTensor now, because its tensor was written after the save.

    Asks `_saved_<slot>`, which unpacks it as backward would: for a slot that a running operator may have spoilt itself.
    """
    try:
        getattr(node, "_saved_" + slot.partition("[")[0])
    except RuntimeError:
        return True
    return False


def nodes_behind(outputs: Any) -> list[tuple[Any, int]]:
    """The Nodes behind these outputs that carry our token, with its number. Changes nothing."""
    waiting = [node for output in outputs if (node := gradient_root(output)) is not None]
    met, found = set(waiting), []
    while waiting:
        node = waiting.pop()
        token = node.metadata.get(TOKEN)
        if token is not None:
            found.append((node, int(token.serial)))
        following = {edge for edge, _ in node.next_functions if edge is not None} - met
        met |= following
        waiting.extend(following)
    return found


def has_released(node: Any) -> bool:
    """Whether the Node saved something and has let go of it."""
    try:
        saves = [saved for _, saved in raw_saved(node)]
    except RuntimeError:
        return True
    return bool(saves) and all(saved.unpack_hook is None and saved.data is None for saved in saves)


def gradient_root(output: Any) -> Any:
    """The Node at which a backward from this tensor (or GradientEdge) begins; None where torch does not show it.

    TORCH 2.13: `get_gradient_edge` of a leaf derives a view of it, and fails for an inference tensor, which has none.
    """
    if not isinstance(output, torch.Tensor):
        return getattr(output, "node", None)
    try:
        if output.grad_fn is not None:
            return output.grad_fn
        if not output.requires_grad or output.is_inference():
            return None
        with torch.inference_mode(False):
            return torch.autograd.graph.get_gradient_edge(output).node
    except Exception:  # a view of many or of no_grad whose base was written, among others: backward itself will say so
        return None


saved_tensors_hooks: Callable[[bool], Any] = torch._C._autograd._top_saved_tensors_default_hooks
"""The pair of `saved_tensors_hooks` that packs what is saved now, or None. With True, also those put aside while `make_fx` traces.

Not wrapped, nor is the next: they are asked for every step."""

saved_tensors_hooks_allowed: Callable[[], bool] = torch._C._autograd._saved_tensors_hooks_is_enabled  # type: ignore[attr-defined]
"""False within `disable_saved_tensors_hooks`, and in functions that `torch.func` transforms."""
jit_tracing = torch._C._get_tracing_state
"""What `torch.jit.trace` records into on this thread; None when it does not."""
set_jit_tracing = torch._C._set_tracing_state  # type: ignore[attr-defined]


class Operator:
    """What is known of an ATen operator from its schema."""

    __slots__ = ("func", "name", "namespace", "takes_numbers", "tensors", "writes")

    def __init__(self, func: Any) -> None:
        self.func = func
        """Kept, so that its identity stays its own."""
        self.name = str(func._schema.name)
        """`aten::add` as torch spells it in schemas."""
        self.namespace = self.name.partition("::")[0]
        self.takes_numbers = bool(torch._C._should_allow_numbers_as_tensors(self.name.partition("::")[2]))
        """Whether it takes numbers for tensors, as `mul` does."""
        self.writes: list[tuple[int, str]] = []
        """(position, name) of every argument that is written."""
        self.tensors: list[int] = []
        """Positions of the arguments that are one tensor each."""
        for position, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                self.writes.append((position, argument.name))
            if str(argument.type) in ("Tensor", "Optional[Tensor]"):
                self.tensors.append(position)


_operators: dict[int, Operator] = {}


def operator(func: Any) -> Operator:
    """The Operator that an OpOverload is."""
    known = _operators.get(id(func))
    if known is None:
        known = _operators[id(func)] = Operator(func)
    return known


def written_arguments(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors this operator writes, by its schema (`alias_info.is_write`) and by HIDDEN_WRITES."""
    known = operator(func)
    found: list[torch.Tensor] = []
    for position, name in known.writes:
        found += tensors_in(args[position] if position < len(args) else kwargs.get(name))
    hidden = HIDDEN_WRITES.get(known.name)
    if hidden and len(args) > _BATCH_NORM_TRAINING and args[_BATCH_NORM_TRAINING]:
        for position in hidden:
            found += tensors_in(args[position])
    return found


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors of an operator's argument or output: one, or those of a list or tuple."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    return []


_JOURNAL: Any = torch._C._parse_dispatch_key("Fake")
"""A dispatch key of torch's own that nothing in it uses, directly above the backends (c10/core/DispatchKey.h; torchdistx had it).

TORCH 2.13: a TorchDispatchMode would be noticed. While one is on, gradients meet out of place, formulas of backward and composite
operators take other ways (`isTensorSubclassLike`), `_foreach_*_` bump no counter, fast paths are refused. A key that is merely
included sees the same operators and changes none of it (measured; tests/tracer/operators.py compares every operator).
"""
_include = torch._C._dispatch_tls_set_dispatch_key_included
_is_included = torch._C._dispatch_tls_is_dispatch_key_included
_OF_NUMBERS = {int: torch.int64, float: torch.float64, bool: torch.bool, complex: torch.complex128}
_NUMBERS = tuple(_OF_NUMBERS)


OperatorHandler = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Called as handler(keyset, func, args, kwargs) in place of an operator: has it run with `run_operator` and returns its output.

Operators of its own are not shown to it.
"""


class _Kernels:
    """Registered with the dispatcher once, at first use: it takes 0.4 s. Run only on threads that include their key."""

    libraries: ClassVar[list[Any]] = []
    handler: OperatorHandler | None = None

    @classmethod
    def register(cls) -> None:
        """A fallback for operators that are still to come, and a kernel for each that there is.

        TORCH 2.13: with a mode of the snippet's on, put aside as FakeTensorMode does, a fallback in Python is looked for among
        the kernels in Python and not found ("func != nullptr INTERNAL ASSERT", torch/csrc/utils/python_dispatch.cpp).
        """
        if cls.libraries:
            return
        cls.libraries.append(torch._C._dispatch_library("IMPL", "_", ""))
        cls.libraries[0].fallback("Fake", lambda keyset, func, *args, **kwargs: cls.run(func, keyset, *args, **kwargs), True)
        by_namespace: dict[str, Any] = {}
        for name in torch._C._dispatch_get_all_op_names():
            namespace, _, rest = name.partition("::")
            library = by_namespace.get(namespace)
            if library is None:
                library = by_namespace[namespace] = torch._C._dispatch_library("IMPL", namespace, "")
                cls.libraries.append(library)
            packet, _, overload = rest.partition(".")
            func = getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")
            library.impl(rest, "Fake", functools.partial(cls.run, func), True)  # type: ignore[call-arg]

    @staticmethod
    @not_compiled
    def run(func: Any, keyset: Any, /, *args: Any, **kwargs: Any) -> Any:
        _include(_JOURNAL, False)
        try:
            handler = _Kernels.handler
            # Operators of the profiler are marks of torch's own, about nothing that was computed.
            if handler is None or operator(func).namespace == "profiler":
                return run_operator(keyset, func, args, kwargs)
            return handler(keyset, func, args, kwargs)
        finally:
            _include(_JOURNAL, True)


def run_operator(keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the dispatcher would have run, had it not come to us.

    TORCH 2.13: a number that a Tensor parameter took (`x * 3`) reaches Python as a number, which `redispatch` does not take back.
    Neither does a call from the top where only TorchScript passes numbers (printing a traced graph does).
    """
    known = operator(func)
    for position in known.tensors:
        if position < len(args) and type(args[position]) in _NUMBERS:
            if known.takes_numbers:
                return func(*args, **kwargs)
            args = tuple(_tensor(arg) if index in known.tensors else arg for index, arg in enumerate(args))
            break
    return func._handle.redispatch_boxed(keyset.remove(_JOURNAL), *args, **kwargs)


def run_decomposed(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a composite operator as those that it is made of, each shown to the handler; instead of `run_operator`."""
    _include(_JOURNAL, True)
    try:
        return func.decompose(*args, **kwargs)
    finally:
        _include(_JOURNAL, False)


def _tensor(argument: Any) -> Any:
    """A number as the Tensor that it was."""
    return torch.tensor(argument, dtype=_OF_NUMBERS[type(argument)]) if type(argument) in _NUMBERS else argument


@contextmanager
def seen_operators(handler: OperatorHandler) -> Iterator[None]:
    """Within it the handler is told of every operator that reaches a backend on this thread, or on one that runs its backward.

    TORCH 2.13: a constructor of a subclass in C++ refuses a tensor that Python has seen already, so while one runs we see none.
    Neither do we while torch prints a tensor.
    """
    _Kernels.register()
    undo = [_patch(owner, name, _unseen) for owner, name in _UNSEEN]
    _Kernels.handler = handler
    _include(_JOURNAL, True)
    try:
        yield
    finally:
        _include(_JOURNAL, False)
        _Kernels.handler = None
        for restore in undo:
            restore()


@contextmanager
def unseen_operators() -> Iterator[None]:
    """Within it no handler is told of what runs on this thread."""
    before = _is_included(_JOURNAL)
    _include(_JOURNAL, False)
    try:
        yield
    finally:
        _include(_JOURNAL, before)


_UNSEEN: tuple[tuple[Any, str], ...] = (
    (torch.Tensor, "_make_subclass"),
    (torch.Tensor, "as_subclass"),
    (torch.Tensor, "__new__"),
    (torch._tensor_str, "_str"),
)


def _unseen(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        with unseen_operators():
            return original(*args, **kwargs)

    return call


def _patch(owner: Any, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[[], None]:
    """Put `wrap` around an attribute of a class or module; returns what undoes it."""
    own = vars(owner).get(name)
    original = getattr(owner, name)
    is_method = isinstance(owner, type) and isinstance(original, types.MethodDescriptorType)
    wrapped = wrap(original)
    setattr(owner, name, wrapped if is_method or not isinstance(owner, type) else staticmethod(wrapped))

    def undo() -> None:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)

    return undo


# TORCH 2.13: AT_FORALL_FP32, AT_FORALL_FP32_SET_OPT_DTYPE of ATen/autocast_mode.h: what autocast runs in float32 on CUDA.
_FLOAT32_ON_CUDA = (
    "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar "
    "softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim cosine_similarity "
    "poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss "
    "mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss "
    "binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp prod prod.dim_int softmax.int log_softmax.int cumprod "
    "cumsum linalg_vector_norm linalg_matrix_norm linalg_matrix_norm.str_ord sum sum.dim_IntList norm.Scalar norm.ScalarOpt_dim"
).split()


def add_autocast(is_on: Callable[[], bool]) -> Callable[[], None]:
    """While `is_on()`, the CPU's autocast runs in float32 what CUDA's does; returns what undoes it.

    Only operators for which the CPU has no rule of its own; its rules for the others agree (float32) or are the CPU's.
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


TENSOR_TYPE = torch._C.TensorBase.type
"""`tensor.type()`, the name of its old tensor class; ours to call while `torch.Tensor.type` answers otherwise (`gpu_face.py`)."""


def is_composite(func: Any) -> bool:
    """Whether this operator is made of others. It reaches the journal whole in inference mode only."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"))


running_threads = _thread._count
"""How many threads run besides the main one that Python started; those of torch are not counted."""


def is_python_thread(ident: int) -> bool:
    """Whether Python started this thread. PYTHON 3.11: `current_thread()` would take a thread of torch's for one."""
    thread = threading._active.get(ident)  # type: ignore[attr-defined]
    return thread is not None and not isinstance(thread, threading._DummyThread)


def patch_threads(starts: Callable[[], None]) -> Callable[[], None]:
    """Call `starts` before any thread is started; returns what undoes it. PYTHON 3.11: `threading` has a name of its own for it."""

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def start_new_thread(*args: Any, **kwargs: Any) -> Any:
            starts()
            return original(*args, **kwargs)

        return start_new_thread

    undo = [_patch(_thread, "start_new_thread", wrap), _patch(threading, "_start_new_thread", wrap)]

    def restore() -> None:
        for one in undo:
            one()

    return restore


_ENGINE = torch.autograd.graph._engine_run_backward.__code__


MODULE_CALL = torch.nn.Module._wrapped_call_impl.__code__
"""What every call of a module passes, before its hooks and its `forward`."""


def called_module(frame: FrameType) -> Any:
    """The module that this frame of MODULE_CALL calls.

    The snapshot of locals that stays behind holds what the frame holds anyway: its arguments, until it returns.
    """
    return frame.f_locals["self"]


next_sequence_nr: Callable[[], int] = torch._C._autograd._get_sequence_nr
"""The number that the next Node gets which is made on this thread."""


def is_engine(frame: FrameType) -> bool:
    """Whether this frame is torch's own call into the engine: what it runs next, no Python code of anybody runs."""
    return frame.f_code is _ENGINE


def patch_engine(
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Callable[[], None]:
    """Put `wrap(original)` where every backward passes; returns what undoes it.

    `torch.autograd.backward` and `grad` look the name up in `torch.autograd`, others in `torch.autograd.graph`.
    """
    original = torch.autograd.graph._engine_run_backward
    wrapped = wrap(original)
    modules: tuple[Any, ...] = (torch.autograd, torch.autograd.graph)
    for module in modules:
        module._engine_run_backward = wrapped

    def undo() -> None:
        for module in modules:
            if module._engine_run_backward is wrapped:
                module._engine_run_backward = original

    return undo


def patch_swap(
    around: Callable[[tuple[Any, ...]], AbstractContextManager[None]],
) -> Callable[[], None]:
    """Run `torch.utils.swap_tensors` inside `around(tensors)`; returns what undoes it.

    TORCH 2.13: it refuses tensors that have weak references (torch/utils/__init__.py), and the recorder's are such.
    """
    original = torch.utils.swap_tensors

    @functools.wraps(original)
    def swap_tensors(*tensors: Any) -> Any:
        with around(tensors):
            return original(*tensors)  # type: ignore[no-untyped-call]

    torch.utils.swap_tensors = swap_tensors

    def undo() -> None:
        if torch.utils.swap_tensors is swap_tensors:
            torch.utils.swap_tensors = original

    return undo


def patch_dlpack(handed_out: Callable[[torch.Tensor], None]) -> Callable[[], None]:
    """Call `handed_out(tensor)` before a tensor goes to another library by DLPack; returns what undoes it."""
    original = torch.Tensor.__dlpack__

    @functools.wraps(original)
    def dlpack(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        handed_out(self)
        return original(self, *args, **kwargs)

    torch.Tensor.__dlpack__ = dlpack  # type: ignore[method-assign]

    def undo() -> None:
        if torch.Tensor.__dlpack__ is dlpack:
            torch.Tensor.__dlpack__ = original  # type: ignore[method-assign]

    return undo


# PYTHON 3.11, 3.12: offset of `recursion_remaining` in PyThreadState (Include/cpython/pystate.h), in bytes.
_RECURSION_REMAINING = {(3, 11): 32, (3, 12): 28}.get(sys.version_info[:2])
_thread_state = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_Get", ctypes.pythonapi))


def add_recursion_room(frames: int) -> None:
    """Let this thread go so many frames deeper, or less deep again, before RecursionError.

    `sys.setrecursionlimit` would show in the snippet, and refuses to lower the limit again near the limit.
    """
    state = _thread_state()
    if _RECURSION_REMAINING is not None and state is not None:
        ctypes.c_int.from_address(state + _RECURSION_REMAINING).value += frames


_OPS = torch._ops.__file__
"""Where `OpOverload.__call__` is: what calls an operator from Python."""


def hide_frames(traceback: TracebackType | None, folder: str) -> None:
    """Take the frames whose code lies in `folder`, and torch's own step from those to an operator, out of a traceback.

    Its first entry stays: it is the frame that asks.
    """
    hidden = False
    while traceback is not None and traceback.tb_next is not None:
        filename = traceback.tb_next.tb_frame.f_code.co_filename
        hidden = filename.startswith(folder) or (hidden and filename == _OPS)
        if hidden:
            traceback.tb_next = traceback.tb_next.tb_next
        else:
            traceback = traceback.tb_next


# PYTHON 3.11, 3.12: offset of `ma_version_tag` in PyDictObject (Include/cpython/dictobject.h), in bytes.
_DICT_VERSION = {(3, 11): 24, (3, 12): 24}.get(sys.version_info[:2])


def version_of_dict(mapping: dict[Any, Any]) -> Any:
    """A ctypes cell whose `value` changes with every change of the dict, and is never another dict's (PEP 509); None without one.

    It reads memory of the dict: only for as long as that lives.
    """
    return None if _DICT_VERSION is None else ctypes.c_uint64.from_address(id(mapping) + _DICT_VERSION)


def items_of(address: int) -> bytes:
    """The class of the object at `address`, and of a list or tuple which objects it holds: to compare, for no reference is held.

    PYTHON 3.11 to 3.13: `ob_type` and `ob_size` follow the reference count; then come a tuple's items, or where a list's are.
    """
    head = read_bytes(address + 8, 24)
    kind = int.from_bytes(head[:8], "little")
    size = int.from_bytes(head[8:16], "little")
    if kind == id(list):
        items = read_bytes(int.from_bytes(head[16:], "little"), 8 * size)
    elif kind == id(tuple):
        items = read_bytes(address + 24, 8 * size)
    else:
        return head[:8]
    return head[:16] + items


# PYTHON 3.11, 3.12: offset of `f_locals` in _PyInterpreterFrame (Include/internal/pycore_frame.h), in pointers.
_F_LOCALS = {(3, 11): 3, (3, 12): 5}.get(sys.version_info[:2])
_F_FRAME = 3
"""Offset of `f_frame` in PyFrameObject, in pointers: refcount, type, f_back, f_frame."""
# PYTHON 3.11: offset of `previous` there. Later versions follow it when the frame returns.
_PREVIOUS = {(3, 11): 6}.get(sys.version_info[:2])
_CO_OPTIMIZED = 0x1


def make_outermost(frame: FrameType) -> None:
    """Let this frame, which `exec` runs, be the last that anybody sees who walks up the stack from within it.

    Stack traces, `inspect.stack()`, a warning's `stacklevel` and the forward traces of anomaly mode end there, as those of a script
    do. CPython 3.11 itself leaves such a frame by its C stack (Python/ceval.c, `is_entry`).
    """
    if _PREVIOUS is None:
        return
    pointer = ctypes.POINTER(ctypes.c_void_p)
    interpreter_frame = ctypes.cast(id(frame), pointer)[_F_FRAME]
    ctypes.cast(interpreter_frame, pointer)[_PREVIOUS] = None


def _variables(code: CodeType) -> set[str]:
    return {*code.co_varnames, *code.co_cellvars, *code.co_freevars}


def drop_locals_snapshot(frame: FrameType) -> None:
    """Forget the dict that reading `f_locals` of a function's frame leaves behind.

    Until Python 3.13 the frame keeps that snapshot, and with it every local of the last read: `del x` would free nothing
    until the next read (measured). Not `.clear()`: CPython copies the emptied dict back into the variables. One that holds more
    than the frame's variables stays: `exec("z = 1")` in a function leaves there what `locals()["z"]` reads.
    """
    if _F_LOCALS is None or not frame.f_code.co_flags & _CO_OPTIMIZED:
        return
    pointer = ctypes.POINTER(ctypes.c_void_p)
    interpreter_frame = ctypes.cast(id(frame), pointer)[_F_FRAME]
    if not interpreter_frame:
        return
    slots = ctypes.cast(interpreter_frame, pointer)
    snapshot = slots[_F_LOCALS]
    if snapshot and ctypes.cast(snapshot, ctypes.py_object).value.keys() <= _variables(frame.f_code):
        slots[_F_LOCALS] = None
        ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(snapshot))
