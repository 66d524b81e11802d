"""Finds arguments and results that the transforms of `torch.func` refuse: a result that is not a scalar, different sizes,
numbers instead of tensors."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.autograd.custom_function import blamed_step
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand, operand
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import with_keyword

_SCALAR = ("grad", "grad_and_value")
_PAIRED = ("jvp",)
_FUNCTIONAL = ("jacobian", "hessian", "jacrev", "jacfwd", "vmap")

_NOTHING: Arguments = {"text": "none", "name": "none", "item": "none", "cause_line": 0, "right": "none", "left_size": 0}


@failure_finder("RuntimeError", "ValueError", "TypeError", "AttributeError", "KeyError")
def find_func_refused(failure: Failure) -> list[Finding]:
    """An error if the run ended because a transform of `torch.func` refused a call."""
    if not isinstance(failure.piece, ast.Call):
        return []
    name, is_torch = function_of_torch(failure.reading, failure.piece.func, failure.step)
    if is_torch and name in _PAIRED:
        return _pair(failure, failure.piece, name)
    if is_torch and name == "functional_call":
        return _names(failure, failure.piece) if failure.step.name in ("AttributeError", "KeyError") else []
    if is_torch and name in _FUNCTIONAL and failure.piece.args:
        return _functional(failure, failure.piece, name)
    transform = _transform(failure, failure.piece.func)
    name = "" if transform is None else function_of_torch(failure.reading, transform.func, failure.step)[0]
    if transform is None or not transform.args:
        return []
    found = _not_scalar(failure, transform.args[0], name) if name in _SCALAR and failure.step.name == "RuntimeError" else []
    if found or name in (*_SCALAR, "jacrev", "jacfwd", "hessian"):
        return found or _argument(failure, failure.piece, transform, name)
    return _mapped(failure, failure.piece, transform) if name == "vmap" and failure.step.name == "ValueError" else []


def _functional(failure: Failure, piece: ast.Call, name: str) -> list[Finding]:
    """Finds `jacobian(f(x), x)`, where the function itself is needed, and `hessian(f, x)` if `f` returns several values."""
    first = piece.args[0]
    if failure.step.name == "TypeError" and failure.operand(first) is not None:
        fixes: Fixes = []
        if isinstance(first, ast.Call) and isinstance(first.func, ast.Name):
            fixes.append(offer("pass_function", failure.replaced, first, first.func.id))
        text = clipped(failure.reading.syntax.text_of(first))
        return _finding(failure, {"rule": "called", "name": name, "text": text}, [], fixes)
    is_second = name == "hessian" and len(piece.args) > 1 and failure.step.name == "RuntimeError"
    return _not_scalar(failure, first, name) if is_second else []


def _argument(failure: Failure, piece: ast.Call, transform: ast.Call, name: str) -> list[Finding]:
    """Finds `grad(f)(1.0)`, and `grad(f)(x)` with integers."""
    if len(transform.args) > 1 or any(each.arg == "argnums" for each in transform.keywords) or not piece.args:
        return []
    first = piece.args[0]
    text = ast.get_source_segment(failure.reading.syntax.text, first) or ""
    held = failure.reading.held(first.id, failure.step) if isinstance(first, ast.Name) else None
    is_number = isinstance(first, ast.Constant) and isinstance(first.value, int | float)
    if is_number or (held is not None and held.type in ("int", "float")):
        given = f"float({text})" if held is not None and held.type == "int" else text
        given = f"{text}.0" if isinstance(first, ast.Constant) and type(first.value) is int else given
        fixes = [offer("number_as_tensor", failure.replaced, first, f"torch.tensor({given})")]
        return _finding(failure, {"rule": "argument", "name": name, "text": clipped(text)}, [], fixes)
    known = failure.operand(first)
    if known is None or not known.dtype.startswith(("int", "uint", "bool")) or failure.step.name != "RuntimeError":
        return []
    fixes = [offer("convert_to_float", failure.with_method, first, "float")]
    return _finding(failure, {"rule": "integers", "name": name}, [known], fixes)


def _transform(failure: Failure, function: ast.expr) -> ast.Call | None:
    """The call `grad(f)` in `grad(f)(x)`, also if a variable holds its result."""
    made = failure.reading.syntax.only_value(ast.Name, function.id) if isinstance(function, ast.Name) else function
    return made if isinstance(made, ast.Call) else None


def _finding(
    failure: Failure, arguments: Arguments, operands: list[Operand], fixes: Fixes, sides: tuple[str, ...] = ("left", "right")
) -> list[Finding]:
    told = {key: value for side, each in zip(sides, operands, strict=False) for key, value in failure.told(each, side).items()}
    shown: Arguments = {"left": "none", "left_shape": "", "left_line": 0, "left_from": "made", "right_line": 0}
    everything = {**_NOTHING, **shown, "right_shape": "", "right_from": "made", "right_size": 0, **told, **arguments}
    reading, line = failure.reading, int(arguments.get("cause_line", 0))
    makers = [blamed_step(reading, line)] if line else [each.maker for each in operands]
    tensors = [each.tensor for each in operands]
    return [reading.exception_finding("func_refused", failure.step, tensors, everything, fixes=fixes, makers=makers)]


def _not_scalar(failure: Failure, function: ast.expr, name: str) -> list[Finding]:
    """Finds a function that returned more than one value."""
    reading = failure.reading
    statement = reading.statement_of(failure.step.id)
    frames = [] if statement is None else list(reading.called_by(statement, failure.step))
    if not isinstance(function, ast.Name) or not frames or frames[-1].function.split(".")[-1] != function.id:
        return []
    body = reading.statements_in.get(frames[-1].id, [])
    last = reading.statement_at(body[-1]) if body else None
    value = last.value if isinstance(last, ast.Return) else None
    match value:
        case ast.Tuple():
            return []
        case ast.expr():
            returned = operand(reading, value, reading.ended(body[-1]))
        case _:
            return []
    if returned is None or not returned.shape:
        return []
    arguments: Arguments = {"rule": "scalar", "name": name, "text": function.id, "cause_line": value.lineno}
    return _finding(failure, {**arguments, "item": str(returned.shape)}, [returned], [])


def _mapped(failure: Failure, piece: ast.Call, transform: ast.Call) -> list[Finding]:
    """Finds `vmap(f)(xs, ys)` with different sizes, or with a number."""
    reading = failure.reading
    beyond = _in_dim(failure, piece, transform)
    if beyond:
        return beyond
    if len(transform.args) > 1 or any(each.arg == "in_dims" for each in transform.keywords) or piece.keywords:
        return []
    known: list[Operand] = []
    numbers: list[int] = []
    for at, each in enumerate(piece.args):
        found = failure.operand(each)
        held = reading.held(each.id, failure.step) if isinstance(each, ast.Name) else None
        is_number = isinstance(each, ast.Constant) or (held is not None and held.type in ("int", "float"))
        numbers += [at] if found is None and is_number else []
        known += [] if found is None else [found]
    text = clipped(reading.syntax.text_of(transform))
    if numbers and len(known) + len(numbers) == len(piece.args):
        dims = ", ".join("None" if at in numbers else "0" for at in range(len(piece.args)))
        keyword = f"in_dims=({dims}{',' if len(piece.args) == 1 else ''})"
        fixes = [offer("in_dims", with_keyword, reading.trace.source, transform, keyword)] if known else []
        number = clipped(reading.syntax.text_of(piece.args[numbers[0]]))
        return _finding(failure, {"rule": "number", "name": number, "text": text, "item": keyword}, [], fixes)
    bare = next((each for each in known if not each.shape), None)
    if bare is not None:
        return _finding(failure, {"rule": "no_dimension", "text": text}, [bare], [])
    other = next((each for each in known[1:] if each.shape[0] != known[0].shape[0]), None)
    if other is None:
        return []
    sizes: Arguments = {"left_size": known[0].shape[0], "right_size": other.shape[0]}
    return _finding(failure, {"rule": "sizes", "text": text, **sizes}, [known[0], other], [])


def _in_dim(failure: Failure, piece: ast.Call, transform: ast.Call) -> list[Finding]:
    """Finds `vmap(f, in_dims=1)(x)` if `x` has no dimension 1."""
    written = next((each.value for each in transform.keywords if each.arg == "in_dims"), None)
    place = integer(failure.reading, written, failure.step) if written is not None else None
    known = [failure.operand(each) for each in piece.args] if place is not None else []
    for each in known:
        if each is not None and place is not None and not -len(each.shape) <= place < len(each.shape):
            text = clipped(failure.reading.syntax.text_of(transform))
            return _finding(failure, {"rule": "in_dim", "text": text, "item": str(place)}, [each], [])
    return []


def _pair(failure: Failure, piece: ast.Call, name: str) -> list[Finding]:
    """Finds `jvp(f, x, v)`, where tuples are needed."""
    given = piece.args[1:3]
    bare = [each for each in given if failure.operand(each) is not None]
    if not bare or failure.step.name not in ("RuntimeError", "ValueError"):
        return []
    texts = [ast.get_source_segment(failure.reading.syntax.text, each) for each in bare]
    wrapped = [(each, f"({text},)") for each, text in zip(bare, texts, strict=True)]
    fixes = [offer("as_tuples", with_replaced, failure.source, wrapped)]
    text = clipped(failure.reading.syntax.text_of(bare[0]))
    return _finding(failure, {"rule": "tuple", "name": name, "text": text}, [], fixes)


def _names(failure: Failure, piece: ast.Call) -> list[Finding]:
    """Finds `functional_call(model, params, …)` with a name that the model does not have."""
    reading, step = failure.reading, failure.step
    match piece.args:
        case [ast.Name(id=model), ast.Name(id=given), *_]:
            pass
        case _:
            return []
    owned = [_key(name.path.removeprefix(model)) for name in reading.names_through(model, step.frame)]
    held = reading.names_through(given, step.frame)
    paths = [name.path.removeprefix(given) for name in held if reading.tensor_at(name, step.began) is not None]
    keys = [path[2:-2] for path in paths if path.startswith(("['", '["'))]
    unknown = next((key for key in keys if key not in owned), None)
    near = next((each for each in owned if unknown is not None and unknown.endswith(each)), owned[0] if owned else "")
    if unknown is None or not owned:
        return []
    defined = reading.defined_by(given, step)
    line = 0 if defined is None else defined[0].lineno
    arguments: Arguments = {"rule": "names", "text": given, "name": unknown, "item": near, "cause_line": line, "right": model}
    fixes: Fixes = []
    match defined[0] if defined is not None else None:
        case ast.Assign(
            value=ast.DictComp(
                key=ast.BinOp(left=ast.Constant(value=str(prefix)), op=ast.Add(), right=ast.Name(id=key)) as written
            )
        ) if all(each.removeprefix(prefix) in owned for each in keys):
            fixes.append(offer("own_names", failure.replaced, written, key))
    return _finding(failure, arguments, [], fixes)


def _key(path: str) -> str:
    """Converts a path to a name as in `named_parameters()`: `[0].weight` → `0.weight`, `.fc.weight` → `fc.weight`."""
    return path.replace("[", ".").replace("]", "").lstrip(".")
