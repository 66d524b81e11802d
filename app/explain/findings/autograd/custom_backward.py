"""Finds a custom `autograd.Function` with a backward that does not fit the arguments that autograd passes or the values that
`forward` saved."""

import ast
from difflib import get_close_matches

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.autograd.custom_function import (
    LIKENESS,
    custom_finding,
    custom_function,
    method_of,
    respelled,
    spelled_like,
)
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import first_line, last_name
from app.explain.rewriting.fitting import with_behind
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import statements_before, with_keyword
from app.trace.query import value_at
from app.trace.records import GradFn, Node

_CONTEXT = ("saved_tensors", "needs_input_grad", "save_for_backward", "mark_dirty", "mark_non_differentiable", "to_save")
"""The attributes of `ctx` that autograd provides."""


_REFUSALS = ("TypeError", "AttributeError", "ValueError", "IndexError", "NotImplementedError", "RuntimeError")


@failure_finder(*_REFUSALS, after=["find_returned_gradient"])
def find_custom_backward(failure: Failure) -> list[Finding]:
    """An error for an exception that ended the run in a custom Function's backward or when autograd called this backward."""
    definition, method = _around(failure)
    if definition is not None and method is not None:
        return _within(failure, definition, method)
    return _of_node(failure) if backward_call(failure.piece) is not None else []


def is_once_differentiable(reading: Reading, node: Node | None) -> ast.ClassDef | None:
    """The custom Function of a Node, if its backward is marked `@once_differentiable`; else None."""
    definition = None if node is None else custom_function(reading, node.name.removesuffix("Backward"))
    backward = None if definition is None else method_of(definition, "backward")
    decorators = [] if backward is None else backward.decorator_list
    return definition if any(last_name(each) == "once_differentiable" for each in decorators) else None


def _around(failure: Failure) -> tuple[ast.ClassDef | None, ast.FunctionDef | None]:
    """The custom Function and its method in which the run ended; None for code elsewhere."""
    frame = None if failure.step.frame is None else failure.reading.trace.frames[failure.step.frame]
    owner, _, name = ("", "", "") if frame is None else frame.function.rpartition(".")
    definition = custom_function(failure.reading, owner.rpartition(".")[2])
    return definition, None if definition is None else method_of(definition, name)


# --- within the method --------------------------------------------------------------------------------------------------


def _within(failure: Failure, definition: ast.ClassDef, method: ast.FunctionDef) -> list[Finding]:
    context = method.args.args[0].arg if method.args.args else ""
    match failure.piece:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) as read if failure.step.name == "AttributeError":
            if name == context:
                return _attribute(failure, definition, read, attribute)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute) as read):
            if name == context and failure.step.name == "AttributeError":
                return _attribute(failure, definition, read, attribute)
        case ast.Tuple(elts=targets) | ast.List(elts=targets) if failure.step.name == "ValueError":
            return _unpacked(failure, definition, failure.piece, targets)
        case ast.Subscript(value=ast.Attribute(attr="needs_input_grad"), slice=ast.Constant(value=int(place))):
            return _needs(failure, definition, place)
    return _tuple(failure, definition, context)


