"""Finds a hook of a module or a Parameter with parameters that do not fit the arguments that torch passes."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.findings.resolved import callee_of, method_of
from app.explain.reading.signatures import signature_of
from app.explain.rewriting.replacing import with_replaced

_GIVEN = {
    "register_forward_hook": ("module", "inputs", "output"),
    "register_forward_pre_hook": ("module", "inputs"),
    "register_full_backward_hook": ("module", "grad_input", "grad_output"),
    "register_full_backward_pre_hook": ("module", "grad_output"),
    "register_post_accumulate_grad_hook": ("param",),
}
"""The arguments with which torch calls each kind of hook."""

_IN_BACKWARD = (
    "register_full_backward_hook",
    "register_full_backward_pre_hook",
    "register_post_accumulate_grad_hook",
)


@failure_finder("TypeError")
def find_hook_refused(failure: Failure) -> list[Finding]:
    """An error if the run ended because torch called a hook with arguments that the hook does not accept."""
    piece = failure.piece
    return _misfit(failure, piece) if isinstance(piece, ast.Call) else []


def _misfit(failure: Failure, piece: ast.Call) -> list[Finding]:
    """Finds a registered function that does not accept the arguments of its kind of hook."""
    reading = failure.reading
    callee = callee_of(failure, piece)
    if callee is not None and (not callee.name.endswith(".forward") or callee.signature.misfit(piece)[0]):
        return []
    is_backward = isinstance(piece.func, ast.Attribute) and piece.func.attr in ("backward", "grad")
    for method, given in _GIVEN.items():
        for call in reading.syntax.ending_in(ast.Call, method):
            if (method in _IN_BACKWARD) != is_backward or not isinstance(call, ast.Call) or not call.args or call.keywords:
                continue
            statement = reading.syntax.statement_around(call)
            runs = reading.runs_of_statement.get(statement, []) if statement is not None else []
            function = _function(failure, call.args[0])
            if not runs or runs[0].began > failure.step.began or function is None:
                continue
            places, needed, is_open, line, name = function
            if needed <= len(given) <= places or (is_open and needed <= len(given)):
                continue
            arguments: Arguments = {
                "method": method,
                "name": clipped(name),
                "given": ", ".join(given),
                "expected": len(given),
                "taken": places,
                "hook_line": line,
            }
            fixes = _fixes(failure, call.args[0], given)
            return [reading.exception_finding("hook_refused", failure.step, [], arguments, fixes=fixes)]
    return []


def _definition(failure: Failure, node: ast.expr) -> tuple[ast.FunctionDef, int] | None:
    """The function of the snippet that is registered as a hook, and the number of its bound parameters (1 for a method)."""
    functions = failure.reading.syntax.of(ast.FunctionDef)
    match node:
        case ast.Name(id=name):
            found = [each for each in functions if each.name == name]
            return (found[0], 0) if len(found) == 1 and not found[0].decorator_list else None
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            methods = [
                method for each in failure.reading.syntax.of(ast.ClassDef) if (method := method_of(each, name)) is not None
            ]
            return (methods[0], 1) if len(methods) == 1 and not methods[0].decorator_list else None
    return None


def _function(failure: Failure, node: ast.expr) -> tuple[int, int, bool, int, str] | None:
    """How many arguments a hook accepts and requires, whether it accepts any number, its line, and its name."""
    if isinstance(node, ast.Lambda):
        count = len(node.args.args)
        return count, count - len(node.args.defaults), node.args.vararg is not None, node.lineno, "lambda"
    found = _definition(failure, node)
    if found is None:
        return None
    function, bound = found
    signature = signature_of(function, bound)
    return len(signature.places), len(signature.needed), signature.is_open, function.lineno, function.name


def _fixes(failure: Failure, node: ast.expr, given: tuple[str, ...]) -> Fixes:
    """Adds the missing parameter of a forward hook: `def save(module, output)` → `def save(module, inputs, output)`."""
    found = _definition(failure, node)
    if found is None or len(given) != 3 or len(found[0].args.args) - found[1] != 2 or found[0].args.defaults:
        return []
    function = found[0]
    last = function.args.args[-1].arg
    head = ast.get_source_segment(failure.reading.syntax.text, function) or ""
    begin, mark, rest = head.partition(")")
    at = begin.rfind(last)
    is_plain = at > 0 and mark == ")" and given[1] not in failure.reading.syntax.names_in(function)
    text = f"{begin[:at]}{given[1]}, {begin[at:]}{mark}{rest}"
    return [offer("take_inputs", with_replaced, failure.source, [(function, text)])] if is_plain else []
