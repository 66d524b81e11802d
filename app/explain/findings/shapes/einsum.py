"""Finds `einsum` subscripts that do not match their operands: a letter with two sizes, or the wrong number of letters."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, clipped, failure_finder
from app.explain.reading.shapes import Operand


@failure_finder(*REFUSED_SHAPES)
def find_einsum_mismatch(failure: Failure) -> list[Finding]:
    """An error for the first subscript that does not match its operand."""
    terms, operands = _operands(failure)
    if not terms or len(terms) != len(operands):
        return []
    for term, each in zip(terms, operands, strict=True):
        if len(term) != len(each.shape):
            arguments: Arguments = {"rule": "count", "term": clipped(term), "letters": len(term), "dimensions": len(each.shape)}
            told = {**failure.told(each, "left"), **failure.told(each, "right")}
            return [failure.single_finding("einsum_mismatch", [each], {**told, **arguments})]
    seen: dict[str, tuple[Operand, int]] = {}
    for term, each in zip(terms, operands, strict=True):
        for at, letter in enumerate(term):
            first, first_at = seen.setdefault(letter, (each, at))
            one, other = first.shape[first_at], each.shape[at]
            is_repeated = first is each and first_at != at
            if one != other and (is_repeated or 1 not in (one, other)):
                arguments = {
                    "rule": "repeated" if is_repeated else "size",
                    "letter": letter,
                    "left_at": first_at,
                    "right_at": at,
                    "left_size": one,
                    "right_size": other,
                }
                return [failure.finding("einsum_mismatch", first, each, arguments)]
            if one == 1 and not is_repeated:  # size 1 is broadcast, so the next operand determines the size
                seen[letter] = each, at
    return _result(failure, terms, operands)


def _result(failure: Failure, terms: list[str], operands: list[Operand]) -> list[Finding]:
    """Finds a letter in the equation's result that does not occur in the subscripts of any operand."""
    name, nodes = failure.called
    equation = nodes[0].value if name == "einsum" and isinstance(nodes[0], ast.Constant) else ""
    result = str(equation).replace(" ", "").partition("->")[2]
    letter = next((each for each in result if each not in "".join(terms)), None)
    if letter is None or not operands:
        return []
    told = {**failure.told(operands[0], "left"), **failure.told(operands[0], "right")}
    arguments: Arguments = {"rule": "result", "letter": letter, "term": clipped(",".join(terms))}
    return [failure.single_finding("einsum_mismatch", operands, {**told, **arguments})]


def _operands(failure: Failure) -> tuple[list[str], list[Operand]]:
    """The letters of each operand, and the operands; empty if the equation is not a literal or has an ellipsis."""
    name, nodes = failure.called
    match nodes:
        case [ast.Constant(value=str(equation)), *given] if name == "einsum" and "." not in equation:
            only = given[0] if len(given) == 1 else None
            written = only.elts if isinstance(only, ast.List | ast.Tuple) else given
            terms = equation.replace(" ", "").partition("->")[0].split(",")
            return terms, [] if any(isinstance(each, ast.Starred) for each in written) else failure.operands(written)
    return [], []
