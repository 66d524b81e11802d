"""Finds a view that was created while grad mode was off and is written in place while grad mode is on."""

from collections.abc import Iterator

from app.explain.finding import Finding, finder, offer
from app.explain.findings.writing import refused_writes
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import under


@finder(after=["find_leaf_written"])
def find_no_grad_view(reading: Reading) -> Iterator[Finding]:
    """An error for each in-place write to such a view, because torch cannot know whether autograd should record the write."""
    for write in refused_writes(reading):
        # An output of a custom Function was also created without grad, but torch refuses this write for another reason.
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
