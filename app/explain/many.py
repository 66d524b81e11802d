"""One of several views that a single operator made, written in place."""

from app.explain.expressions import Expressions
from app.explain.finding import Finding
from app.explain.rewrites import out_of_place
from app.explain.telling import Fixes
from app.explain.writing import refused_writes

_MANY = (
    "UnbindBackward",
    "SplitBackward",
    "SplitWithSizesBackward",
    "ChunkBackward",
    "TensorSplitBackward",
    "UnsafeSplitBackward",
)


def find_view_of_many(reading: Expressions) -> list[Finding]:
    """An error for each: `unbind` (also a loop over a tensor), `split` and `chunk` make views that may not be written."""
    findings: list[Finding] = []
    for write in refused_writes(reading):
        if write.base is None or not write.grad_fn.startswith(_MANY):
            continue
        fixes: Fixes = [("write_out_of_place", out_of_place(reading.trace.source, write.statement))]
        base, node = reading.name_of(write.base), write.grad_fn
        findings.append(write.finding("view_of_many", fixes, write.base, base=base, known="yes" if base else "no", node=node))
    return findings
