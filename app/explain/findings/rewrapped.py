"""`torch.tensor(...)` of tensors that require grad: the numbers are copied, the history is not."""

import ast

from app.explain.finding import MOST_FINDINGS, Finding
from app.explain.findings.cut import find_cut
from app.explain.findings.making import Fixes, make_finding
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.rewriting.replacing import with_replaced


def find_rewrapped(reading: Reading) -> list[Finding]:
    """A hint for each such call, where no backward has run into it yet: that is told as a cut."""
    findings: list[Finding] = []
    done: set[int] = set()
    for step, _, node in reading.runs_with(ast.Call, "tensor"):
        if id(node) in done or not isinstance(node, ast.Call) or dotted(node.func) != "torch.tensor" or not step.grad_enabled:
            continue
        pieces = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple) else node.args[:1]
        tensors = [reading.tensor_of(piece, reading.ended(step)) for piece in pieces]
        known = [tensor for tensor in tensors if tensor is not None]
        if len(known) != len(pieces) or not any(
            reading.requires_grad(tensor, reading.trace.tensors[tensor].born) for tensor in known
        ):
            continue
        done.add(id(node))
        if len(findings) < MOST_FINDINGS:
            fixes: Fixes = []
            if isinstance(node.args[0], ast.List) and not node.keywords:
                fixes.append(("stack", with_replaced(reading.trace.source, [(node.func, "torch.stack")])))
            arguments: dict[str, str | int] = {"count": len(known), "line": reading.line_of(step.id) or 0}
            findings.append(make_finding(reading, "rewrapped", [step.id], known, arguments, fixes=fixes))
    return [] if findings and find_cut(reading) else findings
