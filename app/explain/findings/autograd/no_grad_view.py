"""A view that was made while grad mode was off, written in place where autograd records."""

from collections.abc import Iterator

from app.explain.finding import Finding, finder, offer
from app.explain.findings.writing import refused_writes
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import under


@finder(after=["find_leaf_written"])
def find_no_grad_view(reading: Reading) -> Iterator[Finding]:
    """An error for each: torch cannot tell whether the write is meant to be recorded."""
    for write in refused_writes(reading):
        # What a custom Function gives out was made without grad, too, and is refused for that.
        if (
            write.base is None
            or write.made_with_grad
            or write.grad_fn
            or not reading.requires_grad(write.base, write.step.began)
        ):
            continue
        fixes = [offer("write_without_grad", under, reading.trace.source, write.statement, "with torch.no_grad():")]
        base = reading.name_of(write.base)
        yield write.finding("no_grad_view", fixes, write.base, base=base, known="yes" if base else "no")
