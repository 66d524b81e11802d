"""Follows the snippet line by line: records statements, calls of its functions, exceptions, and variables of its frames."""

import sys
import threading
from collections.abc import Callable, Iterator, Set
from types import CodeType, FrameType
from typing import Any

import torch

from app.trace.clipping import clip
from app.trace.records import MOST_TEXT, Held, Span
from app.tracer import adapter
from app.tracer.autograd.modules import constructed
from app.tracer.guard import HEADROOM, Guard, guarded
from app.tracer.naming.named import NameRecords, Walked
from app.tracer.naming.names import Found, Reach, named_by, variables_of
from app.tracer.observer import Observer
from app.tracer.statements import program
from app.tracer.statements.activation import Activation, Reached
from app.tracer.statements.edge import EDGE, Edge
from app.tracer.statements.source import SUSPENDS, Parts, Source
from app.tracer.statements.sources import Sources

TOLD_APART = 4
"""Statements that share a line with others are separate steps until they are this fraction (1/4) of the maximum number of
statements. After that, such a line is one step."""
_EXPRESSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"}
"""Names of code objects that Python compiles for a part of an expression. Their frames belong to the statement of the
expression."""
_CONTROL_FLOW = (StopIteration, StopAsyncIteration, GeneratorExit, adapter.RecomputationStopped)
"""Exceptions that are recorded as no step, because they are not errors: they end a loop or the recomputation of `checkpoint`."""

TraceFunction = Callable[[FrameType, str, Any], Any]


