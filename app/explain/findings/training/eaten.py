"""Finds an activation that a layer with `inplace=True` overwrites while a skip connection, a hook or the caller still needs
it."""

import ast
from collections.abc import Iterator
from itertools import islice

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, Fixes, finder, offer
from app.explain.findings.shared_memory import is_looked_at
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name, place_of
from app.explain.rewriting.replacing import with_replaced
from app.trace.index import Line
from app.trace.query import END, MODULE, end_of, value_at
from app.trace.records import Name, Step, TensorId, Write

_ACTIVATIONS = frozenset(
    f"aten::{name}_"
    for name in (
        "relu leaky_relu elu celu selu hardtanh relu6 silu mish hardswish hardsigmoid threshold rrelu sigmoid tanh dropout "
        "feature_dropout alpha_dropout clamp clamp_min mul"
    ).split()
)
"""The operators that layers and functions of `torch.nn` run for `inplace=True`."""

_OF_DROPOUT = ("aten::mul_", "aten::dropout_", "aten::feature_dropout_", "aten::alpha_dropout_")

_PLACES = {"ReLU": 0, "ReLU6": 0, "SiLU": 0, "SELU": 0, "Dropout": 1, "LeakyReLU": 1, "ELU": 1, "relu": 1, "dropout": 3}
"""The position of `inplace` in calls that pass it without a name."""

_SHAPE = ("shape", "size", "dim", "ndim", "device", "dtype", "numel", "requires_grad", "stride", "is_cuda", "grad_fn", "grad")
"""Attributes of a tensor that do not depend on its values."""

MOST_WRITES = 500
"""Maximum number of examined writes of activations."""

MOST_SHARING = 20
"""Maximum number of examined Tensors on one Storage, and statements of one call,."""

MOST_NAMES = 50
"""Maximum number of examined names of one Tensor."""


@finder(after=["find_silently_wrong", "find_stale"])
def find_eaten(reading: Reading) -> list[Finding]:
    """A warning for each name of a tensor that a layer with `inplace=True` overwrote, if the name is read afterwards."""
    findings: list[Finding] = []
    done: set[tuple[Line | None, str]] = set()
    writes = (write for write in reading.trace.writes if write.changed and write.operator in _ACTIVATIONS)
    for write in islice(writes, MOST_WRITES):
        around = _around(reading, write)
        if not around or not _is_layer(reading, write, around[0]) or _is_explicit(reading, around[0]):
            continue
        for name, reader, current in _read_after(reading, write, around):
            key = reading.line_of(write.step), name.path
            if key in done or len(findings) >= MOST_FINDINGS:
                continue
            done.add(key)
            findings.append(_finding(reading, write, name, reader, current))
    better = [*reading.found_by("find_stale"), *reading.found_by("find_silently_wrong")] if findings else []
    told = {finding.arguments["writer_line"] for finding in better}
    return [finding for finding in findings if finding.arguments["line"] not in told]


def _is_layer(reading: Reading, write: Write, statement: Step) -> bool:
    """Whether a layer may have caused the write.

    An optimizer's write is recognized by grad mode, which the optimizer turns off.
    """
    flags = _flags(reading)
    drops = any("dropout" in last_name(call).lower() for call, _ in flags)
    step = None if write.step is None else reading.trace.steps[write.step]
    is_same = step is not None and step.kind == "operator" and step.grad_enabled == statement.grad_enabled
    return bool(flags) and is_same and (drops or write.operator not in _OF_DROPOUT)


def _flags(reading: Reading) -> list[tuple[ast.Call, ast.expr]]:
    """The calls of the snippet that pass `inplace=True`, each with the node of this `True`."""
    found: list[tuple[ast.Call, ast.expr]] = []
    for call in reading.syntax.of(ast.Call):
        given = [keyword.value for keyword in call.keywords if keyword.arg == "inplace"]
        place = _PLACES.get(last_name(call))
        if place is not None and len(call.args) > place:
            given.append(call.args[place])
        found += [(call, value) for value in given if isinstance(value, ast.Constant) and value.value is True]
    return found


def _around(reading: Reading, write: Write) -> list[Step]:
    """The statements that were running at a write, the innermost first."""
    found: list[Step] = []
    step = reading.statement_of(write.step)
    while step is not None:
        found.append(step)
        step = None if step.parent is None else reading.statement_of(step.parent)
    return found


