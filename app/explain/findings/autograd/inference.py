"""Finds an inference tensor that is written, or saved for backward, outside inference mode."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.writing import written_by
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step


@finder()
def find_inference_tensor(reading: Reading) -> Iterator[Finding]:
    """An error for each refused save or write. An inference tensor has no version counter, so autograd can neither save nor
    write it."""
    for step, piece in reading.failures:
        used = list(reading.first_named(piece, step))
        made = [(name, tensor) for name, tensor in used if reading.is_inference(tensor, step)]
        target = written_by(piece)
        written = None if target is None else reading.tensor_of(target, step)
        saved = (
            target is None
            and isinstance(piece, ast.BinOp | ast.Call)
            and backward_call(piece) is None
            and step.grad_enabled
            and _is_tracked(reading, piece, step)
        )
        if not made or step.inference or not (saved or written == made[0][1]):
            continue
        name, tensor = made[0]
        if target is not None and reading.requires_grad(tensor, step.began) and not _is_alone(piece):
            continue  # with an argument, torch may instead refuse the write to a leaf
        fixes = [offer("no_grad_instead", _without_inference, reading.syntax)]
        makers = [reading.trace.tensors[tensor].made_by]
        arguments: Arguments = {
            "name": name,
            "maker_line": reading.line_of(makers[0]) or 0,
            "how": "saved" if target is None else "written",
        }
        yield reading.exception_finding("inference_tensor", step, [tensor], arguments, fixes=fixes, makers=makers)


def _is_tracked(reading: Reading, piece: ast.AST, step: Step) -> bool:
    """Whether an operand of an expression requires grad, so that autograd would save tensors."""
    tensors = [tensor for _, tensor in reading.first_named(piece, step)]
    for variable in reading.syntax.names_in(piece):
        tensors += reading.reached(variable, step.frame, step.began)
    return any(reading.requires_grad(tensor, step.began) for tensor in tensors)


def _is_alone(piece: ast.AST) -> bool:
    """Whether a write is a call without arguments, such as `x.zero_()`."""
    return isinstance(piece, ast.Call) and not piece.args


def _without_inference(syntax: Syntax) -> str | None:
    """`torch.inference_mode()` → `torch.no_grad()`, for all uses."""
    calls = [node for node in syntax.of(ast.Call) if dotted(node.func) == "torch.inference_mode"]
    if not calls or any(call.args or call.keywords for call in calls):
        return None
    return with_replaced(syntax.source, [(call, "torch.no_grad()") for call in calls])
