"""A leaf that requires grad, written in place where autograd records."""

from functools import partial

from app.explain.finding import Finding
from app.explain.findings.writing import refused_writes
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import Fixes, under
from app.trace.query import END, value_at
from app.trace.records import TensorId, Tick


def find_leaf_written(reading: Reading) -> list[Finding]:
    """An error for each write to such a leaf, or to a view of one."""
    findings: list[Finding] = []
    writes = refused_writes(reading)
    without_grad = _first_views_without_grad(reading) if writes else {}
    for write in writes:
        leaf = write.tensor if write.base is None else write.base
        if value_at(reading.trace.tensors[leaf].is_leaf, write.step.began) is not True:
            continue
        # A view that was made without grad is refused for that. A Parameter of the library was made so, too, and is no view.
        if write.base is not None and not write.made_with_grad:
            continue
        if not reading.requires_grad(leaf, write.step.began) or write.maker_of_many:  # torch refuses one of many views first
            continue
        # It may be a view of that one, which torch refuses first: a trace tells the base of a view, and not what lies between.
        if write.base is not None and without_grad.get(write.base, END) < reading.trace.tensors[write.tensor].born:
            continue
        fixes: Fixes = [("write_without_grad", partial(under, reading.trace.source, write.statement, "with torch.no_grad():"))]
        how = "part" if write.part else "view" if write.base is not None else "itself"
        name = reading.name_of(leaf) if write.base is not None else write.name
        shown = name if write.base is not None and name else reading.quoted(write.name, write.step.frame)
        findings.append(write.finding("leaf_written", fixes, leaf, leaf=shown, how=how))
    return findings


def _first_views_without_grad(reading: Reading) -> dict[TensorId, Tick]:
    """By base, when the first view of it was made while grad mode was off."""
    first: dict[TensorId, Tick] = {}
    for record in reading.trace.tensors:
        base = value_at(record.base, record.born)
        if base is not None and record.made_by is not None and not reading.trace.steps[record.made_by].grad_enabled:
            first.setdefault(base, record.born)
    return first
