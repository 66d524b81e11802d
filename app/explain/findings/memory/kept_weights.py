"""Finds weights that were kept without a copy and later compared with the updated weights, which share their memory."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import MODULE, events_after, value_at
from app.trace.records import Geometry, Step, TensorId, Write

MOST_RUNS = 3
"""Maximum number of examined runs of one expression that compares two tensors."""

MOST_NAMES = 20
"""Maximum number of examined names of one tensor."""

MOST_ENTRIES = 100
"""Maximum number of entries that are examined in a list or dict with a variable index."""

MOST_PATHS = 500
"""Maximum number of paths that are examined in an object with a list or dict of kept weights."""

_FUNCTIONS = ("equal", "allclose", "eq", "ne", "sub", "dist", "mse_loss", "l1_loss")
_METHODS = ("equal", "allclose", "eq", "ne", "sub", "dist", "add_", "lerp_", "copy_", "sub_")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A path under which a weight was kept, the statement that assigned it, and the write that changed the weight after that."""

    path: str
    maker: Step
    write: Write


@finder()
def find_kept_weights(reading: Reading) -> Iterator[Finding]:
    """A warning for each expression that, after `opt.step()`, compares or averages a weight with another name of the same
    memory."""
    told: set[int] = set()
    stepped = bool(reading.syntax.ending_in(ast.Call, "step")) or bool(reading.syntax.ending_in(ast.Call, "backward"))
    for piece, left, right in _pairs(reading) if stepped else ():
        statement = reading.syntax.statement_around(piece)
        if statement is None or statement.lineno in told:
            continue
        for step in reading.runs_of_statement.get(statement, [])[:MOST_RUNS]:
            found = _same(reading, left, right, step)
            if found is not None:
                told.add(statement.lineno)
                yield _finding(reading, step, *found)
                break


def _pairs(reading: Reading) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """The expressions that compare, subtract or average two tensors, with both operands."""
    for node in [*reading.syntax.of(ast.BinOp, ast.Compare), *reading.syntax.of(ast.Call)]:
        match node:
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                yield node, left, right
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                yield node, left, right
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[first, second, *_]) if method in _FUNCTIONS:
                yield node, first, second
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[right, *_]) if method in _METHODS:
                while isinstance(owner, ast.Call) and last_name(owner).endswith("_") and isinstance(owner.func, ast.Attribute):
                    owner = owner.func.value
                yield node, owner, right


def _bare(node: ast.expr) -> ast.expr:
    """The `p` in `p.data` and in `p.detach()`."""
    while True:
        match node:
            case ast.Attribute(value=value, attr="data") | ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]):
                node = value
            case _:
                return node


def _same(reading: Reading, left: ast.expr, right: ast.expr, step: Step) -> tuple[_Kept, str, TensorId] | None:
    """Which of two expressions is a kept weight, and the name and Tensor of the other.

    None unless both read the same elements of memory.
    """
    nodes = [_bare(left), _bare(right)]
    texts = [reading.syntax.text_of(node) for node in nodes]
    if texts[0] == texts[1] or not all(isinstance(node, ast.Name | ast.Attribute | ast.Subscript) for node in nodes):
        return None
    tensors = [_tensor(reading, node, step) for node in nodes]
    looks = [_look(reading.geometry_at(tensor, step.began)) for tensor in tensors]
    for place, other in ((0, 1), (1, 0)):
        if tensors[place] is None:
            tensors[place], looks[place] = _entry(reading, nodes[place], looks[other], step)
    if looks[0] is None or looks[0] != looks[1]:
        return None
    for place, other in ((0, 1), (1, 0)):
        tensor, weight = tensors[place], tensors[other]
        is_weight = weight is not None and value_at(reading.trace.tensors[weight].is_leaf, step.began) is True
        if tensor is None or weight is None or not is_weight or not reading.requires_grad(weight, step.began):
            continue
        kept = _kept(reading, nodes[place], tensor, step)
        if kept is not None:
            return kept, reading.name_of(weight) or texts[other], weight
    return None


def _tensor(reading: Reading, node: ast.expr, step: Step) -> TensorId | None:
    """The Tensor that an expression evaluated to.

    It is looked up at the end of the step first, because the variable of a loop on one line is assigned within the step.
    """
    tensor = reading.tensor_of(node, reading.ended(step))
    return reading.tensor_of(node, step) if tensor is None else tensor


