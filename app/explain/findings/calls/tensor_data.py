"""Finds data that cannot become a tensor: strings, rows of different lengths, None, an array of objects or with negative
strides."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.syntax import last_name
from app.explain.rewriting.fitting import with_behind
from app.trace.records import Held, Step

_MAKERS = ("tensor", "as_tensor", "asarray", "Tensor", "FloatTensor", "LongTensor", "from_numpy")
_FLIPS = ("flip", "fliplr", "flipud", "rot90")
_MOST_ITEMS = 1_000
_DEPTH = 20

_RAISED = {"words": ("ValueError", "TypeError"), "nothing": ("RuntimeError", "TypeError"), "ragged": ("ValueError",)}
"""The exceptions that torch raises for each rule."""

_UNKNOWN = object()


class _Data:
    """The known value of an expression, and the line of its source."""

    def __init__(self, value: object, line: int) -> None:
        self.value = value
        self.line = line


@failure_finder("ValueError", "TypeError", "RuntimeError")
def find_tensor_data(failure: Failure) -> list[Finding]:
    """An error if the run ended because data could not be converted to a tensor."""
    reading = failure.reading
    name, nodes = failure.called
    if name not in _MAKERS or not nodes or (failure.keyword("dtype") is not None and name == "from_numpy"):
        return []
    given = nodes[0]
    held = reading.held(given.id, failure.step) if isinstance(given, ast.Name) else None
    if held is not None and held.kind == "array":
        return _of_array(failure, given, held)
    data = _known(failure, given, failure.step, _DEPTH)
    rule, told = _fault(data.value)
    if failure.step.name not in _RAISED.get(rule, ()):
        return []
    arguments: Arguments = {**_NOTHING, **told, "rule": rule, "text": clipped(reading.syntax.text_of(given)), "function": name}
    return [_finding(failure, arguments, data.line, [])]


_NOTHING: Arguments = {"item": "none", "row": 0, "size": 0, "first": 0}


def _finding(failure: Failure, arguments: Arguments, line: int, fixes: Fixes) -> Finding:
    reading = failure.reading
    is_here = line == (reading.line_of(failure.step.id) or 0)
    runs = [
        run
        for statement in reading.syntax.on_line(line)
        if isinstance(statement, ast.stmt)
        for run in reading.runs_of_statement.get(statement, [])[-1:]
        if run.began < failure.step.began
    ]
    makers = [] if is_here else [run.id for run in runs[:1]]
    told: Arguments = {**arguments, "data_line": 0 if is_here else line}
    return reading.exception_finding("tensor_data", failure.step, [], told, fixes=fixes, makers=makers)


# --- arrays -------------------------------------------------------------------------------------------------------------


def _of_array(failure: Failure, given: ast.expr, held: Held) -> list[Finding]:
    reading = failure.reading
    defined = reading.defined_by(given.id, failure.step) if isinstance(given, ast.Name) else None
    made = defined[0].value if defined is not None and isinstance(defined[0], ast.Assign) else None
    line = 0 if made is None else made.lineno
    arguments: Arguments = {**_NOTHING, "text": clipped(reading.syntax.text_of(given)), "function": failure.called[0]}
    kind = (held.text or "").rpartition(" ")[2]
    if failure.step.name == "TypeError" and kind.startswith(("object", "<U", "str")):
        return [_finding(failure, {**arguments, "rule": "objects", "item": kind}, line, [])]
    is_flipped = made is not None and (_is_backwards(made) or last_name(made) in _FLIPS)
    if failure.step.name == "ValueError" and is_flipped:
        fixes = [offer("copy_array", with_behind, reading.trace.source, given, ".copy()")]
        return [_finding(failure, {**arguments, "rule": "strides"}, line, fixes)]
    return []


def _is_backwards(node: ast.expr) -> bool:
    """Whether an expression contains a slice with a negative step: `a[::-1]`, `a[0, ::-1]`."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    for each in index.elts if isinstance(index, ast.Tuple) else [index]:
        match each:
            case ast.Slice(step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant())):
                return True
    return False


# --- lists --------------------------------------------------------------------------------------------------------------


