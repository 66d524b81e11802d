"""A NaN or an infinity that was born in backward, from numbers that were finite."""

from app.explain.finding import Finding
from app.explain.findings.making import make_finding
from app.explain.reading.reading import Reading
from app.trace.query import first_nonfinite_gradient, holds_nonfinite


def find_nan_gradient(reading: Reading) -> list[Finding]:
    """A warning about the first: which Node made it, and whether it is the branch that `torch.where` did not take."""
    trace = reading.trace
    gradient = first_nonfinite_gradient(trace)
    if gradient is None or gradient.node is None or gradient.step is None:
        return []
    node = trace.nodes[gradient.node]
    earlier = [each for each in trace.gradients if each.to == node.id and each.tick <= gradient.tick]
    if not earlier or any(holds_nonfinite(each.value) is not False for each in earlier):
        return []
    sender = next((each.node for each in reversed(earlier) if each.node is not None), None)
    how = "where" if sender is not None and trace.nodes[sender].name.startswith("WhereBackward") else "other"
    return [
        make_finding(
            reading,
            "nan_gradient",
            [node.made_by, gradient.step],
            reading.results.get(node.id, [])[:1],
            {
                "node": node.name,
                "how": how,
                "maker_line": reading.line_of(node.made_by) or 0,
                "line": reading.line_of(gradient.step) or 0,
            },
            fixes=[],
            severity="warning",
        )
    ]
