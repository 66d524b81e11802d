"""Questions about the recorded elements of tensors."""

from app.explain.reading.reading import Reading
from app.trace.query import elements
from app.trace.records import TensorId, Tick, Value


def is_nonzero(value: Value | None) -> bool:
    """Whether a value is known and not zero, also of complex ones."""
    return value not in (0, (0.0, 0.0), None)


def outside(reading: Reading, tensor: TensorId, tick: Tick, size: int) -> list[int]:
    """The elements that are no index of so many rows, in order; none where the elements are not known."""
    shown = elements(reading.trace, tensor, tick)
    return [each for each in shown if isinstance(each, int) and not 0 <= each < size] if isinstance(shown, list) else []
