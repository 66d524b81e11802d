"""The statements that ran. In older recordings and in very long loops, one step stands for all statements on a line."""

import ast
from collections import defaultdict
from operator import attrgetter

from app.explain.reading.counted import CountedIndex
from app.explain.reading.syntax import first_line
from app.trace.look_up import look_up
from app.trace.query import end_of
from app.trace.records import Span, Step, StepId, Tick


class Statements(CountedIndex):
    """Look-ups from steps to the statements of the snippet that they ran, and back."""

    def node_at(self, span: Span | None) -> ast.expr | ast.stmt | None:
        """The innermost expression or statement with exactly this span."""
        return self.syntax.node_at(span)

    def statement_at(self, step: Step | None) -> ast.stmt | None:
        """The statement that a step of kind "statement" ran. For a compound statement on one line, such as `with …: x = y`, the
        statement in the block."""
        statement = None if step is None or step.span is None else self.syntax.statement_at(step.span)
        inner = [] if statement is None or step is None else self._beside(statement, step)
        is_block = statement is not None and hasattr(statement, "body")
        return inner[0] if is_block and len(inner) == 1 else statement

    def statement_ran_by(self, step: StepId | None) -> ast.stmt | None:
        """The innermost statement around the expression that a step ran, even if several statements share a line."""
        outer = self.statement_of(step)
        piece = None if step is None or outer is None else self.node_at(self.trace.steps[step].span)
        around = None if piece is None else self.syntax.statement_around(piece)
        whole = None if outer is None or outer.span is None else self.syntax.statement_at(outer.span)
        if around is not None and whole is not None and outer is not None and around in self._within(whole, outer):
            return around
        return self.statement_at(outer)

    def bound_when(self, node: ast.expr, step: Step) -> Tick:
        """The tick at which to look up a variable that `step` used.

        It is the beginning of the step. For the target of a loop on one line, such as `p` in `for p in …: p -= 1`, it is the
        end, because the value at the beginning is not yet assigned.
        """
        outer = self.statement_of(step.id)
        whole = None if outer is None or outer.span is None else self.syntax.statement_at(outer.span)
        target = whole.target if isinstance(whole, ast.For) else None
        if outer is None or whole is None or not isinstance(target, ast.Name):
            return step.began
        is_its = self.syntax.statement_around(node) in self._within(whole, outer)
        return end_of(outer) if is_its and next(iter(self.syntax.names_in(node)), "") == target.id else step.began

    def _beside(self, statement: ast.stmt, step: Step) -> list[ast.stmt]:
        """The other statements on the line of `statement` that the same step ran."""
        beside = self._within(statement, step)
        if not beside or isinstance(statement, ast.With | ast.For):
            return beside
        if isinstance(statement, ast.FunctionDef):  # the body is on the same line
            frame = None if step.frame is None else self.trace.frames[step.frame]
            is_call = (
                frame is not None and frame.line == first_line(statement) and frame.function.split(".")[-1] == statement.name
            )
            return beside if is_call else []
        if hasattr(statement, "body"):  # whether the block ran is only known from its operators
            ran = {self.syntax.statement_around(piece) for piece in self._pieces(step) if piece is not None}
            return [each for each in beside if each in ran]
        return beside

    def _within(self, statement: ast.stmt, step: Step) -> list[ast.stmt]:
        """The simple statements after `statement` on its line, as far as the span of `step` covers them."""
        beside = self.syntax.beside(statement)
        if not beside or step.span is None:
            return []
        end = step.span.end_line, self.syntax.at_column(step.span.end_line, step.span.end_column)
        return [each for each in beside if (each.lineno, each.col_offset) < end]

    def all_ran_by(self, step: Step) -> list[ast.stmt]:
        """The statement that a step of kind "statement" ran, and the other statements on its line that the same step ran."""
        first = None if step.span is None else self.syntax.statement_at(step.span)
        return [] if first is None else [first, *self._within(first, step)]

    def rebound_in(self, step: Step, node: ast.AST | None) -> frozenset[str]:
        """The variables that may have been rebound in `node` since the statement of `step` began."""
        outer = self.statement_of(step.id)
        is_alone = outer is not None and len(self.all_ran_by(outer)) == 1
        return self.syntax.rebound_within(node) if is_alone else self.syntax.rebound_beside(node)

    def _pieces(self, statement: Step) -> list[ast.expr | ast.stmt | None]:
        return [self.node_at(step.span) for step in self.children.get(statement.id, []) if step.kind != "statement"]

    @look_up
    def begun(self) -> list[Step]:
        """The statements in the order in which they began."""
        return [step for step in self.trace.steps if step.kind == "statement"]

    @look_up
    def last_with_grad(self) -> list[int | None]:
        """For each statement in `begun`: the index of the last statement, up to it, that began with gradients on, or None."""
        found: list[int | None] = []
        for place, step in enumerate(self.begun):
            on = step.grad_enabled and not step.inference
            found.append(place if on else found[-1] if found else None)
        return found

    @look_up
    def backwards(self) -> list[Step]:
        """The runs of statements in which a backward ran, in order."""
        return sorted((self.trace.steps[statement] for statement in self.nodes_run), key=attrgetter("began"))

    @look_up
    def runs_of_statement(self) -> dict[ast.stmt, list[Step]]:
        """The runs of each statement, in order. Statements on one line may share a step."""
        found: dict[ast.stmt, list[Step]] = defaultdict(list)
        for span, steps in self.visits.items():
            statement = self.syntax.statement_at(span)
            if statement is not None:
                found[statement] += steps
            for step in steps if statement is not None and self.syntax.beside(statement) else []:
                for each in [] if statement is None else self._beside(statement, step):
                    found[each].append(step)
        return {statement: sorted(steps, key=attrgetter("id")) for statement, steps in found.items()}
