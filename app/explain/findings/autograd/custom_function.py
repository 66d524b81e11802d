"""Finds a custom `autograd.Function` that is called or defined in a way that autograd does not support."""

import ast
from difflib import get_close_matches

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.mismatch import Failure, clipped, failure_of, function_of_torch, is_transformed
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Frame, Held, StepId

LIKENESS = 0.7
"""Similarity from which one name counts as a misspelling of another."""

_PASSED = ("forward", "setup_context")

_Edits = list[tuple[ast.expr | ast.stmt | ast.keyword, str]]


@finder()
def find_function_misused(reading: Reading) -> list[Finding]:
    """An error if the run ended because a custom Function was called or defined wrongly."""
    failure = failure_of(reading, "TypeError", "AttributeError", "RuntimeError", "NotImplementedError")
    if failure is None:
        return _under_transform(reading)
    return _constructed(failure) or _called_object(failure) or _of_apply(failure)


def custom_function(reading: Reading, name: str) -> ast.ClassDef | None:
    """The class with this name that derives from `autograd.Function`; None if the snippet defines the name more than once."""
    found = [each for each in reading.syntax.of(ast.ClassDef) if each.name == name]
    is_one = len(found) == 1 and any(last_name(base) == "Function" for base in found[0].bases)
    return found[0] if is_one else None