def _attribute(failure: Failure, definition: ast.ClassDef, read: ast.Attribute, attribute: str) -> list[Finding]:
    """Finds a read of an attribute of `ctx` that neither autograd nor the class sets."""
    reading = failure.reading
    stored = {
        each.attr
        for each in reading.syntax.walk(definition)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
    if attribute in stored:
        return []
    similar = get_close_matches(attribute, [*_CONTEXT, *sorted(stored)], 1, LIKENESS)
    text = clipped(reading.syntax.text_of(read))
    if similar:
        owner = reading.syntax.text_of(read.value)
        fixes = [offer("spell_attribute", failure.replaced, read, f"{owner}.{similar[0]}")]
        arguments: Arguments = {"rule": "spelled", "text": text, "name": similar[0]}
        return custom_finding(failure, definition, arguments, fixes=fixes)
    forward = method_of(definition, "forward")
    has_setup = method_of(definition, "setup_context") is not None
    names = [] if forward is None or has_setup else [each.arg for each in forward.args.args]
    fixes = []
    if forward is not None and attribute in names[1:]:
        fixes.append(offer("keep_on_ctx", _kept, reading, forward, f"{names[0]}.{attribute} = {attribute}"))
    line = 0 if forward is None else forward.lineno
    arguments = {"rule": "unset", "text": text, "name": attribute if fixes else "none"}
    return custom_finding(failure, definition, arguments, fixes=fixes, line=line)


def _kept(reading: Reading, forward: ast.FunctionDef, statement: str) -> str | None:
    """Adds a statement such as `ctx.n = n` at the beginning of `forward`."""
    return statements_before(reading.trace.source, forward.body[0], [statement])


def _saving(reading: Reading, definition: ast.ClassDef) -> ast.Call | None:
    """The call of `save_for_backward` in a class; None if there is not exactly one."""
    calls = reading.syntax.calls_in(definition).get("save_for_backward", [])
    is_plain = len(calls) == 1 and not any(isinstance(each, ast.Starred) for each in calls[0].args)
    return calls[0] if is_plain else None


def _unpacked(failure: Failure, definition: ast.ClassDef, target: ast.expr, targets: list[ast.expr]) -> list[Finding]:
    """Finds `x, w = ctx.saved_tensors` if the number of saved tensors is not the number of names."""
    reading = failure.reading
    statement, saving = reading.syntax.statement_around(target), _saving(reading, definition)
    is_it = isinstance(statement, ast.Assign) and last_name(statement.value) == "saved_tensors"
    if not is_it or saving is None or len(saving.args) == len(targets) or any(isinstance(e, ast.Starred) for e in targets):
        return []
    saved = [reading.syntax.text_of(each) for each in saving.args]
    forward = method_of(definition, "forward")
    names = [] if forward is None else [each.arg for each in forward.args.args]
    wanted = [each.id for each in targets if isinstance(each, ast.Name)]
    missing = wanted[len(saved) :] if len(wanted) == len(targets) and wanted[: len(saved)] == saved else []
    fixes: Fixes = []
    if missing and all(each in names for each in missing):
        fixes.append(offer("save_also", with_keyword, reading.trace.source, saving, ", ".join(missing)))
    arguments: Arguments = {"rule": "unpacked", "text": clipped(reading.syntax.text_of(target).strip("()[]"))}
    arguments |= {"given": len(saved), "taken": len(targets), "names": clipped(", ".join(saved)) or "none"}
    return custom_finding(failure, definition, arguments, fixes=fixes, line=saving.lineno)


def _needs(failure: Failure, definition: ast.ClassDef, place: int) -> list[Finding]:
    """Finds `ctx.needs_input_grad[1]` if `forward` takes only one input."""
    forward = method_of(definition, "forward")
    if forward is None or forward.args.vararg or forward.args.defaults or failure.step.name != "IndexError":
        return []
    has_context = method_of(definition, "setup_context") is None
    names = [each.arg for each in (*forward.args.posonlyargs, *forward.args.args)][1 if has_context else 0 :]
    text = failure.reading.syntax.text_of(failure.piece) if isinstance(failure.piece, ast.expr) else ""
    arguments: Arguments = {"rule": "needs", "text": text, "given": len(names), "names": clipped(", ".join(names)) or "none"}
    return custom_finding(failure, definition, arguments, fixes=[], line=forward.lineno) if place >= len(names) else []


def _tuple(failure: Failure, definition: ast.ClassDef, context: str) -> list[Finding]:
    """Finds `x = ctx.saved_tensors`, which is a tuple, used as a tensor."""
    reading = failure.reading
    if failure.step.name not in ("TypeError", "AttributeError"):
        return []
    match failure.piece:
        case ast.BinOp(left=left, right=right):
            used = [left, right]
        case ast.Attribute(value=value) | ast.UnaryOp(operand=value):
            used = [value]
        case ast.Call(func=function, args=given):
            used = [*([function.value] if isinstance(function, ast.Attribute) else []), *given]
        case _:
            return []
    for node in used:
        held = reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
        defined = reading.defined_by(node.id, failure.step) if isinstance(node, ast.Name) and held is not None else None
        match defined[0] if defined is not None and held is not None and held.type == "tuple" else node:
            case ast.Assign(
                targets=[ast.Name() as target], value=ast.Attribute(value=ast.Name(id=owner), attr="saved_tensors")
            ):
                fix = offer("unpack_saved", with_behind, reading.trace.source, target, ",")
            case ast.Attribute(value=ast.Name(id=owner), attr="saved_tensors") as target:
                fix = offer("index_saved", with_behind, reading.trace.source, target, "[0]")
            case _:
                continue
        saving = _saving(reading, definition)
        fixes = [fix] if saving is not None and len(saving.args) == 1 else []
        arguments: Arguments = {"rule": "tuple", "text": clipped(reading.syntax.text_of(node)), "name": owner}
        line = target.lineno
        return custom_finding(failure, definition, arguments, fixes=fixes, line=line) if owner == context else []
    return []


# --- autograd's call of backward ----------------------------------------------------------------------------------------


def _of_node(failure: Failure) -> list[Finding]:
    """Finds a backward that is missing, takes the wrong number of gradients, or cannot be differentiated."""
    reading = failure.reading
    statement = reading.statement_of(failure.step.id)
    ran = [] if statement is None else reading.nodes_run.get(statement.id, [])
    node = reading.trace.nodes[ran[-1]] if ran else None
    if failure.step.name == "RuntimeError":
        return _once(failure, node) or _number(failure, node)
    definition = None if node is None else custom_function(reading, node.name.removesuffix("Backward"))
    if node is None or definition is None or len(definition.bases) != 1:
        return []
    backward = method_of(definition, "backward")
    if failure.step.name == "NotImplementedError" and backward is None and method_of(definition, "vjp") is None:
        written = spelled_like(definition, "backward")
        fixes: Fixes = [] if written is None else [offer("spell_method", respelled, reading, written, "backward")]
        arguments: Arguments = {"rule": "missing", "text": "backward", "name": "none" if written is None else written.name}
        line = definition.lineno if written is None else written.lineno
        return custom_finding(failure, definition, arguments, fixes=fixes, line=line)
    if failure.step.name != "TypeError" or backward is None or backward.args.vararg or backward.args.defaults:
        return []
    names = [each.arg for each in (*backward.args.posonlyargs, *backward.args.args)]
    if len(names) == len(node.inputs) + 1:
        return []
    arguments = {"rule": "gradients", "text": clipped(", ".join(names)) or "none", "given": len(node.inputs)}
    arguments["taken"] = len(names)
    return custom_finding(failure, definition, arguments, fixes=[], line=backward.lineno)


def _once(failure: Failure, stopped: Node | None) -> list[Finding]:
    """Finds a second derivative through a backward that is marked `@once_differentiable`."""
    reading, called = failure.reading, backward_call(failure.piece)
    named = [] if called is None else reading.first_named(called.roots[0], failure.step) if len(called.roots) == 1 else []
    root = next((tensor for _, tensor in named), None)
    maker = None if root is None else reading.statement_of(reading.trace.tensors[root].made_by)
    earlier = [] if maker is None else reading.nodes_run.get(maker.id, [])
    node = next((each for each in map(reading.trace.nodes.__getitem__, earlier) if is_once_differentiable(reading, each)), None)
    definition = is_once_differentiable(reading, node)
    grad_fn = None if root is None else value_at(reading.trace.tensors[root].grad_fn, failure.step.began)
    is_stopped = stopped is not None and stopped.name.endswith("::Error")
    is_cut = stopped is None and root is not None and not isinstance(grad_fn, GradFn)
    backward = None if definition is None else method_of(definition, "backward")
    if definition is None or backward is None or not (is_stopped or is_cut):
        return []
    marks = [each for each in backward.decorator_list if last_name(each) == "once_differentiable"]
    fixes = [offer("drop_once", _without_mark, reading, backward, marks[0])]
    return custom_finding(
        failure, definition, {"rule": "once"}, fixes=fixes, line=marks[0].lineno, made=None if maker is None else maker.id
    )


def _number(failure: Failure, node: Node | None) -> list[Finding]:
    """Finds a number that a backward returned instead of a gradient."""
    reading = failure.reading
    definition = None if node is None else custom_function(reading, node.name.removesuffix("Backward"))
    backward = None if definition is None else method_of(definition, "backward")
    returns = [each for each in reading.syntax.walk(backward) if isinstance(each, ast.Return)]
    value = returns[0].value if len(returns) == 1 else None
    for each in value.elts if isinstance(value, ast.Tuple) else [value]:
        match each:
            case ast.Constant(value=int() | float()) if definition is not None and not reading.found_by(
                "find_returned_gradient"
            ):
                arguments: Arguments = {"rule": "number", "text": clipped(reading.syntax.text_of(each))}
                return custom_finding(failure, definition, arguments, fixes=[], line=returns[0].lineno)
    return []


def _without_mark(reading: Reading, backward: ast.FunctionDef, mark: ast.expr) -> str | None:
    """The snippet without the line `@once_differentiable`."""
    lines = list(reading.syntax.lines)
    if lines[mark.lineno - 1].strip() != f"@{reading.syntax.text_of(mark)}" or first_line(backward) > mark.lineno:
        return None
    return with_replaced("\n".join([*lines[: mark.lineno - 1], *lines[mark.lineno :]]), [])
