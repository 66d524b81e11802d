"""Finds invalid values in a loss: scores instead of log-probabilities, targets of -1 instead of 0, or the reverse."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import operand
from app.trace.query import elements
from app.trace.records import Step, TensorId, Tick

MOST_RUNS = 3
"""Maximum number of examined runs of one call of a loss."""

_SLACK = 1e-5
"""Maximum value of a valid log-probability. Rounding may raise the logarithm of 1 above 0."""

_LOSSES = {
    ("kl_div", "KLDivLoss"): (0, "log"),
    ("nll_loss", "NLLLoss"): (0, "log"),
    ("binary_cross_entropy_with_logits", "BCEWithLogitsLoss"): (1, "probability"),
    ("soft_margin_loss", "SoftMarginLoss", "hinge_embedding_loss", "HingeEmbeddingLoss"): (1, "sign"),
    ("margin_ranking_loss", "MarginRankingLoss", "cosine_embedding_loss", "CosineEmbeddingLoss"): (2, "sign"),
}
"""By the names of losses: the position of the checked argument, and its valid values. `BCELoss` itself refuses invalid
targets."""

_RULES = {name: rule for names, rule in _LOSSES.items() for name in names}


@finder(after=["find_softmax_twice"])
def find_loss_values(reading: Reading) -> Iterator[Finding]:
    """A warning for each loss with an argument that contains an invalid number."""
    lines = {finding.line for finding in reading.found_by("find_softmax_twice")}
    if not any(name in reading.trace.source for name in _RULES):
        return
    for call in reading.syntax.of(ast.Call):
        statement = reading.syntax.statement_around(call) if len(call.args) > 1 else None
        for step in reading.runs_of_statement.get(statement, [])[:MOST_RUNS] if statement is not None else ():
            name = called_by(Failure(reading, step, call), call.func)[0]
            found = _finding(reading, call, step, name) if name in _RULES else None
            if found is not None and found.line not in lines:
                yield found
                lines.add(found.line)
                break


def _finding(reading: Reading, call: ast.Call, step: Step, name: str) -> Finding | None:
    place, rule = _RULES[name]
    node = call.args[place] if place < len(call.args) else None
    after = reading.ended(step)
    given = None if node is None or isinstance(node, ast.Starred) else operand(reading, node, after)
    if given is None:
        return None
    value = _wrong(reading, given.tensor, after.began, rule)
    if value is None:
        return None
    arguments: Arguments = {
        "loss": name,
        "rule": rule,
        "given": clipped(given.text),
        "value": str(value),
    }
    return reading.finding("loss_values", [step.id], [given.tensor], arguments, severity="warning")


def _wrong(reading: Reading, tensor: TensorId, tick: Tick, rule: str) -> float | int | None:
    """The first number of a Tensor that violates the rule (a log-probability, a probability, or 1 and -1)."""
    shown = elements(reading.trace, tensor, tick)
    numbers = [each for each in shown if isinstance(each, int | float)] if isinstance(shown, list) else []
    for each in numbers:
        is_right = {"log": each <= _SLACK, "probability": 0 <= each <= 1 + _SLACK, "sign": each in (1, -1)}[rule]
        if not is_right:
            return each
    return None
