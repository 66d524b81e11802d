"""A view that was made while grad mode was off, written in place where autograd records."""

from functools import partial

from app.explain.finding import Finding
from app.explain.findings.writing import refused_writes
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import Fixes, under


def find_no_grad_view(reading: Reading) -> list[Finding]:
    """An error for each: torch cannot tell whether the write is meant to be recorded."""
    findings: list[Finding] = []
    for write in refused_writes(reading):
        # What a custom Function gives out was made without grad, too, and is refused for that.
        if (
            write.base is None
            or write.made_with_grad
            or write.grad_fn
            or not reading.requires_grad(write.base, write.step.began)
        ):
            continue
        fixes: Fixes = [("write_without_grad", partial(under, reading.trace.source, write.statement, "with torch.no_grad():"))]
        base = reading.name_of(write.base)
        findings.append(write.finding("no_grad_view", fixes, write.base, base=base, known="yes" if base else "no"))
    return findings
