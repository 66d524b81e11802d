"""Finds an iterator that is iterated twice, such as `params = net.parameters()`, which yields its elements only once."""

import ast
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from operator import attrgetter

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step, StepId

_MAKERS = (
    "parameters named_parameters buffers named_buffers children named_children modules named_modules zip map filter enumerate"
).split()
"""Functions that return an iterator that can be iterated only once."""

_CONSUMERS = (
    "list tuple set dict sorted sum max min any all join parameters_to_vector clip_grad_norm_ clip_grad_value_ "
    "SGD Adam AdamW NAdam RAdam Adamax RMSprop Adagrad Adadelta"
).split()
"""Functions that iterate all of their arguments to the end."""

_LAZY = ("zip", "map", "filter", "enumerate", "chain")
"""Functions that iterate their arguments when their own result is iterated."""

MOST_USES = 50
"""Maximum number of examined uses of one variable that holds an iterator."""

MOST_RUNS = 200
"""Maximum number of examined runs of one use."""

Use = tuple[Step, ast.expr]
"""A statement that iterates a variable, and the expression that names the variable."""


@finder()
def find_exhausted(reading: Reading) -> Iterator[Finding]:
    """A warning for each use of a variable after its iterator is exhausted."""
    made: dict[str, list[ast.Assign]] = defaultdict(list)
    for statement in reading.syntax.of(ast.Assign):
        for target in statement.targets:
            made[reading.syntax.path_of(target)].append(statement)
    once = {path: row[0] for path, row in made.items() if path and len(row) == 1 and _gives_once(row[0].value)}
    if not once:
        return
    stores = Counter(node.id for node in reading.syntax.of(ast.Name) if isinstance(node.ctx, ast.Store))
    arguments = {argument.arg for argument in reading.syntax.of(ast.arg)}
    uses = _uses(reading, once)
    for path, statement in once.items():
        is_plain = "." in path or (stores[path] == 1 and path not in arguments)
        found = _second(reading, statement, uses[path]) if is_plain else None
        if found is not None:
            yield _finding(reading, path, statement, *found)


def _gives_once(value: ast.expr) -> bool:
    return isinstance(value, ast.GeneratorExp) or (isinstance(value, ast.Call) and last_name(value) in _MAKERS)


def _uses(reading: Reading, once: dict[str, ast.Assign]) -> dict[str, list[tuple[ast.stmt, ast.expr]]]:
    """For each path, the statements that are certain to exhaust its iterator, each with the expression that names the path."""
    given: list[ast.expr] = []
    for call in reading.syntax.of(ast.Call):
        if last_name(call) in _CONSUMERS:
            given += [*call.args, *(keyword.value for keyword in call.keywords)]
    given += [each.iter for each in reading.syntax.of(ast.comprehension)]
    given += [each.iter for each in reading.syntax.of(ast.For) if not _is_left(reading, each)]
    found: dict[str, list[tuple[ast.stmt, ast.expr]]] = defaultdict(list)
    for node in (inner for each in given for inner in _looped(each)):
        path = reading.syntax.path_of(node)
        around = reading.syntax.statement_around(node)
        is_lazy = isinstance(around, ast.Assign) and isinstance(around.value, ast.GeneratorExp)
        if path in once and around is not None and not is_lazy and len(found[path]) < MOST_USES:
            found[path].append((around, node))
    return found


def _is_left(reading: Reading, loop: ast.For) -> bool:
    """Whether a loop may end early, by `break` or `return`."""
    return any(isinstance(each, ast.Break | ast.Return) for each in reading.syntax.walk(loop))


def _second(reading: Reading, statement: ast.Assign, uses: list[tuple[ast.stmt, ast.expr]]) -> tuple[Use, Use] | None:
    """The first two uses of an iterator between two assignments of its variable. The second use gets no elements."""
    events: list[tuple[int, Use | None]] = [(run.id, None) for run in reading.runs_of_statement.get(statement, [])[:MOST_RUNS]]
    for around, node in uses:
        events += [(run.id, (run, node)) for run in _entries(reading, around)]
    before: Use | None = None
    for _, use in sorted(events, key=lambda event: event[0]):
        if use is not None and before is not None:
            return before, use
        before = use
    return None


def _looped(node: ast.expr) -> list[ast.expr]:
    """The iterators that a loop over an expression exhausts: `a` and `b` for `zip(a, b)`, else the expression itself."""
    if isinstance(node, ast.Call) and last_name(node) in _LAZY:
        return [inner for argument in node.args for inner in _looped(argument)]
    return [node]


def _entries(reading: Reading, statement: ast.stmt) -> Iterator[Step]:
    """The runs of a statement; for a loop, only the runs that entered the loop, not those that continued it."""
    lines = range(0)
    if isinstance(statement, ast.For):
        lines = range(statement.body[0].lineno, (statement.end_lineno or statement.lineno) + 1)
    for run in reading.runs_of_statement.get(statement, [])[:MOST_RUNS]:
        ran = [] if run.frame is None else reading.statements_in.get(run.frame, [])
        place = bisect_left(ran, run.began, key=attrgetter("began"))
        if not place or reading.line_of(ran[place - 1].id) not in lines:
            yield run


def _finding(reading: Reading, path: str, statement: ast.Assign, first: Use, second: Use) -> Finding:
    value = statement.value
    arguments: Arguments = {
        "name": path,
        "made_line": statement.lineno,
        "first_line": reading.line_of(first[0].id) or 0,
    }
    text = reading.syntax.text_of(value)
    inner = text[1:-1] if isinstance(value, ast.GeneratorExp) else text
    fixes = [offer("list_elements", with_replaced, reading.trace.source, [(value, f"list({inner})")])]
    steps: list[StepId | None] = [first[0].id, second[0].id]
    return reading.finding("exhausted_iterator", steps, [], arguments, fixes=fixes, severity="warning")
