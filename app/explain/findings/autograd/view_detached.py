"""Finds `detach_` on a view, which torch refuses because view and base are connected."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import value_at


@finder()
def find_view_detached(reading: Reading) -> Iterator[Finding]:
    """An error for each call that torch refused."""
    for step, piece in reading.failures:
        match piece:
            case ast.Call(func=ast.Attribute(value=value, attr="detach_"), args=[], keywords=[]):
                tensor = reading.tensor_of(value, step)
                base = None if tensor is None else value_at(reading.trace.tensors[tensor].base, step.began)
                if tensor is None or base is None:
                    continue
                name, maker = reading.syntax.text_of(value), reading.trace.tensors[tensor].made_by
                statement = reading.statement_ran_by(step.id)
                is_whole = isinstance(statement, ast.Expr) and statement.value is piece and name.isidentifier()
                detached = f"{name} = {name}.detach()" if is_whole else f"{name}.detach()"
                fixes = [offer("detach_instead", with_replaced, reading.trace.source, [(piece, detached)])]
                arguments: Arguments = {
                    "name": reading.quoted(name, step.frame),
                    "base": reading.name_of(base),
                    "known": "yes" if reading.name_of(base) else "no",
                    "maker_line": reading.line_of(maker) or 0,
                }
                yield reading.exception_finding("view_detached", step, [tensor, base], arguments, fixes=fixes, makers=[maker])