def _is_explicit(reading: Reading, statement: Step) -> bool:
    """Whether the statement itself shows the in-place write: `x.mul_(2)`, `x *= 2`. Then it is intended."""
    node = reading.statement_at(statement)
    if node is None or isinstance(node, ast.AugAssign):
        return True
    return any(name.endswith("_") and not name.endswith("__") for name in reading.syntax.calls_in(node))


def _read_after(reading: Reading, write: Write, around: list[Step]) -> Iterator[tuple[Name, Step, Step]]:
    """The names of the written tensor that are read later, each with the reading statement.

    The third item is the statement that was running in the frame of the name at the write.
    """
    by_frame = {step.frame: step for step in reversed(around)}
    sharing = reading.tensors_on.get(write.storage, [])
    for tensor in islice((each for each in sharing if reading.trace.tensors[each].born <= write.tick), MOST_SHARING):
        names = reading.plainest_of.get(tensor, [])[:MOST_NAMES]
        for name in names:
            current = by_frame.get(name.frame)
            if current is None or not name.path.isidentifier() or reading.tensor_at(name, write.tick) != tensor:
                continue
            reader = _reader(reading, name, tensor, write, current)
            if reader is not None:
                yield name, reader, current
        kept = (name for name in names if name.frame == MODULE and not name.path.isidentifier())
        first = next((name for name in kept if _kept(reading, name, tensor, write, around)), None)
        if first is not None:
            yield first, around[-1], around[-1]


def _kept(reading: Reading, name: Name, tensor: TensorId, write: Write, around: list[Step]) -> bool:
    """Whether a list, a dict or an object that got the tensor before the write is read later or exists at the end."""
    outer = around[-1]
    ended = end_of(outer)
    if value_at(name.tensor, ended) != tensor or ".param_groups[" in name.path:
        return False
    was_there = value_at(name.tensor, outer.began) == tensor
    variable = name.path.replace("[", ".").partition(".")[0]
    if was_there and variable in reading.syntax.names_in(reading.statement_at(outer)):
        return False
    if not was_there and not _was_put(reading, tensor, write, outer):
        return False
    return is_looked_at(reading, name.path, tensor, outer, max(ended if ended < END else write.tick, write.tick))


def _was_put(reading: Reading, tensor: TensorId, write: Write, outer: Step) -> bool:
    """Whether a function that the statement called, such as a hook, stored the tensor somewhere before the write."""
    maker = reading.statement_of(reading.trace.tensors[tensor].made_by)
    if maker is not None and maker.id != outer.id and maker.began >= outer.began and _puts(reading, maker):
        return True  # an alias created on purpose: `features["a"] = output.detach()`
    for name in reading.plainest_of.get(tensor, [])[:MOST_NAMES]:
        body = reading.statements_in.get(name.frame, []) if name.frame != MODULE and name.path.isidentifier() else []
        for step in islice(body, MOST_SHARING):
            is_before = step.began >= outer.began and end_of(step) <= write.tick
            if is_before and _puts(reading, step) and name.path in reading.syntax.names_in(reading.statement_at(step)):
                return True
    return False


def _puts(reading: Reading, step: Step) -> bool:
    """Whether a statement stores a value in a list, a dict or an object."""
    match reading.statement_at(step):
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append" | "setdefault" | "update"))):
            return True
    return False


def _reader(reading: Reading, name: Name, tensor: TensorId, write: Write, current: Step) -> Step | None:
    """The current or a later statement of the frame that reads a variable after the write; None if there is none."""
    statement = reading.statement_at(current)
    if statement is None or isinstance(statement, ast.Expr | ast.AugAssign | ast.For | ast.While):
        return None
    if _reads_beside(reading, statement, name.path, write):
        return current
    if name.path in _targets(reading, statement):
        return None
    for step in reading.readers(name.path, write.tick):
        if step.frame != name.frame:
            continue
        if reading.named(name.path, step.frame, step.began) != tensor:
            return None
        if _given_anew(reading, name.path, step, current):
            return None
        if _loads(reading, reading.statement_at(step), name.path):
            return step
    return None


def _given_anew(reading: Reading, variable: str, step: Step, current: Step) -> bool:
    definition = reading.defined_by(variable, step)
    return definition is not None and definition[1].began > current.began


