"""Finds uses of command-line arguments, which a run does not have: `parser.parse_args()`, `sys.argv[1]`."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import Syntax, last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.ends import Exited
from app.trace.records import Step

_PARSING = ("parse_args", "parse_known_args")
_FLAGS = ("store_true", "store_false", "store_const", "count", "append_const")
"""Actions of options that take no value."""

_MANY = ("add_subparsers", "add_mutually_exclusive_group", "add_parser")
"""Calls that allow different lists of arguments, so that no single list can be determined."""

_GIVEN = "1"
"""The value that the fix writes for an argument whose valid values are unknown."""


@finder(of_the_sandbox=True)
def find_command_line(reading: Reading) -> list[Finding]:
    """An error for command-line arguments that the program needs."""
    ended = reading.trace.ended
    if _is_set(reading.syntax):
        return []
    if isinstance(ended, Exited):
        return _where_argparse_left(reading) if (ended.code, ended.by) == (2, "SystemExit") else []
    step = reading.fatal if reading.raised("IndexError") is not None else None
    piece = None if step is None else reading.node_at(step.span)
    if step is None or not isinstance(piece, ast.Subscript) or not _is_argument(piece):
        return []
    places = [each for each in reading.syntax.of(ast.Subscript) if _is_argument(each)]
    fixes = [offer("write_argument", with_replaced, reading.trace.source, [(each, f'"{_GIVEN}"') for each in places])]
    return [_finding(reading, step, {"how": "argv", "written": reading.syntax.text_of(piece), "given": f'"{_GIVEN}"'}, fixes)]


def _is_set(syntax: Syntax) -> bool:
    """Whether the program sets or modifies `sys.argv` itself."""
    for node in syntax.of(ast.Attribute, ast.Subscript):
        inner = node.value if isinstance(node, ast.Subscript) else node
        is_changed = isinstance(node.value, ast.Attribute) and node.value.attr == "argv" and isinstance(node, ast.Attribute)
        is_argv = isinstance(inner, ast.Attribute) and inner.attr == "argv"
        if is_changed or (is_argv and not isinstance(node.ctx, ast.Load)):
            return True
    return False


def _is_argument(piece: ast.Subscript) -> bool:
    """Whether an expression reads an argument from `sys.argv`, other than the program's name."""
    match piece:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="sys"), attr="argv"), slice=ast.Constant(value=int(place))):
            return place > 0 and isinstance(piece.ctx, ast.Load)
    return False


def _where_argparse_left(reading: Reading) -> list[Finding]:
    """An error for the call of `argparse` that ended the program."""
    raised = reading.raised_as("SystemExit")
    if not raised:
        return []
    step, piece = raised[-1]
    is_parsing = isinstance(piece, ast.Call) and isinstance(piece.func, ast.Attribute) and piece.func.attr in _PARSING
    if not isinstance(piece, ast.Call) or not is_parsing or piece.args or piece.keywords:
        return []
    given = _required(reading.syntax)
    text = ast.get_source_segment(reading.syntax.text, piece.func)
    fixes: Fixes = []
    if given and text is not None:
        written = ", ".join(f'"{each}"' for each in given)
        fixes.append(offer("write_arguments", with_replaced, reading.trace.source, [(piece, f"{text}([{written}])")]))
    arguments: Arguments = {"how": "parser", "written": reading.syntax.text_of(piece), "given": " ".join(given) or "none"}
    return [_finding(reading, step, arguments, fixes)]


def _required(syntax: Syntax) -> list[str]:
    """A list of all arguments that the program's only parser requires; empty if unknown."""
    calls = [call for call in syntax.of(ast.Call) if isinstance(call.func, ast.Attribute | ast.Name)]
    parsers = [call for call in calls if last_name(call) == "ArgumentParser"]
    if len(parsers) != 1 or any(last_name(call) in _MANY for call in calls):
        return []
    places: list[str] = []
    options: list[str] = []
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        if last_name(call) != "add_argument":
            continue
        names = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        if not names or None in keywords or any(not name.isprintable() or '"' in name or "\\" in name for name in names):
            return []
        values = _values(keywords)
        if values is None:
            return []
        if not names[0].startswith("-"):
            places += values
        elif _literal(keywords.get("required")) is True:
            options += [names[-1], *values]
    return [*places, *options]


def _values(keywords: dict[str | None, ast.expr]) -> list[str] | None:
    """The command-line values for an argument; None if unknown."""
    action = _literal(keywords.get("action", ast.Constant("store")))
    if action in _FLAGS:
        return []
    if action not in ("store", "append"):
        return None
    count = _literal(keywords.get("nargs"))
    choices = keywords.get("choices")
    value: object = _GIVEN
    if choices is not None:
        value = _literal(choices.elts[0]) if isinstance(choices, ast.List | ast.Tuple) and choices.elts else None
    if not isinstance(value, str | int | float) or '"' in str(value) or "\\" in str(value):
        return None
    if count in ("?", "*"):
        return []
    return [str(value)] * (count if isinstance(count, int) and 0 < count < 10 else 1)


def _literal(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _finding(reading: Reading, step: Step, arguments: Arguments, fixes: Fixes) -> Finding:
    line = reading.line_of(step.id) or 0
    return reading.finding("command_line", [step.id], [], {"line": line, **arguments}, fixes=fixes, severity="error")
