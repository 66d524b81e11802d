"""Formats values, shapes and names of Nodes as torch prints them, up to a maximum length."""

from app.trace.chunks import Trace
from app.trace.query import read
from app.trace.records import SHAPELESS, Cells, Contents, Geometry, Summary, Tick, Value

MOST_ELEMENTS = 64
MOST_CHARACTERS = 60
"""Maximum number of characters of values within a sentence."""


def element(value: Value | None, dtype: str) -> str:
    """One element. A float has a decimal point, as in torch: `1.`"""
    match value:
        case None:
            return "–"
        case tuple():
            real, imaginary = (element(part, "float") for part in value)
            return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
        case bool() | str():
            return str(value)
    return _float(float(value)) if "float" in dtype or "complex" in dtype else str(value)


def _float(value: float) -> str:
    size = abs(value)
    if value == int(value) and size < 1e7:
        return f"{value:.0f}."
    if size >= 1e5 or 0 < size < 1e-3:
        digits, exponent = f"{value:.2e}".split("e")
        return f"{digits}e{int(exponent)}"
    return f"{float(f'{value:.4f}' if size < 1 else f'{value:.5g}'):g}"


def nested(contents: Contents | None, shape: list[int], most: int = MOST_CHARACTERS) -> str | None:
    """The values as nested lists, such as `[[3.]]`; None if there are too many values or if they are unknown."""
    if not isinstance(contents, Cells):
        return None
    parts = [element(value, contents.dtype) for value in contents.values]
    count = 1
    for size in shape:
        count *= size
    if len(parts) != count or count > MOST_ELEMENTS:
        return None
    for size in reversed(shape):
        parts = [f"[{', '.join(parts[start : start + size])}]" for start in range(0, len(parts), size)] if size else []
    text = ", ".join(parts) or "[]"
    if text.endswith("."):
        text += "0"  # "3." would look like the end of a sentence
    return text if len(text) <= most else None


def is_zero(contents: Contents) -> bool | None:
    """Whether all elements are zero; None if unknown."""
    match contents:
        case Cells(values=values):
            return all(value in (0, (0, 0)) for value in values)
        case Summary():
            return contents.min == contents.max == 0 and not contents.nan_count and not contents.inf_count
    return None


def shown(trace: Trace, geometry: Geometry, tick: Tick) -> str | None:
    """The values of a Tensor with this geometry at a tick, in the order of the elements; None for too many or unknown values."""
    values = None if geometry.layout in SHAPELESS else read(trace, geometry, tick)
    return nested(Cells(dtype=geometry.dtype, values=values), geometry.shape) if isinstance(values, list) else None


def flat(contents: Contents | None, *, is_scalar: bool = False) -> str | None:
    """All elements of a Storage in brackets; None if there are too many or if they are unknown.

    `is_scalar`: a single element is shown without brackets.
    """
    if not isinstance(contents, Cells):
        return None
    return nested(contents, [] if is_scalar and len(contents.values) == 1 else [len(contents.values)])


def sizes(numbers: list[int]) -> str:
    """Sizes as Python writes a tuple: `(2, 1)`, `(1,)`."""
    return str(tuple(numbers))


def shape_of(geometry: Geometry | None) -> str:
    """The shape as text; "none" if torch reports no shape, "scalar" for a shape without dimensions."""
    if geometry is None or geometry.layout in SHAPELESS:
        return "none"
    return sizes(geometry.shape) if geometry.shape else "scalar"


def byte_size(count: int) -> str:
    """A number of bytes for display: 12 B, 1.5 KiB, 64 KiB."""
    amount, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{round(amount, 0 if amount >= 10 else 1):g} {unit}"


def short_name(name: str) -> str:
    """The name of a Node without its C++ namespace."""
    return name.rpartition("::")[2]