def _known(failure: Failure, node: ast.expr, step: Step, deep: int) -> _Data:
    """The value of an expression, from its recorded text or from the snippet's literals."""
    reading = failure.reading
    if not deep:
        return _Data(_UNKNOWN, node.lineno)
    match node:
        case ast.Constant(value=value):
            return _Data(value, node.lineno)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return _Data(-value, node.lineno)
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) < _MOST_ITEMS:
            found = [_known(failure, each, step, deep - 1) for each in items]
            bad = next((each for each in found if each.value is None or isinstance(each.value, str)), None)
            return _Data([each.value for each in found], node.lineno if bad is None else bad.line)
        case ast.Subscript(value=owner, slice=ast.Constant(value=key)):
            data = _known(failure, owner, step, deep - 1)
            try:
                return _Data(data.value[key], data.line)  # type: ignore[index]
            except (TypeError, KeyError, IndexError):
                return _Data(_UNKNOWN, node.lineno)
        case ast.Name(id=name):
            held = reading.held(name, step)
            source = _source(failure, name, step)
            line = node.lineno if source is None else source[0].lineno
            written = _written(held)
            is_open = (
                held is None or held.kind == "collection"
            )  # arguments are not recorded before the first statement of their function ends
            if written is _UNKNOWN and source is not None and is_open:
                return _known(failure, source[0], source[1], deep - 1)
            return _Data(written, line if source is None else _known_line(failure, source, deep))
        case ast.Dict(keys=keys, values=values) if all(isinstance(each, ast.Constant) for each in keys):
            names = [each.value for each in keys if isinstance(each, ast.Constant)]
            return _Data(
                dict(zip(names, (_known(failure, each, step, deep - 1).value for each in values), strict=True)), node.lineno
            )
    return _Data(_UNKNOWN, node.lineno)


def _known_line(failure: Failure, source: tuple[ast.expr, Step], deep: int) -> int:
    """The line of the literal that a variable's value comes from, also if it was passed through variables and arguments."""
    node, step = source
    while isinstance(node, ast.Name) and deep:
        further = _source(failure, node.id, step)
        if further is None:
            break
        (node, step), deep = further, deep - 1
    return node.lineno


def _written(held: Held | None) -> object:
    """The value of a recorded number, string or collection; unknown if its text was cut."""
    if held is None or held.text is None or held.kind not in ("value", "collection") or "…" in held.text:
        return _UNKNOWN
    try:
        return ast.literal_eval(held.text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _source(failure: Failure, name: str, step: Step) -> tuple[ast.expr, Step] | None:
    """The expression of a variable's value: from the last assignment, or from the call of the variable's function."""
    reading = failure.reading
    defined = reading.defined_by(name, step)
    if defined is not None:
        statement, ran = defined
        is_plain = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
        return (statement.value, ran) if is_plain and isinstance(statement, ast.Assign) else None
    frame = None if step.frame is None else reading.trace.frames[step.frame]
    caller = None if frame is None else reading.callers.get(frame.id)
    within = reading.statement_of(caller)
    functions = [] if frame is None else reading.syntax.functions_at(frame.line)
    calls = reading.syntax.calls_in(reading.statement_at(within)).get(functions[0].name, []) if len(functions) == 1 else []
    if frame is None or within is None or len(calls) != 1 or calls[0].keywords:
        return None
    call = calls[0]
    names = [each.arg for each in functions[0].args.args]
    place = names.index(name) - (names[:1] == ["self"]) if name in names else -1
    is_plain = 0 <= place < len(call.args) and not any(isinstance(each, ast.Starred) for each in call.args)
    return (call.args[place], within) if is_plain else None


def _fault(value: object) -> tuple[str, Arguments]:
    """Why a list cannot become a tensor, and the message's arguments; "" if no reason is known."""
    if value is None:
        return "nothing", {}
    if not isinstance(value, list | tuple):
        return ("words", {"item": clipped(repr(value))}) if isinstance(value, str) else ("", {})
    pending: list[object] = [value]
    while pending:
        each = pending.pop(0)
        if isinstance(each, list | tuple) and len(pending) < _MOST_ITEMS:
            pending.extend(each)
        elif isinstance(each, str):
            return "words", {"item": clipped(repr(each))}
        elif each is None:
            return "nothing", {}
    sizes = [len(each) if isinstance(each, list | tuple) else -1 for each in value]
    row = next((at for at, size in enumerate(sizes) if size != sizes[0]), 0)
    if row and sizes[0] >= 0 and sizes[row] >= 0 and _UNKNOWN not in value:
        return "ragged", {"row": row, "size": sizes[row], "first": sizes[0]}
    return "", {}