class LineWatch:
    """Turns `sys.settrace` events into steps: one per statement, nested in calls. Only code of followed files is traced."""

    def __init__(self, observer: Observer, sources: Sources, guard: Guard) -> None:
        self._observer = observer
        self._sources = sources
        self._known = sources.known
        self.guard = guard
        self._stack: list[Activation] = []
        self._watching = self._starting = False
        self._restore: Callable[[], None] | None = None
        """Undoes `make_outermost`, if the module is the outermost frame."""
        self._thread = 0
        """The followed thread."""
        self._levels: Any = None
        """The remaining levels of the stack of the followed thread."""
        self._edge = Edge()
        self.take_output: Callable[[], None] = lambda: None
        self.hidden: Set[str] = frozenset()
        """Variables of the module that are not recorded: those of the shell in which it runs."""
        self._last_exception = 0
        self._told_apart = observer.limits.statements // TOLD_APART
        self._names = NameRecords(observer.tables, observer.memory)
        self._handlers = {"line": self._line, "opcode": self._opcode, "return": self._return, "exception": self._exception}

    def start(self) -> None:
        """Trace the next module that is executed, and hide the frames that called it."""
        self._starting = True
        self.follow_calls()

    def follow_calls(self) -> None:
        """From now on, trace calls of functions of followed files."""
        self._levels = adapter.stack.levels
        self._watching, self._thread = True, threading.get_ident()
        sys.settrace(self._enter)

    def stop(self) -> None:
        self._watching = False
        self._edge.end()
        sys.settrace(None)

    def follow(self, frame: FrameType) -> None:
        """Trace a running frame from its next line on, and its calls in followed files."""
        self._call(frame)
        self._look_before(frame)
        self._levels = adapter.stack.levels
        self._go_on(self._stack[-1], frame)
        self._watching, self._thread = True, threading.get_ident()
        sys.settrace(self._enter)
        frame.f_trace = self._within

    @guarded
    def _look_before(self, frame: FrameType) -> None:
        """Record the tensors that the variables of the outermost frame reach before its first statement.

        Other values of a called frame are recorded with the frame's first statement, as for every call.
        """
        activation = self._stack[0]
        variables, others = variables_of(frame.f_locals, self.hidden if frame.f_code.co_name == "<module>" else frozenset())
        adapter.drop_locals_snapshot(frame)
        tensors, walked = self._named(activation, variables, False)
        is_called = self._watching  # if False, the frame began before the recording
        held = [] if is_called else activation.variables.changes(others)
        self._observer.look(tensors)
        self._names.record(activation, activation, walked)
        self._record_variables(activation, held)
        self._observer.tables.advance()

    @guarded
    def leave(self, frame: FrameType) -> None:
        """End the last recorded statement of a followed frame, which continues to run."""
        if self._stack and self._stack[-1].frame_key == id(frame):
            self._end_statement(self._stack[-1], frame, is_last=True)

    @guarded
    def close(self) -> None:
        """End the frames and steps that are still open after the run, because tracing was switched off in them."""
        while self._stack:
            self._close(self._stack[-1])
        while self._observer.step is not None:
            self._observer.end(self._observer.step)

    def rearm(self) -> None:
        """Resume tracing if Python switched it off, as after a RecursionError inside a trace function.

        Statements that ran without tracing have no steps. Frames that have ended are closed. Frames that still run are followed
        again.
        """
        if not self._watching or self.guard.traced or threading.get_ident() != self._thread:
            return
        running: dict[int, FrameType] = {}
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._edge.is_of(frame):
                return
            if self._followed(frame.f_code) is not None:
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
        # Levels are added before any call or comparison, because this frame may have the last level of the stack.
        if (levels := self._levels).value < EDGE:
            levels.value += HEADROOM
            try:
                return self._enter_at_edge(frame)
            finally:
                levels.value -= HEADROOM
        code, known = frame.f_code, self._known
        filename = code.co_filename  # the body of `_followed`, inlined because this runs at every function call
        source = known[filename] if filename in known else self._first_of(filename)
        if source is None or code.co_name in _EXPRESSIONS:
            return None
        if self._starting:
            self._starting = False
            self._restore = adapter.make_outermost(frame)
        is_outermost = not self._stack and self._restore is None
        self._call(frame)
        if is_outermost:
            self._look_before(frame)
        return self._within

    def _enter_at_edge(self, frame: FrameType) -> TraceFunction:
        is_followed = self._followed(frame.f_code) is not None
        if is_followed:
            self._call(frame)
        self._edge.enter(frame)
        frame.f_trace_lines = is_followed
        return self._within if is_followed else self._edge.returned

    def _followed(self, code: CodeType) -> Source | None:
        """Return the Source of this code if its statements are recorded; otherwise None."""
        filename = code.co_filename
        source = self._known[filename] if filename in self._known else self._first_of(filename)
        return None if source is None or code.co_name in _EXPRESSIONS else source

    @guarded
    def _first_of(self, filename: str) -> Source | None:
        return self._sources.of(filename)

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
                if self._restore is not None and frame.f_back is None:
                    self._restore()
                    self._restore = None
        finally:
            if headroom:
                levels.value -= headroom
        return self._within

    @guarded
    def _call(self, frame: FrameType) -> None:
        code = frame.f_code
        source = self._known.get(code.co_filename) or self._sources.main
        adapter.keep_comprehensions(code)
        call = None
        if self._stack:
            span = source.beginning(code)
            self._observer.look_before_hook()
            call = self._observer.begin("call", span, clip(code.co_qualname))
        serial = self._observer.tables.frames.add(
            function=clip(code.co_qualname),
            began=self._observer.tables.tick,
            parent=self._observer.frame,
            line=code.co_firstlineno,
            file=source.file,
            constructs=constructed(frame),
        )
        self._observer.enter_frame(serial)
        self._observer.modules.enter(frame)
        activation = Activation(frame, serial, call, source)
        self._stack.append(activation)
        if call is not None and code.co_flags & SUSPENDS:
            self._go_on(activation, frame)

    @guarded
    def _line(self, frame: FrameType, arg: Any) -> None:
        activation = self._stack[-1]
        statement = activation.source.statement_at(frame.f_lineno)
        if statement is None:
            return
        began_at = frame.f_lasti
        if activation.by_instruction is not None or activation.source.is_row(statement):
            statement, began_at = self._in_row(activation, frame, statement)
        # A statement over several lines has several line events, in forward order. After a jump back, the statement runs again.
        if statement == activation.statement and frame.f_lasti > activation.began_at:
            return
        self._begin_statement(activation, frame, statement, began_at)

    def _in_row(self, activation: Activation, frame: FrameType, statement: int) -> tuple[int, int]:
        """Return the statement that begins or resumes here, and its position.

        On a line with several statements, instructions are followed. After the limit (TOLD_APART), a line with several
        statements is one step.
        """
        source = activation.source
        parts = source.parts(frame.f_code) if source.is_row(statement) else None
        several = parts if parts is not None and parts.has_several(statement) else None
        if several is not None and self._told_apart <= 0:
            self._follow_instructions(activation, frame, None)
            return statement, -1
        self._follow_instructions(activation, frame, several)
        part = None if parts is None else parts.at(frame.f_lasti)
        return statement if part is None else part, frame.f_lasti

    def _follow_instructions(self, activation: Activation, frame: FrameType, parts: Parts | None) -> None:
        if activation.by_instruction is not parts:
            activation.by_instruction = parts
            adapter.trace_instructions(frame, parts is not None)

    def _go_on(self, activation: Activation, frame: FrameType) -> None:
        """Set the current statement of a frame that is entered in the middle of a statement; this statement already has a
        step."""
        source = activation.source
        row = source.statement_at(frame.f_lineno)
        if row is not None and source.is_row(row) and source.parts(frame.f_code).at(frame.f_lasti) is not None:
            activation.statement, activation.began_at = self._in_row(activation, frame, row)

    def _opcode(self, frame: FrameType, arg: Any) -> None:
        """Handle an instruction. This method first checks whether the instruction begins another statement, because most
        instructions do not."""
        activation = self._stack[-1]
        statement = None if activation.by_instruction is None else activation.by_instruction.at(frame.f_lasti)
        if statement is not None and statement != activation.statement:
            self._next_part(frame, statement)

    @guarded
    def _next_part(self, frame: FrameType, statement: int) -> None:
        self._begin_statement(self._stack[-1], frame, statement, frame.f_lasti)

    def _begin_statement(self, activation: Activation, frame: FrameType, statement: int, began_at: int) -> None:
        self._end_statement(activation, frame)
        self._last_exception = 0
        # Send all earlier records before this statement, which may end the process.
        self._observer.tables.flush()
        self._told_apart -= activation.by_instruction is not None
        activation.statement = statement
        activation.began_at = began_at
        activation.step = self._observer.begin("statement", activation.source.span(statement))

    @guarded
    def _return(self, frame: FrameType, arg: Any) -> None:
        activation = self._stack[-1]
        self._end_statement(activation, frame, is_last=True)
        self._close(activation)

    def _close(self, activation: Activation) -> None:
        """End the innermost frame and its Names. The Names of the module are kept as the last state of the program."""
        self._stack.pop()
        self._observer.tables.frames.mark(activation.frame, "ended", self._observer.tables.tick)
        self._observer.leave_frame()
        self._observer.modules.leave()
        if activation.call is None:
            return
        self._observer.tables.advance()
        for reached in activation.reached.values():
            self._names.forget(reached.names)
        self._record_variables(activation, activation.variables.changes([]))
        self._observer.end(activation.call)

    def _end_statement(self, activation: Activation, frame: FrameType, is_last: bool = False) -> None:
        if activation.step is None:
            return
        step, activation.step = activation.step, None
        self._observer.settle()
        self._observer.modules.rest()
        variables, others = variables_of(frame.f_locals, self.hidden if frame.f_code.co_name == "<module>" else frozenset())
        adapter.drop_locals_snapshot(frame)
        tensors, walked = self._named(activation, variables, is_last)
        tensors.extend(self._of_module(activation, frame))
        held = activation.variables.changes(others)
        if self._observer.threads.have_run():
            self.take_output()
            tensors.extend(self._observer.look_around())
        self._observer.end(step, tensors)
        self._names.record(activation, self._stack[0], walked)
        self._record_variables(activation, held)

    def _named(
        self, activation: Activation, variables: dict[str, Any], is_last: bool
    ) -> tuple[list[torch.Tensor], list[Walked]]:
        """Return the tensors that must be read now, and the variables that reach other tensors than at the end of the last
        statement."""
        tensors: list[torch.Tensor] = []
        walked: list[Walked] = []
        memory = self._observer.memory
        memory.note_deaths()
        died = memory.died
        bound, count = None if is_last else {id(value) for value in variables.values()}, len(died)
        for name, value in variables.items():
            known = activation.reached.get(name)
            found: Found | None = None
            if known is not None and (known.since == count or known.serials.isdisjoint(died[known.since :])):
                found = [] if known.reach.holds(value, bound) else known.reach.more(name, value, bound)
            is_new = found is None
            if known is None or found is None:
                outer = self._reached_below(activation, value)
                only = None if outer is None else named_by(activation.code)
                known = Reached(Reach(name, value, only), outer)
                found, known.reach.found = known.reach.found, []  # `found` would keep the tensors alive
            else:
                known.since = count
                for seen in known.looked_at(memory, is_last):
                    if (tensor := seen.ref()) is not None:
                        tensors.append(tensor)
            if is_new or found:
                walked.append((name, known, found))
                tensors.extend(tensor for _, tensor, _ in found)
        walked.extend((name, None, []) for name in activation.reached if name not in variables)
        return tensors, walked

    def _reached_below(self, activation: Activation, value: Any) -> Reached | None:
        """Return the `Reached` of an outer frame's variable that reaches many objects, one of which is `value`; None if there
        is none. The tensors have their Names in that outer frame."""
        for below in self._stack:
            if below is activation:
                return None
            for reached in below.reached.values():
                if reached.reach.enters(value):
                    return reached.outer or reached
        return None

    def _of_module(self, activation: Activation, frame: FrameType) -> Iterator[torch.Tensor]:
        """Yield the tensors that a function's code can reach through module variables, for example to find the effect of
        `opt.zero_grad()`, which is not an operator."""
        module = self._stack[0]
        is_its = activation is not module and activation.source is module.source
        for name in frame.f_code.co_names if is_its else ():
            known = module.reached.get(name)
            for seen in known.looked_at(self._observer.memory, False) if known is not None else ():
                tensor = seen.ref()
                if tensor is not None:
                    yield tensor

    def _record_variables(self, activation: Activation, held: list[tuple[str, Held | None]]) -> None:
        """Record changed variables at the tick at which the statement ended."""
        tables = self._observer.tables
        ids = activation.variables.ids
        for name, value in held:
            if name not in ids:
                ids[name] = tables.variables.add(name=clip(name), frame=activation.frame)
            tables.variables.fact(ids[name], "value", tables.tick, value)

    @guarded
    def _exception(self, frame: FrameType, arg: Any) -> None:
        kind, exception, traceback = arg
        adapter.hide_frames(traceback, program.RECORDER)
        if isinstance(exception, _CONTROL_FLOW) or id(exception) == self._last_exception:
            return
        self._last_exception = id(exception)
        span = self._stack[-1].source.expression(frame.f_code, frame.f_lasti)
        self.record_exception(kind, exception, span)

    def record_exception(self, kind: type[BaseException], exception: BaseException, span: Span | None) -> None:
        """Record a step for an exception that is raised here, even if the snippet catches it."""
        message = program.message_of(exception)
        step = self._observer.begin(
            "exception", span, clip(kind.__qualname__), message=None if message is None else clip(message, MOST_TEXT)
        )
        self._observer.end(step)
