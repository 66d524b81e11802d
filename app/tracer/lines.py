"""Follows the snippet line by line: statements, calls of its own functions, exceptions, and the names in its frames."""

import sys
import threading
from collections.abc import Callable, Iterator
from itertools import chain
from types import FrameType
from typing import Any

import torch

from app.trace.codec import clip
from app.trace.records import MOST_TEXT, Held, Span
from app.tracer import adapter, program
from app.tracer.edge import EDGE, Edge
from app.tracer.guard import HEADROOM, Guard, guarded
from app.tracer.memory import MemoryWatch
from app.tracer.names import Reach, variables_of
from app.tracer.observer import Observer
from app.tracer.seen import SeenTensor
from app.tracer.source import Source
from app.tracer.variables import Variables

TURN = 16
"""Tensors of one variable that are looked at closely after every statement though nothing stirs in them."""
QUICK_TURN = 64
"""Tensors of a container of which it is asked after every statement whether anything stirs in them; of a module all are."""
_EXPRESSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"}
"""Frames that Python makes for part of an expression: they belong to the statement that holds it."""
_CONTROL_FLOW = (StopIteration, StopAsyncIteration, GeneratorExit)
"""Exceptions that say "no more items": how a loop ends, not something that went wrong."""

Found = list[tuple[str, torch.Tensor]]
"""Paths and the tensors they reach."""

TraceFunction = Callable[[FrameType, str, Any], Any]


class Activation:
    """One running frame of the snippet: which statement it is in, and what each of its names reached and held last."""

    __slots__ = ("began_at", "call", "frame", "frame_key", "reached", "statement", "step", "variables")

    def __init__(self, frame_key: int, frame: int, call: int | None) -> None:
        self.frame_key = frame_key
        """`id` of the Python frame, which runs as long as this is on the stack."""
        self.frame = frame
        self.call = call
        self.reached: dict[str, Reached] = {}
        """By variable, those that reach a tensor."""
        self.variables = Variables()
        self.statement: int | None = None
        self.began_at = -1
        self.step: int | None = None


class Reached:
    """What a variable reached at the end of the last statement, as it was recorded. Holds no tensor."""

    __slots__ = ("names", "reach", "seen", "serials", "since", "turn")

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self.names: dict[str, tuple[int, int]] = {}
        """path -> (name id, tensor id)"""
        self.serials: set[int] = set()
        self.seen: list[SeenTensor] = []
        self.since = 0
        """How many tensors had died when this was last found to hold."""
        self.turn = 0

    def looked_at(self, memory: MemoryWatch, everything: bool) -> Iterator[SeenTensor]:
        """The tensors to look at now: all, but of a variable that reaches very many some in turns, and of more those that stir.

        What an operator does is seen as it happens. What changes without one is so found a few statements late in there: what is
        frozen, moved or given a gradient stirs; another stride by `.data =`, or bytes that NumPy changed, take a closer look.
        """
        if everything or len(self.seen) <= TURN:
            return iter(self.seen)
        begin, self.turn = self.turn, (self.turn + TURN) % len(self.seen)
        others = self.seen
        if self.reach.is_container:
            others = self.seen[begin + TURN : begin + TURN + QUICK_TURN] or self.seen[:QUICK_TURN]
        return chain(self.seen[begin : begin + TURN], (seen for seen in others if not memory.seems_unchanged(seen)))


