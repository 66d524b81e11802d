"""Records the values of the module's expression statements, which an interactive Python would print."""

from typing import Any

from app.tracer.guard import Guard, guarded
from app.tracer.naming.names import kind_of
from app.tracer.naming.variables import described
from app.tracer.observer import Observer


class ResultWatch:
    """The left operand of each expression statement in the code that `Source.compile` returns."""

    def __init__(self, observer: Observer, guard: Guard) -> None:
        self.guard = guard
        self._observer = observer

    @guarded
    def __lshift__(self, value: Any) -> None:
        """Record `value` as the result of the innermost running statement. If tracing is switched off, that statement is
        unknown, and nothing is recorded."""
        observer = self._observer
        if value is None or not self.guard.traced or observer.step is None:
            return
        observer.settle()
        if not kind_of(value).is_tensor:
            observer.tables.steps.mark(observer.step, "result", described(value))
            return
        observer.tables.advance()
        observer.look([value])
        seen = observer.memory.known(value)
        if seen is not None:
            observer.tables.steps.mark(observer.step, "result", seen.serial)