def method_of(definition: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """A method of a class; None if the class does not define it exactly once."""
    found = [each for each in definition.body if isinstance(each, ast.FunctionDef) and each.name == name]
    return found[0] if len(found) == 1 else None


def custom_finding(
    failure: Failure, definition: ast.ClassDef, arguments: Arguments, *, fixes: Fixes, line: int = 0, made: StepId | None = None
) -> list[Finding]:
    """A finding about a custom Function. `line` is the line within the class that caused the error."""
    told: Arguments = {
        "class": definition.name,
        "class_line": definition.lineno,
        "cause_line": line,
        "text": "",
        "name": "none",
        "names": "none",
        "given": 0,
        "taken": 0,
        **arguments,
    }
    reading = failure.reading
    is_here = line == reading.line_of(failure.step.id)
    makers = [] if is_here else [blamed_step(reading, line) if made is None else made]
    return [reading.exception_finding("custom_function", failure.step, [], told, fixes=fixes, makers=makers)]


def blamed_step(reading: Reading, line: int) -> StepId | None:
    """The last run of a statement that begins on a line; None if none ran."""
    runs = [
        run.id
        for statement in reading.syntax.on_line(line)
        if isinstance(statement, ast.stmt)
        for run in reading.runs_of_statement.get(statement, [])[-1:]
    ]
    return max(runs, default=None)


def respelled(reading: Reading, function: ast.FunctionDef, name: str) -> str | None:
    """`def foward(ctx, x)` → `def forward(ctx, x)`."""
    text = ast.get_source_segment(reading.syntax.text, function)
    if text is None or not text.startswith(f"def {function.name}"):
        return None
    return with_replaced(reading.trace.source, [(function, f"def {name}{text[len(function.name) + 4 :]}")])


def spelled_like(definition: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """A method with a name that looks like a misspelling of `name`."""
    methods = [each for each in definition.body if isinstance(each, ast.FunctionDef)]
    names = [each.name for each in methods if each.name not in (*_PASSED, "backward", "jvp", "vmap")]
    similar = get_close_matches(name, names, 1, LIKENESS)
    return next((each for each in methods if each.name in similar), None)


# --- an object of the class instead of a result -------------------------------------------------------------------------


def _constructed(failure: Failure) -> list[Finding]:
    """Finds `Square(x)` instead of `Square.apply(x)`: the object is used as if it were a tensor."""
    for node in _used(failure):
        call = _maker(failure, node)
        definition = custom_function(failure.reading, last_name(call)) if call is not None and call.args else None
        if call is None or definition is None or not isinstance(call.func, ast.Name):
            continue
        arguments: Arguments = {"rule": "constructed", "text": clipped(failure.reading.syntax.text_of(call))}
        fixes = [offer("call_apply", failure.replaced, call.func, f"{definition.name}.apply")]
        return custom_finding(failure, definition, arguments, fixes=fixes, line=call.lineno)
    return []


def _used(failure: Failure) -> list[ast.expr]:
    """The operands of the failed expression that must be tensors."""
    match failure.piece:
        case ast.Attribute(value=value):
            return [value]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=value) | ast.Subscript(value=value):
            return [value]
        case ast.Call(func=ast.Attribute(value=value)) if failure.step.name == "AttributeError":
            return [value]
        case ast.Call(func=function, args=given):
            is_torch = function_of_torch(failure.reading, function, failure.step)[1]
            return given if is_torch or isinstance(function, ast.Attribute) else []
    return []


def _maker(failure: Failure, node: ast.expr) -> ast.Call | None:
    """The call that created an object: the expression itself, or the call that was assigned to the variable."""
    if isinstance(node, ast.Call):
        return node
    held = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
    defined = failure.reading.defined_by(node.id, failure.step) if isinstance(node, ast.Name) and held is not None else None
    value = defined[0].value if defined is not None and isinstance(defined[0], ast.Assign) else None
    is_it = held is not None and held.kind == "object" and isinstance(value, ast.Call) and held.type == last_name(value)
    return value if is_it and isinstance(value, ast.Call) else None


def _called_object(failure: Failure) -> list[Finding]:
    """Finds a custom Function that is used like a module: `self.clip = Clip()` and later `self.clip(x)`."""
    match failure.piece:
        case ast.Call(func=ast.Name(id=name)):
            made = failure.reading.syntax.only_value(ast.Name, name)
        case ast.Call(func=ast.Attribute(attr=name)):
            made = failure.reading.syntax.only_value(ast.Attribute, name)
        case ast.Call(func=ast.Call() as made):
            pass
        case _:
            return []
    match made:
        case ast.Call(func=ast.Name(id=kind), args=given):
            definition = custom_function(failure.reading, kind) if failure.step.name == "RuntimeError" else None
            if definition is not None and isinstance(failure.piece, ast.Call):
                text = clipped(failure.reading.syntax.text_of(failure.piece.func))
                fixes: Fixes = [] if given else [offer("call_apply", failure.replaced, made, f"{kind}.apply")]
                return custom_finding(failure, definition, {"rule": "object", "text": text}, fixes=fixes, line=made.lineno)
    return []


# --- apply --------------------------------------------------------------------------------------------------------------


def _applied(reading: Reading, piece: ast.expr | ast.stmt) -> tuple[ast.ClassDef, str] | None:
    """The custom Function whose `apply` or `forward` a call uses, possibly through a variable, and the method's name."""
    function: ast.expr | None = piece.func if isinstance(piece, ast.Call) else None
    if isinstance(function, ast.Name):
        function = reading.syntax.only_value(ast.Name, function.id)
    elif isinstance(function, ast.Attribute) and function.attr not in ("apply", "forward"):
        function = reading.syntax.only_value(ast.Attribute, function.attr)
    match function:
        case ast.Attribute(value=ast.Name(id=name), attr="apply" | "forward" as attribute):
            definition = custom_function(reading, name)
            return None if definition is None else (definition, attribute)
    return None


def _of_apply(failure: Failure) -> list[Finding]:
    reading, piece = failure.reading, failure.piece
    applied = _applied(reading, piece)
    if applied is None or not isinstance(piece, ast.Call):
        return []
    definition, attribute = applied
    statement = reading.statement_of(failure.step.id)
    wanted = tuple(f"{definition.name}.{each}" for each in _PASSED)
    frames = [] if statement is None else list(reading.called_by(statement, failure.step))
    ran = [frame for frame in frames if frame.function.endswith(wanted)]
    forward = method_of(definition, "forward")
    if forward is None:
        return _without_forward(failure, definition) if failure.step.name == "NotImplementedError" else []
    if failure.step.name != "TypeError":
        return []
    return _saved(failure, definition, ran[-1]) if ran else _misfit(failure, definition, forward, piece, attribute)


def _without_forward(failure: Failure, definition: ast.ClassDef) -> list[Finding]:
    written = spelled_like(definition, "forward")
    is_read = any(isinstance(each, ast.FunctionDef) and each.name == "forward" for each in definition.body)
    if is_read or len(definition.bases) != 1:
        return []
    fixes: Fixes = [] if written is None else [offer("spell_method", respelled, failure.reading, written, "forward")]
    line = definition.lineno if written is None else written.lineno
    arguments: Arguments = {"rule": "missing", "text": "forward", "name": "none" if written is None else written.name}
    return custom_finding(failure, definition, {**arguments, "method": "forward"}, fixes=fixes, line=line)


def _misfit(
    failure: Failure, definition: ast.ClassDef, forward: ast.FunctionDef, piece: ast.Call, attribute: str
) -> list[Finding]:
    """Finds a `forward` with parameters that do not fit: `ctx`, unless there is a `setup_context`, and the arguments of `apply`."""
    written = forward.args
    is_plain = not (written.vararg or written.kwarg or written.kwonlyargs or piece.keywords)
    if not is_plain or any(isinstance(each, ast.Starred) for each in piece.args):
        return []
    names = [each.arg for each in (*written.posonlyargs, *written.args)]
    context = attribute == "apply" and method_of(definition, "setup_context") is None
    given, most = len(piece.args) + context, len(names)
    if most - len(written.defaults) <= given <= most:
        return []
    function = clipped(failure.reading.syntax.text_of(piece.func))
    arguments: Arguments = {"text": function, "names": clipped(", ".join(names)) or "none", "given": len(piece.args)}
    arguments |= {"rule": "arguments", "taken": most - context}
    fixes: Fixes = []
    if attribute == "forward":
        if given + 1 != most or not isinstance(piece.func, ast.Attribute):
            return []
        arguments["rule"] = "direct"
        fixes.append(offer("call_apply", failure.replaced, piece.func, f"{definition.name}.apply"))
        return custom_finding(failure, definition, arguments, fixes=fixes)
    if context and most == len(piece.args):
        arguments["rule"] = "no_context"
        fixes.append(offer("take_context", _with_context, failure.reading, forward))
    elif not context and most == len(piece.args) + 1 and names[0] in ("ctx", "self", "context"):
        arguments["rule"] = "both_contexts"
        fixes.append(offer("forward_without_context", _without_context, failure.reading, forward))
    return custom_finding(failure, definition, arguments, fixes=fixes, line=forward.lineno)


def _with_context(reading: Reading, forward: ast.FunctionDef) -> str | None:
    """`def forward(x)` → `def forward(ctx, x)`."""
    return _with_head(reading, forward, ["ctx", *(each.arg for each in forward.args.args)])


def _without_context(reading: Reading, forward: ast.FunctionDef) -> str | None:
    """`def forward(ctx, x)` → `def forward(x)`, if its body does not use `ctx`."""
    first, *rest = (each.arg for each in forward.args.args)
    is_used = any(first in reading.syntax.names_in(each) for each in forward.body)
    return None if is_used else _with_head(reading, forward, rest)


def _with_head(reading: Reading, function: ast.FunctionDef, names: list[str]) -> str | None:
    """The snippet with other parameters for a function; None if the old parameters are not plain names."""
    text = ast.get_source_segment(reading.syntax.text, function) or ""
    written = ", ".join(each.arg for each in function.args.args)
    old, new = f"def {function.name}({written})", f"def {function.name}({', '.join(names)})"
    return with_replaced(reading.trace.source, [(function, new + text[len(old) :])]) if text.startswith(old) else None


# --- saved values -------------------------------------------------------------------------------------------------------


def _saved(failure: Failure, definition: ast.ClassDef, frame: Frame) -> list[Finding]:
    """Finds `ctx.save_for_backward(x, 2)`. Torch checks these values only after `forward` has returned."""
    reading = failure.reading
    function = method_of(definition, frame.function.split(".")[-1])
    calls = [] if function is None else reading.syntax.calls_in(function).get("save_for_backward", [])
    body = reading.statements_in.get(frame.id, [])
    if function is None or len(calls) != 1 or not body:
        return []
    for node in calls[0].args:
        held = reading.held(node.id, reading.ended(body[-1])) if isinstance(node, ast.Name) else None
        kind = _kind(held, node)
        if kind:
            text = clipped(reading.syntax.text_of(node))
            arguments: Arguments = {"rule": "saved", "text": text, "name": kind}
            fixes = [offer("keep_on_ctx", _kept, reading, definition, calls[0], node)] if isinstance(node, ast.Name) else []
            return custom_finding(failure, definition, arguments, fixes=fixes, line=calls[0].lineno)
    return []


def _kind(held: Held | None, node: ast.expr) -> str:
    """The Python type of a value that is not a tensor; "" for a tensor, None, or an unknown value."""
    match node:
        case ast.Constant(value=value) if value is not None:
            return type(value).__name__
        case ast.List() | ast.Tuple():
            return "list" if isinstance(node, ast.List) else "tuple"
        case ast.Call(func=ast.Name(id="len" | "int" | "float" | "str" as name)):
            return "int" if name == "len" else name
        case ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="size"), args=[]):
            return "torch.Size"
    is_plain = held is not None and held.kind in ("value", "collection", "array") and held.type != "NoneType"
    return held.type if is_plain and held is not None else ""