class LineWatch:
    """Turns `sys.settrace` events into steps: one per statement, nested in calls. Only the snippet's own code is traced."""

    def __init__(self, observer: Observer, source: Source, guard: Guard) -> None:
        self._observer = observer
        self._source = source
        self.guard = guard
        self._stack: list[Activation] = []
        self._watching = self._starting = False
        self._thread = 0
        """The one thread whose lines are followed."""
        self._levels: Any = None
        """Of its stack."""
        self._edge = Edge()
        self.take_output: Callable[[], None] = lambda: None
        self._last_exception = 0
        self._name_ids: dict[tuple[int, str], int] = {}
        self._handlers = {"line": self._line, "return": self._return, "exception": self._exception}

    def start(self) -> None:
        """Trace the module that is executed next: for it there is nothing below its frame."""
        self._starting = True
        self._levels = adapter.stack.levels
        self._watching, self._thread = True, threading.get_ident()
        sys.settrace(self._enter)

    def stop(self) -> None:
        self._watching = False
        self._edge.end()
        sys.settrace(None)

    def follow(self, frame: FrameType) -> None:
        """Trace a frame that already runs, from its next line on, and what it calls in the same file."""
        self._call(frame)
        self._levels = adapter.stack.levels
        self._watching, self._thread = True, threading.get_ident()
        sys.settrace(self._enter)
        frame.f_trace = self._within

    @guarded
    def leave(self, frame: FrameType) -> None:
        """The last statement of a followed frame is over, though the frame runs on."""
        if self._stack and self._stack[-1].frame_key == id(frame):
            self._end_statement(self._stack[-1], frame, is_last=True)

    @guarded
    def close(self) -> None:
        """End the frames and steps that are open although the run is over: tracing had been switched off in them."""
        while self._stack:
            self._close(self._stack[-1])
        while self._observer.step is not None:
            self._observer.end(self._observer.step)

    def rearm(self) -> None:
        """Trace again if Python switched tracing off, as it does when a RecursionError hits inside a trace function.

        What ran in between left no steps. Frames that are gone are closed, those still running are followed on.
        """
        if not self._watching or self.guard.traced or threading.get_ident() != self._thread:
            return
        running: dict[int, FrameType] = {}
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._edge.is_of(frame):
                return
            if frame.f_code.co_filename == self._source.filename and frame.f_code.co_name not in _EXPRESSIONS:
                running[id(frame)] = frame
            frame = frame.f_back
        while self._stack and self._stack[-1].frame_key not in running:
            self._close(self._stack[-1])
        sys.settrace(self._enter)
        for frame in running.values():
            frame.f_trace = self._within
        innermost = running.get(self._stack[-1].frame_key) if self._stack else None
        if innermost is not None:
            self._line(innermost, None)

    @adapter.not_compiled
    def _enter(self, frame: FrameType, event: str, arg: Any) -> TraceFunction | None:
        code = frame.f_code
        is_followed = code.co_filename == self._source.filename and code.co_name not in _EXPRESSIONS
        if (levels := self._levels).value < EDGE:
            levels.value += HEADROOM
            try:
                if is_followed:
                    self._call(frame)
                self._edge.enter(frame)
                frame.f_trace_lines = is_followed
            finally:
                levels.value -= HEADROOM
            return self._within if is_followed else self._edge.returned
        if not is_followed:
            return None
        if self._starting:
            self._starting = False
            adapter.make_outermost(frame)
        self._call(frame)
        return self._within

    @adapter.not_compiled
    def _within(self, frame: FrameType, event: str, arg: Any) -> TraceFunction:
        headroom = HEADROOM if (levels := self._levels).value < EDGE else 0
        if headroom:
            levels.value += headroom
        try:
            handle = self._handlers.get(event)
            if handle is not None and self._stack and self._stack[-1].frame_key == id(frame):
                handle(frame, arg)
            if event == "return":
                self._edge.leave(frame)
        finally:
            if headroom:
                levels.value -= headroom
        return self._within

    @guarded
    def _call(self, frame: FrameType) -> None:
        code = frame.f_code
        call = None
        if self._stack:
            span = self._source.beginning(code)
            call = self._observer.begin("call", span, clip(code.co_qualname))
        serial = self._observer.tables.frames.add(
            function=clip(code.co_qualname),
            began=self._observer.tables.tick,
            parent=self._observer.frame,
            line=code.co_firstlineno,
        )
        self._observer.enter_frame(serial)
        self._observer.modules.enter(frame)
        self._stack.append(Activation(id(frame), serial, call))

    @guarded
    def _line(self, frame: FrameType, arg: Any) -> None:
        activation = self._stack[-1]
        statement = self._source.statement_at(frame.f_lineno)
        if statement is None:
            return
        # A statement over several lines is entered line by line, always forwards; a jump back runs it again.
        if statement == activation.statement and frame.f_lasti > activation.began_at:
            return
        self._end_statement(activation, frame)
        self._last_exception = 0
        # Whatever this statement does to the process, all that came before it is out.
        self._observer.tables.flush()
        activation.statement = statement
        activation.began_at = frame.f_lasti
        activation.step = self._observer.begin("statement", self._source.span(statement))

    @guarded
    def _return(self, frame: FrameType, arg: Any) -> None:
        activation = self._stack[-1]
        self._end_statement(activation, frame, is_last=True)
        self._close(activation)

    def _close(self, activation: Activation) -> None:
        """The innermost frame is left: its names reach nothing any more. The module's stay, as the program's last state."""
        self._stack.pop()
        self._observer.tables.frames.mark(activation.frame, "ended", self._observer.tables.tick)
        self._observer.leave_frame()
        self._observer.modules.leave()
        if activation.call is None:
            return
        self._observer.tables.advance()
        for reached in activation.reached.values():
            self._forget(reached.names)
        self._record_variables(activation, activation.variables.changes([]))
        self._observer.end(activation.call)

    def _end_statement(self, activation: Activation, frame: FrameType, is_last: bool = False) -> None:
        if activation.step is None:
            return
        step, activation.step = activation.step, None
        self._observer.settle()
        self._observer.modules.rest()
        variables, others = variables_of(frame.f_locals)
        adapter.drop_locals_snapshot(frame)
        tensors, walked = self._named(activation, variables, is_last)
        held = activation.variables.changes(others)
        if self._observer.threads.have_run():
            self.take_output()
            tensors.extend(self._observer.look_around())
        self._observer.end(step, tensors)
        for name, reached, found in walked:
            self._record_names(activation, name, reached, found)
        self._record_variables(activation, held)

    def _named(
        self, activation: Activation, variables: dict[str, Any], is_last: bool
    ) -> tuple[list[torch.Tensor], list[tuple[str, Reached | None, Found]]]:
        """The tensors these variables reach and that are to be looked at; and the variables that reach others than before."""
        tensors: list[torch.Tensor] = []
        walked: list[tuple[str, Reached | None, Found]] = []
        memory = self._observer.memory
        died = memory.died
        bound = None if is_last else {id(value) for value in variables.values()}
        for name, value in variables.items():
            known = activation.reached.get(name)
            found: Found | None = None
            if known is not None and known.serials.isdisjoint(died[known.since :]):
                found = [] if known.reach.holds(value, bound) else known.reach.more(name, value, bound)
            is_new = found is None
            if known is None or found is None:
                known = Reached(Reach(name, value))
                found, known.reach.found = known.reach.found, []  # the tensors are not ours to keep
            else:
                known.since = len(died)
                tensors.extend(tensor for seen in known.looked_at(memory, is_last) if (tensor := seen.ref()) is not None)
            if is_new or found:
                walked.append((name, known, found))
                tensors.extend(tensor for _, tensor in found)
        walked.extend((name, None, []) for name in activation.reached if name not in variables)
        return tensors, walked

    def _record_names(self, activation: Activation, variable: str, reached: Reached | None, found: Found) -> None:
        """At the tick at which the statement ended: the facts belong to the state after it."""
        tables = self._observer.tables
        before = activation.reached.get(variable)
        left = {} if before is None or before is reached else before.names
        if reached is None:
            del activation.reached[variable]
        else:
            activation.reached[variable] = reached
            reached.since = len(self._observer.memory.died)
            for path, tensor in found:
                seen = self._observer.memory.known(tensor)
                if seen is None:
                    continue
                if seen.serial not in reached.serials:
                    reached.serials.add(seen.serial)
                    reached.seen.append(seen)
                name, tensor_id = left.pop(path, (-1, -1))
                if name < 0:
                    name = self._name_id(activation.frame, path)
                if tensor_id != seen.serial:
                    tables.names.fact(name, "tensor", tables.tick, seen.serial)
                reached.names[path] = name, seen.serial
        self._forget(left)

    def _record_variables(self, activation: Activation, held: list[tuple[str, Held | None]]) -> None:
        """At the same tick."""
        tables = self._observer.tables
        ids = activation.variables.ids
        for name, value in held:
            if name not in ids:
                ids[name] = tables.variables.add(name=clip(name), frame=activation.frame)
            tables.variables.fact(ids[name], "value", tables.tick, value)

    def _name_id(self, frame: int, path: str) -> int:
        key = frame, path
        serial = self._name_ids.get(key)
        if serial is None:
            serial = self._name_ids[key] = self._observer.tables.names.add(path=clip(path), frame=frame)
        return serial

    def _forget(self, names: dict[str, tuple[int, int]]) -> None:
        """They reach nothing any more."""
        tables = self._observer.tables
        for serial, _ in names.values():
            tables.names.fact(serial, "tensor", tables.tick, None)

    @guarded
    def _exception(self, frame: FrameType, arg: Any) -> None:
        kind, exception, traceback = arg
        adapter.hide_frames(traceback, program.RECORDER)
        if isinstance(exception, _CONTROL_FLOW) or id(exception) == self._last_exception:
            return
        self._last_exception = id(exception)
        span = self._source.expression(frame.f_code, frame.f_lasti)
        self.record_exception(kind, exception, span)

    def record_exception(self, kind: type[BaseException], exception: BaseException, span: Span | None) -> None:
        """A step for an exception: it is raised here, whether or not anybody catches it."""
        message = program.message_of(exception)
        step = self._observer.begin(
            "exception", span, clip(kind.__qualname__), message=None if message is None else clip(message, MOST_TEXT)
        )
        self._observer.end(step)