def _targets(reading: Reading, statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {node.id for target in targets for node in reading.syntax.walk(target) if isinstance(node, ast.Name)}


def _loads(reading: Reading, statement: ast.stmt | None, variable: str) -> list[ast.Name]:
    """The nodes in which a statement reads the values of a variable, not only its shape."""
    if statement is None or isinstance(statement, ast.If | ast.For | ast.While | ast.With | ast.FunctionDef | ast.ClassDef):
        return []
    asked = {
        id(node.value) for node in reading.syntax.walk(statement) if isinstance(node, ast.Attribute) and node.attr in _SHAPE
    }
    names = [node for node in reading.syntax.walk(statement) if isinstance(node, ast.Name) and node.id == variable]
    lengths = {id(call.args[0]) for call in reading.syntax.calls_in(statement).get("len", []) if call.args}
    return [node for node in names if isinstance(node.ctx, ast.Load) and id(node) not in asked | lengths]


def _reads_beside(reading: Reading, statement: ast.stmt, variable: str, write: Write) -> bool:
    """Whether a statement such as `self.path(x) + x` reads the variable after a call in it has written the tensor."""
    loads = _loads(reading, statement, variable)
    writer = _writer(reading, statement, variable, write) if len(loads) > 1 else None
    if writer is None:
        return False
    inside = {id(node) for node in reading.syntax.walk(writer)}
    calls = [call for row in reading.syntax.calls_in(statement).values() for call in row if id(call) not in inside]
    used = {id(node) for call in calls if place_of(call)[2:] <= place_of(writer)[:2] for node in reading.syntax.walk(call)}
    return any(id(load) not in inside and id(load) not in used for load in loads)


def _writer(reading: Reading, statement: ast.stmt, variable: str, write: Write) -> ast.Call | None:
    """The call that got the variable as an argument and wrote it; None if several calls could have."""
    calls = [call for row in reading.syntax.calls_in(statement).values() for call in row]
    given = [call for call in calls if any(isinstance(each, ast.Name) and each.id == variable for each in call.args)]
    piece = None if write.step is None else reading.node_at(reading.trace.steps[write.step].span)
    exact = [call for call in given if call is piece]
    return exact[0] if exact else given[0] if len(given) == 1 else None


def _finding(reading: Reading, write: Write, name: Name, reader: Step, current: Step) -> Finding:
    flags = _flags(reading)
    flag_line = flags[0][0].lineno if len(flags) == 1 else 0
    arguments: Arguments = {
        "name": reading.text_of(name),
        "layer": last_name(flags[0][0]) if len(flags) == 1 else "none",
        "flag_line": flag_line,
        "operator": (write.operator or "").removeprefix("aten::"),
        "how": "skip" if name.path.isidentifier() else "kept",
        "line": reading.line_of(write.step) or 0,
        "around_line": reading.line_of(current.id) or 0,
        "reader_line": reading.line_of(reader.id) or 0,
    }
    steps = [write.step, *([reader.id] if name.path.isidentifier() else [])]
    tensors = [] if write.tensor is None else [write.tensor]
    return reading.finding("eaten_activation", steps, tensors, arguments, fixes=_fixes(reading), severity="warning")


def _fixes(reading: Reading) -> Fixes:
    """`nn.ReLU(inplace=True)` → `nn.ReLU(inplace=False)`, if there is only one such call."""
    flags = _flags(reading)
    return (
        [offer("not_in_place", lambda: with_replaced(reading.trace.source, [(flags[0][1], "False")]))]
        if len(flags) == 1
        else []
    )


@finder()
def find_hooked_in_place(reading: Reading) -> Iterator[Finding]:
    """An error for a layer with `inplace=True` that would write to the output of a full backward hook's Node."""
    hooks = reading.syntax.ending_in(ast.Call, "register_full_backward_hook") + reading.syntax.ending_in(
        ast.Call, "register_full_backward_pre_hook"
    )
    flags = _flags(reading)
    for step, _ in reading.failures if hooks and flags else []:
        statement = reading.statement_of(step.id)
        ran = [each for each in reading.operators_of(statement) if each.began < step.began]
        # Before the layer runs, torch creates views of its inputs for the hook, with grad mode off.
        is_hooked = bool(ran) and ran[-1].name == "aten::view" and not ran[-1].grad_enabled and step.grad_enabled
        if is_hooked:
            arguments: Arguments = {
                "layer": last_name(flags[0][0]) if len(flags) == 1 else "none",
                "flag_line": flags[0][0].lineno if len(flags) == 1 else 0,
                "hook_line": hooks[0].lineno,
            }
            yield reading.exception_finding("hooked_in_place", step, [], arguments, fixes=_fixes(reading))
