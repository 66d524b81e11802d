"""Finds an attribute that a tensor or `torch` does not have: a name from NumPy, or a misspelling."""

import ast
from difflib import get_close_matches

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.syntax import last_name

_LIKENESS = 0.85

_RENAMED = {"copy": "clone", "fill": "fill_", "to_numpy": "numpy", "as_numpy": "numpy", "flat": "flatten", "value": "item"}
"""Methods of NumPy's arrays and others that programs expect, and the tensor's method with the same arguments."""

_OTHERWISE = {
    "append": "torch.cat",
    "extend": "torch.cat",
    "insert": "torch.cat",
    "expand_dims": "unsqueeze",
    "reverse": "flip",
}
"""Methods of other libraries for which torch has a different function."""

_DTYPES = {
    **dict.fromkeys(("float", "float32", "single"), "float32"),
    **dict.fromkeys(("float64", "double"), "float64"),
    **dict.fromkeys(("int", "int64", "long"), "int64"),
    **{name: name for name in ("float16", "int32", "int16", "int8", "uint8", "bool", "complex64", "complex128")},
}
"""NumPy's dtypes and Python's types, and torch's name for each."""

_MODULE = {"array": "tensor", "expand_dims": "unsqueeze", "power": "pow"}
"""Functions of NumPy, and torch's name for each."""

_OF_BOTH = (
    "abs acos add addmm all allclose amax amin any argmax argmin argsort asin atan atan2 bernoulli bincount bmm "
    "broadcast_to ceil chunk clamp clamp_ clone cos cosh cross cummax cumprod cumsum deg2rad det detach detach_ device diag "
    "diagonal diff div dot dtype eq equal erf exp fill_ flatten flip floor fmod gather ge gt histc imag index_add "
    "index_fill index_select inverse isclose isfinite isinf isnan kthvalue layout le lerp log log10 log1p log2 log_softmax "
    "logical_and logical_not logical_or logsumexp lt masked_fill masked_select matmul max maximum mean median min minimum "
    "mm movedim mul multinomial mv nan_to_num nanmean narrow ne neg nonzero norm numel outer permute pow prod quantile "
    "ravel real reciprocal relu remainder repeat_interleave reshape roll round rsqrt scatter scatter_add select sigmoid "
    "sign sin sinh softmax sort split sqrt square squeeze std sub sum swapaxes take tan tanh tile topk trace transpose tril "
    "triu trunc unbind unique unsqueeze var where zero_"
).split()
"""Functions of torch that are also methods of tensors."""

_OF_TENSORS = (
    "add_ backward bfloat16 bool byte contiguous copy_ cpu cuda data div_ double expand expand_as float grad grad_fn half "
    "index_add_ int is_cuda is_leaf item long mT masked_fill_ mul_ ndim new_ones new_zeros normal_ numpy register_hook "
    "repeat requires_grad requires_grad_ retain_grad scatter_ shape size squeeze_ sub_ to tolist type unfold uniform_ "
    "unsqueeze_ view view_as"
).split()
"""Names that only tensors have."""

_OF_TORCH = (
    "arange as_tensor bfloat16 bool bucketize cat complex concat concatenate cpu cuda double einsum empty empty_like eye "
    "float from_numpy full full_like half hstack int linspace logspace long manual_seed meshgrid no_grad normal ones "
    "ones_like rand rand_like randint randint_like randn randn_like randperm searchsorted stack tensor tensordot vstack "
    "zeros zeros_like"
).split()
"""Names that only `torch` has."""


@failure_finder("AttributeError")
def find_no_such_attribute(failure: Failure) -> list[Finding]:
    """An error if the run ended because a tensor or `torch` does not have an attribute."""
    reading = failure.reading
    read = failure.piece.func if isinstance(failure.piece, ast.Call) else failure.piece
    if not isinstance(read, ast.Attribute) or not isinstance(read.ctx, ast.Load):
        return []
    held = reading.held(read.value.id, failure.step) if isinstance(read.value, ast.Name) else None
    is_module = held is not None and held.kind == "module" and held.text == "torch"
    if read.attr in (*_OF_BOTH, *(_OF_TORCH if is_module else _OF_TENSORS)):
        return []
    operand = None if is_module else failure.operand(read.value)
    if not is_module and (operand is None or reading.trace.tensors[operand.tensor].type not in ("Tensor", "Parameter")):
        return []
    instead, fixes = _instead(failure, read, is_module)
    arguments: Arguments = {
        "rule": "module" if is_module else "tensor",
        "owner": clipped(reading.syntax.text_of(read.value)),
        "name": read.attr,
        "instead": instead or "none",
        "how": "likely" if read.attr not in (_MODULE if is_module else {**_RENAMED, **_OTHERWISE, "astype": ""}) else "numpy",
    }
    line = reading.line_of(failure.step.id)
    tensors, makers = ([], []) if operand is None else ([operand.tensor], [operand.maker])
    makers = [each for each in makers if reading.line_of(each) != line]
    return [reading.exception_finding("no_such_attribute", failure.step, tensors, arguments, fixes=fixes, makers=makers)]


def _instead(failure: Failure, read: ast.Attribute, is_module: bool) -> tuple[str, Fixes]:
    """The name that was probably intended, and the fix that replaces the wrong name by it."""
    owner = ast.get_source_segment(failure.reading.syntax.text, read.value)
    around = failure.reading.syntax.statement_around(read)
    calls = [each for each in failure.reading.syntax.walk(around) if isinstance(each, ast.Call) and each.func is read]
    if not is_module and read.attr == "astype":
        dtype = _DTYPES.get(_named(calls[0].args[0]), "") if len(calls) == 1 and len(calls[0].args) == 1 else ""
        text = f"{owner}.to(torch.{dtype})"
        return "to", [offer("use_instead", failure.replaced, calls[0], text)] if dtype and owner is not None else []
    instead = (_MODULE if is_module else _RENAMED).get(read.attr, "")
    if not instead and not is_module and read.attr in _OTHERWISE:
        return _OTHERWISE[read.attr], []
    if not instead:
        similar = get_close_matches(read.attr.lower(), [*_OF_BOTH, *(_OF_TORCH if is_module else _OF_TENSORS)], 1, _LIKENESS)
        instead = similar[0] if similar else ""
    is_plain = bool(calls) or read.attr not in _RENAMED
    fits = bool(instead) and owner is not None and is_plain
    return instead, [offer("use_instead", failure.replaced, read, f"{owner}.{instead}")] if fits else []


def _named(node: ast.expr) -> str:
    """The name of a dtype: `float32` for `np.float32` and for `'float32'`."""
    return str(node.value) if isinstance(node, ast.Constant) else last_name(node)
