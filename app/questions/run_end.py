"""Describes the end of a run for a comparison of two runs: the kind and line of the end, and the values of the variables."""

import hashlib
from collections.abc import Iterator
from typing import Annotated, Final

import msgspec

from app.trace.ends import Raised
from app.trace.index import Index
from app.trace.query import END, MODULE, elements, value_at
from app.trace.records import Geometry, Summary, TensorId, Value

MOST_LINES: Final = 12
"""Maximum number of displayed lines of values. The digest covers all lines."""
MOST_CHARACTERS: Final = 100
"""Maximum length of one line."""
MOST_ELEMENTS: Final = 64
"""Maximum number of displayed elements of one Tensor. For a larger Tensor, a digest replaces the elements."""
MOST_NAMES: Final = 300
MOST_READ: Final = 1 << 17
"""Maximum number of elements of all Tensors together that are compared.

Above this limit, Tensors are compared only by shape and summary.
"""

Line = Annotated[str, msgspec.Meta(max_length=MOST_CHARACTERS)]


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a run. The size of this record is limited for every snippet."""

    kind: Annotated[str, msgspec.Meta(max_length=40)]
    exception: Annotated[str, msgspec.Meta(max_length=MOST_CHARACTERS)] | None = None
    line: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    digest: Annotated[str, msgspec.Meta(max_length=32)] = ""
    """A digest of all values. Two runs with equal digests have the same result."""
    lines: Annotated[list[Line], msgspec.Meta(max_length=MOST_LINES)] = []
    """The first values, such as `w.grad = [2., 2.]`; for a run that raised an exception, the exception's message."""


def ending(index: Index) -> Ending:
    """The end of the run of a trace.

    Two runs with the same result have the same `digest`. The result is the values and gradients of the module's variables,
    with floats rounded to six digits; without such variables, it is the printed output.
    """
    trace = index.trace
    ended = trace.ended
    kind = str(ended.__struct_config__.tag)
    if isinstance(ended, Raised):
        said = [_cut(line) for line in ended.message.splitlines()[:2] if line.strip()]
        line = None if ended.line is None else min(ended.line, 2**31)
        return Ending(kind=kind, exception=_cut(ended.type), line=line, lines=said)
    told = list(_values(index)) or [text.rstrip() for text in "".join(each.text for each in trace.outputs).splitlines()]
    digest = hashlib.sha256("\n".join(told).encode(errors="backslashreplace")).hexdigest()[:32]
    return Ending(kind=kind, digest=digest, lines=[_cut(line) for line in told[:MOST_LINES]])


def _values(index: Index) -> Iterator[str]:
    left = MOST_READ
    held = [(name.path, value_at(name.tensor, END)) for name in index.trace.names if name.frame == MODULE]
    for path, tensor in sorted((path, tensor) for path, tensor in held if tensor is not None)[:MOST_NAMES]:
        for said, shown in ((path, tensor), (f"{path}.grad", value_at(index.trace.tensors[tensor].grad, END))):
            if shown is not None:
                text, read = _tensor(index, shown, left)
                left -= read
                yield f"{said} = {text}"
    for variable in sorted(index.trace.variables, key=lambda each: each.name)[:MOST_NAMES]:
        value = value_at(variable.value, END) if variable.frame == MODULE else None
        if value is not None and value.kind in ("value", "collection") and value.text is not None:
            yield f"{variable.name} = {value.text}"


def _tensor(index: Index, tensor: TensorId, most: int) -> tuple[str, int]:
    """The dtype, shape and values of a Tensor at the end of the run, as text, and the number of elements read for this text."""
    geometry = value_at(index.trace.tensors[tensor].geometry, END)
    if geometry is None:
        return "?", 0
    count = 1
    for size in geometry.shape:
        count *= size
    values = elements(index.trace, tensor, END) if count <= most else None
    if not isinstance(values, list):
        return f"{geometry.dtype} {tuple(geometry.shape)}{_summary(index, geometry)}", 0
    parts = [_element(value) for value in values]
    if count > MOST_ELEMENTS:
        digest = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:8]
        return f"{geometry.dtype} {tuple(geometry.shape)} #{digest}", count
    for size in reversed(geometry.shape):
        parts = [f"[{', '.join(parts[start : start + size])}]" for start in range(0, len(parts), size)] if size else []
    return ", ".join(parts) or "[]", count


def _summary(index: Index, geometry: Geometry) -> str:
    """The minimum, maximum and mean of a Storage, if these were recorded instead of its elements; else ""."""
    contents = None if geometry.storage is None else value_at(index.trace.storages[geometry.storage].contents, END)
    if not isinstance(contents, Summary):
        return ""
    return f" min {_element(contents.min)}, max {_element(contents.max)}, mean {_element(contents.mean)}"


def _element(value: Value | None) -> str:
    match value:
        case None:
            return "–"
        case bool() | str() | int():
            return str(value)
        case float():
            return f"{value + 0.0:.6g}"  # -0.0 counts as 0.0
    return "".join(_element(part) for part in value) + "j"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
