"""`torch.tensor(...)` of tensors that require grad: the numbers are copied, the history is not."""

import ast
from collections import Counter
from functools import partial
from itertools import takewhile

from app.explain.finding import MOST_FINDINGS, Finding
from app.explain.findings.cut import find_cut
from app.explain.findings.making import make_finding
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import Fixes

MOST_ROUNDS = 20
"""Runs of one call that are looked at: its tensors are looked at in each."""


def find_rewrapped(reading: Reading) -> list[Finding]:
    """A hint for each such call, where no backward has run into it yet: that is told as a cut."""
    findings: list[Finding] = []
    done: set[int] = set()
    seen: Counter[ast.expr] = Counter()
    for step, _, node in reading.runs_with(ast.Call, "tensor"):
        seen[node] += 1
        if seen[node] > MOST_ROUNDS or id(node) in done or not isinstance(node, ast.Call):
            continue
        if dotted(node.func) != "torch.tensor" or not step.grad_enabled:
            continue
        pieces = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple) else node.args[:1]
        ended = reading.ended(step)
        tensors = (reading.tensor_of(piece, ended) for piece in pieces)
        known = [tensor for tensor in takewhile(lambda tensor: tensor is not None, tensors) if tensor is not None]
        if len(known) != len(pieces) or not any(
            reading.requires_grad(tensor, reading.trace.tensors[tensor].born) for tensor in known
        ):
            continue
        done.add(id(node))
        if len(findings) < MOST_FINDINGS:
            fixes: Fixes = []
            if isinstance(node.args[0], ast.List) and not node.keywords:
                fixes.append(("stack", partial(with_replaced, reading.trace.source, [(node.func, "torch.stack")])))
            arguments: dict[str, str | int] = {"count": len(known), "line": reading.line_of(step.id) or 0}
            findings.append(make_finding(reading, "rewrapped", [step.id], known, arguments, fixes=fixes))
    return [] if findings and reading.found_by(find_cut) else findings