def _entry(
    reading: Reading, node: ast.expr, look: tuple[object, ...] | None, step: Step
) -> tuple[TensorId | None, tuple[object, ...] | None]:
    """The entry for `kept[k]` if the value of `k` is unknown: the entry with the same elements as the other operand."""
    path = reading.syntax.path_of(node.value) if isinstance(node, ast.Subscript) else ""
    if look is None or not path:
        return None, None
    names = reading.names_through(path.partition(".")[0], step.frame) if "." in path else []
    names = names[:MOST_PATHS]
    entries = (reading.tensor_at(name, step.began) for name in names if name.path.startswith(f"{path}["))
    known = (each for each in entries if each is not None)
    reached = islice(known if "." in path else reading.reached(path, step.frame, step.began), MOST_ENTRIES)
    found = next((each for each in reached if _look(reading.geometry_at(each, step.began)) == look), None)
    return (None, None) if found is None else (found, look)


def _look(geometry: Geometry | None) -> tuple[object, ...] | None:
    if geometry is None or geometry.storage is None or 0 in geometry.shape:
        return None
    return geometry.storage, geometry.storage_offset, tuple(geometry.shape), tuple(geometry.stride or []), geometry.dtype


def _kept(reading: Reading, node: ast.expr, tensor: TensorId, step: Step) -> _Kept | None:
    """The variable, or the entry of a list or dict, that has led to a Tensor since before `opt.step()` changed the Tensor."""
    geometry = reading.geometry_at(tensor, step.began)
    writes = writes_to(reading.writes_by_program, geometry)
    roots = _roots(reading, node)
    for name in islice(reading.plainest_of.get(tensor, []), MOST_NAMES):
        root, is_entry, _ = name.path.partition("[")
        # For an entry of a dict in an object, the recorded path begins with the object's name: `ema.shadow['w']` for
        # `self.shadow[n]`.
        is_kept = bool(is_entry) and isinstance(node, ast.Subscript) and root.rpartition(".")[2] == last_name(node.value)
        is_kept = is_kept and reading.trace.tensors[tensor].type != "Parameter" and name.frame == MODULE
        is_plain = root in roots and "." not in name.path
        if not (is_plain or is_kept) or value_at(name.tensor, step.began) != tensor:
            continue
        since = [tick for tick, each in name.tensor if each == tensor and tick <= step.began][-1]
        maker = reading.statement_at_tick(since)
        write = next((each for each in events_after(writes, since, step.began) if each.changed), None)
        writer = None if write is None else reading.statement_at(reading.statement_of(write.step))
        if maker is None or write is None or "step" not in reading.syntax.calls_in(writer):
            continue
        if isinstance(reading.statement_at(maker), ast.Assign | ast.AnnAssign | ast.Expr):
            return _Kept(name.path, maker, write)
    return None


def _roots(reading: Reading, node: ast.expr) -> set[str]:
    """The variable of a path, and for a loop's variable also the variables in its iterable."""
    names = reading.syntax.names_in(node)
    found = set(names)
    for loop in reading.syntax.of(ast.For, ast.comprehension):
        if names and next(iter(names)) in reading.syntax.names_in(loop.target):
            found |= set(reading.syntax.names_in(loop.iter))
    return found


def _finding(reading: Reading, step: Step, kept: _Kept, other: str, weight: TensorId) -> Finding:
    arguments: Arguments = {
        "name": reading.told(kept.path, kept.maker.frame),
        "weight": other,
        "maker_line": reading.line_of(kept.maker.id) or 0,
        "write_line": reading.line_of(kept.write.step) or 0,
    }
    fixes: Fixes = [] if "." in kept.path.partition("[")[0] else [offer("clone_weights", _copied, reading, kept.maker)]
    steps = [kept.maker.id, kept.write.step, step.id]
    return reading.finding("kept_weights", steps, [weight], arguments, fixes=fixes, severity="warning")


def _copied(reading: Reading, maker: Step) -> str | None:
    """`old = net.weight` → `old = net.weight.detach().clone()`, and the same for the entries of a list or dict."""
    statement = reading.statement_at(maker)
    value = statement.value if isinstance(statement, ast.Assign) else None
    match value:
        case ast.Call(func=ast.Name(id="list"), args=[ast.expr() as inner], keywords=[]):
            text = f"[p.detach().clone() for p in {ast.get_source_segment(reading.syntax.text, inner)}]"
            return with_replaced(reading.trace.source, [(value, text)])
        case ast.ListComp(elt=kept) | ast.DictComp(value=kept):
            pass
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            kept = value
        case _:
            return None
    if not isinstance(kept, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        return None
    text = ast.get_source_segment(reading.syntax.text, _bare(kept)) or ""
    return with_replaced(reading.trace.source, [(kept, f"{text}.detach().clone()")]) if text else None
