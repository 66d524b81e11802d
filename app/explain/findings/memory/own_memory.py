"""Finds an in-place write that reads the memory that it writes: `mask[mask] = …`, `x[1:] += x[:-1]`."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.memory.overlapping_write import repeats
from app.explain.findings.writing import begun_writes
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_clone
from app.trace.records import Step, TensorId, Write


@finder()
def find_own_memory(reading: Reading) -> Iterator[Finding]:
    """An error for each write that torch refused, with the operand on the same memory."""
    for step, piece, target, write, _, written in begun_writes(reading):
        node, tensor = next(_read(reading, piece, target, step, write), (None, None))
        if (
            node is None
            or tensor is None
            or (written is not None and repeats(written))
            or _is_other(reading, piece, step, write)
        ):
            continue
        fixes = [offer("clone_what_is_read", with_clone, reading.trace.source, node)]
        arguments: Arguments = {
            "name": reading.quoted(reading.syntax.text_of(target), step.frame),
            "read": reading.quoted(reading.syntax.text_of(node), step.frame),
        }
        about, storages = [tensor], [write.storage]
        yield reading.exception_finding("own_memory", step, about, arguments, fixes=fixes, storages=storages)


def _is_other(reading: Reading, piece: ast.expr | ast.stmt, step: Step, write: Write) -> bool:
    """Whether torch refuses the write for another reason: `set_` writes no elements, and an inference tensor is only writable
    in inference mode."""
    is_set = isinstance(piece, ast.Call) and isinstance(piece.func, ast.Attribute) and piece.func.attr == "set_"
    return is_set or (write.tensor is not None and not step.inference and reading.is_inference(write.tensor, step))


def _read(
    reading: Reading, piece: ast.expr | ast.stmt, target: ast.expr, step: Step, write: Write
) -> Iterator[tuple[ast.expr, TensorId]]:
    """The indices and operands of a write that share the written memory, with their Tensors."""
    match piece:
        case ast.Subscript(slice=index):
            given = [index]
        case ast.AugAssign(value=value):
            given = [value]
        case ast.Call(args=arguments):
            given = arguments
        case _:
            given = []
    for node in given:
        for each in node.elts if isinstance(node, ast.Tuple) else [node]:
            base = each
            while isinstance(base, ast.Subscript) and reading.tensor_of(base, step) is None:
                base = base.value
            tensor = reading.tensor_of(base, step)
            geometry = reading.geometry_at(tensor, step.began)
            if tensor is not None and geometry is not None and geometry.storage == write.storage:
                yield each, tensor
