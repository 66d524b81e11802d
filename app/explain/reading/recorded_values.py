"""Look-ups in the recorded elements of tensors."""

from app.explain.reading.reading import Reading
from app.trace.query import elements
from app.trace.records import TensorId, Tick, Value


def is_nonzero(value: Value | None) -> bool:
    """Whether a value, real or complex, is known and not zero."""
    return value not in (0, (0.0, 0.0), None)


def outside(reading: Reading, tensor: TensorId, tick: Tick, size: int) -> list[int]:
    """The elements that are not valid indices into `size` rows, in order; empty if the elements are unknown."""
    shown = elements(reading.trace, tensor, tick)
    return [each for each in shown if isinstance(each, int) and not 0 <= each < size] if isinstance(shown, list) else []