def _kept(reading: Reading, definition: ast.ClassDef, call: ast.Call, node: ast.Name) -> str | None:
    """`ctx.save_for_backward(x, n)` → `ctx.save_for_backward(x)` and `ctx.n = n`, which the backward reads."""
    context = call.func.value if isinstance(call.func, ast.Attribute) else None
    saving = reading.syntax.statement_around(call)
    backward = method_of(definition, "backward")
    reads = [
        each
        for each in reading.syntax.walk(backward)
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Attribute) and each.value.attr == "saved_tensors"
    ]
    if not isinstance(context, ast.Name) or not isinstance(saving, ast.Expr) or len(reads) != 1:
        return None
    place, rest = call.args.index(node), [each for each in call.args if each is not node]
    match reads[0]:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Attribute(value=ast.Name(id=read))) if len(targets) == len(
            call.args
        ) and all(isinstance(each, ast.Name) for each in targets):
            names = [each.id for each in targets if isinstance(each, ast.Name)]
        case _:
            return None
    others = [each for at, each in enumerate(names) if at != place]
    saved = [f"{context.id}.save_for_backward({', '.join(map(reading.syntax.text_of, rest))})"] if rest else []
    taken = [f"{', '.join(others)}{',' if len(others) == 1 else ''} = {read}.saved_tensors"] if others else []
    edits: _Edits = [
        (saving, f"\n{' ' * saving.col_offset}".join([*saved, f"{context.id}.{node.id} = {node.id}"])),
        (reads[0], f"\n{' ' * reads[0].col_offset}".join([*taken, f"{names[place]} = {read}.{node.id}"])),
    ]
    return with_replaced(reading.trace.source, edits)


# --- torch.func ---------------------------------------------------------------------------------------------------------


def _under_transform(reading: Reading) -> list[Finding]:
    """Finds a Function that `torch.func` refuses, because it has no `setup_context`."""
    step = reading.fatal
    piece = None if step is None or step.name != "RuntimeError" else reading.node_at(step.span)
    applied = None if piece is None else _applied(reading, piece)
    if step is None or applied is None or not isinstance(piece, ast.expr) or not is_transformed(reading, step):
        return []
    if applied[1] != "apply":
        return []
    definition = applied[0]
    if method_of(definition, "forward") is None or method_of(definition, "setup_context") is not None:
        return []
    arguments: Arguments = {"rule": "setup", "text": clipped(reading.syntax.text_of(piece))}
    forward = method_of(definition, "forward")
    line = definition.lineno if forward is None else forward.lineno
    return custom_finding(Failure(reading, step, piece), definition, arguments, fixes=[], line=line)
