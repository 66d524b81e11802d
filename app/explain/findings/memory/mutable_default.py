"""Finds default arguments that carry tensors from call to call: `def f(x, history=[])`, `def f(x, state=torch.zeros(2))`."""

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import changes
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import if_python, lines_of, normal
from app.explain.reading.syntax import Syntax, first_line
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import END
from app.trace.records import Frame, StepId, TensorId, Tick

MOST_CALLS = 100
"""Maximum number of calls of one function without the argument that are searched for values of an earlier call."""

MOST_FRAMES = 1_000
"""Maximum number of calls of one function that are examined."""


@dataclass(frozen=True, slots=True)
class _Default:
    """The default of one parameter, and the position of its argument in a call (None: keyword only)."""

    function: ast.FunctionDef
    called: str
    parameter: str
    place: int | None
    value: ast.expr


@finder()
def find_mutable_default(reading: Reading) -> Iterator[Finding]:
    """A hint for each parameter with a mutable default, if a call found values that an earlier call had stored in the default."""
    frames: dict[int, list[Frame]] = defaultdict(list)
    defaults = _defaults(reading.syntax)
    for frame in reading.trace.frames if defaults else []:
        frames[frame.line].append(frame)
    for default in defaults:
        called = islice(frames.get(first_line(default.function), []), MOST_FRAMES)
        calls = list(islice((frame for frame in called if _leaves_out(reading, frame, default)), MOST_CALLS))
        met = _met(reading, calls, default.parameter)
        if met is not None:
            yield _finding(reading, default, *met)


def _defaults(syntax: Syntax) -> list[_Default]:
    """Mutable defaults. A default is created once, when `def` runs."""
    found = []
    owners = {id(inner): node.name for node in syntax.of(ast.ClassDef) for inner in node.body}
    for node in syntax.of(ast.FunctionDef):
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        called = owners.get(id(node), node.name) if node.name == "__init__" else node.name
        bound = 1 if id(node) in owners else 0
        first = len(names) - len(node.args.defaults)
        for place, value in enumerate(node.args.defaults, start=first):
            found.append(_Default(node, called, names[place], place - bound, value))
        for argument, given in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if given is not None:
                found.append(_Default(node, called, argument.arg, None, given))
    changeable = [default for default in found if isinstance(default.value, ast.List | ast.Dict | ast.Call)]
    asked = {function: _asked(syntax, function) for function in dict.fromkeys(default.function for default in changeable)}
    return [default for default in changeable if default.parameter not in asked[default.function]]


def _asked(syntax: Syntax, function: ast.FunctionDef) -> set[str]:
    """The variables whose contents a function tests (`if n in cache`), and which therefore keep values on purpose."""
    return {
        each.id
        for node in syntax.walk(function)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
        for each in node.comparators
        if isinstance(each, ast.Name)
    }


def _leaves_out(reading: Reading, frame: Frame, default: _Default) -> bool:
    """Whether the statement that made a call passes no argument for the parameter."""
    caller = reading.callers.get(frame.id)
    statement = reading.statement_ran_by(caller)
    of_it = reading.syntax.calls_in(statement).get(default.called, [])
    return bool(of_it) and not any(
        any(isinstance(argument, ast.Starred) for argument in call.args)
        or any(keyword.arg in (None, default.parameter) for keyword in call.keywords)
        or (default.place is not None and len(call.args) > default.place)
        for call in of_it
    )


def _met(reading: Reading, calls: list[Frame], parameter: str) -> tuple[Frame, StepId | None, TensorId, str] | None:
    """The first call that found values of an earlier call in the default: the call, the step that stored the values, the
    tensor, and its path."""
    began = [call.began for call in calls]
    ended = list(accumulate((END if call.ended is None else call.ended for call in calls), max))

    def is_during_earlier(number: int, tick: Tick) -> bool:
        """Whether a call before call `number` was running at a tick."""
        place = min(number, bisect_left(began, tick))
        return place > 0 and tick <= ended[place - 1]

    for number, call in enumerate(calls):
        for path, tensor in _given(reading, call, parameter):
            facts = reading.trace.tensors[tensor]
            if is_during_earlier(number, facts.born):
                return (call, facts.made_by, tensor, path) if path != parameter else None
            written = changes(reading, reading.geometry_at(tensor, call.began), calls[0].began, call.began)
            write = next((write for write in written if is_during_earlier(number, write.tick)), None)
            if write is not None:
                return call, write.step, tensor, parameter
    return None


def _given(reading: Reading, call: Frame, parameter: str) -> list[tuple[str, TensorId]]:
    """The tensors in the argument of a parameter when a call began, with their paths."""
    names = [reading.name_in(call.id, parameter), *reading.names_through(parameter, call.id)]
    firsts = [(name.path, name.tensor[0][1]) for name in names if name is not None and name.tensor]
    return [
        (path, tensor) for path, tensor in firsts if tensor is not None and reading.trace.tensors[tensor].born <= call.began
    ]


def _finding(reading: Reading, default: _Default, call: Frame, left: StepId | None, tensor: TensorId, path: str) -> Finding:
    function, caller = default.function, reading.statement_of(reading.callers.get(call.id))
    arguments: Arguments = {
        "function": function.name,
        "parameter": default.parameter,
        "path": path,
        "how": "written" if path == default.parameter else "kept",
        "line": function.lineno,
        "left_line": reading.line_of(left) or 0,
        "call_line": reading.line_of(None if caller is None else caller.id) or 0,
    }
    fixes = [offer("default_none", _made_anew, reading.trace.source, default)]
    return reading.finding("mutable_default", [left, None if caller is None else caller.id], [tensor], arguments, fixes=fixes)


def _made_anew(source: str, default: _Default) -> str | None:
    """`def f(x, h=[]):` → `def f(x, h=None):` with `if h is None: h = []` as the first statement."""
    value = ast.get_source_segment(normal(source), default.value)
    changed = None if value is None else with_replaced(source, [(default.value, "None")])
    body = default.function.body
    is_documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1
    first = body[1] if is_documented else body[0]
    if changed is None or value is None or "\n" in value or first.lineno == default.function.lineno:
        return None
    lines = lines_of(changed)
    indentation = " " * first.col_offset
    added = [f"{indentation}if {default.parameter} is None:", f"{indentation}    {default.parameter} = {value}"]
    return if_python("\n".join([*lines[: first.lineno - 1], *added, *lines[first.lineno - 1 :]]))
