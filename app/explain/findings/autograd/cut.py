"""Finds a backward from a tensor without a graph, and the line that cut the graph."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.grad_mode import Switch, switch_before
from app.explain.reading.provenance import Cut, provenance
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import operand
from app.explain.reading.snippet import called_name, dotted
from app.explain.reading.turned_off import TurnedOff, turned_off
from app.explain.reading.ways import Ways, asked_late, ways_back
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import rest_under, shortened, with_keyword
from app.trace.query import value_at
from app.trace.records import Step, TensorId

MOST_CUTS = 20
"""Maximum number of refused backwards that are traced back to their cut. A loop can catch the same exception many times."""

MOST_SHOWN = 20
"""Maximum number of frozen leaves that a finding lists."""

_NO_CUT: Arguments = {"operator": "none", "switch": "none", "switch_text": "", "switch_line": 0, "others": 0, "lines": 1}

_STACKED = ("torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.Tensor")
"""Functions that create a tensor from a list of numbers."""

_MAKERS = tuple(
    f"torch.{name}" for name in "tensor ones zeros randn rand full linspace eye ones_like zeros_like randn_like".split()
)
"""Functions that take an argument `requires_grad`."""


@finder(after=["find_custom_backward", "find_silently_wrong"])
def find_cut(reading: Reading) -> list[Finding]:
    """An error for each backward that torch refused because its root does not require grad."""
    findings: list[Finding] = []
    for step, piece in reading.failures:
        called, statement = backward_call(piece), reading.statement_of(step.id)
        if called is None or len(called.roots) != 1 or statement is None or statement.id in reading.nodes_run:
            continue
        tensor = reading.tensor_of(called.roots[0], step)
        viewed = operand(reading, called.roots[0], step) if tensor is None else None
        tensor = tensor if viewed is None else viewed.tensor  # a view within the expression has no record; its base has one
        if (
            tensor is not None
            and not reading.requires_grad(tensor, step.began)
            and (len(findings) < MOST_CUTS or step is reading.fatal)
            and not (step is reading.fatal and reading.found_by("find_custom_backward"))
        ):
            findings.append(_finding(reading, tensor, reading.syntax.text_of(called.roots[0]), step))
    return findings


def _finding(reading: Reading, root: TensorId, name: str, step: Step) -> Finding:
    found = provenance(reading, root)
    cut = found.cut
    ways = ways_back(reading, root) if cut is None else None
    late = None if ways is None else _late(reading, root, ways, step)
    is_all = ways is not None and (ways.whole or found.whole or not reading.some_require_grad(step.began))
    off = turned_off(reading, root, ways, step) if ways is not None and late is None and is_all else None
    if off is not None:
        return _turned_off(reading, root, off, name, step)
    how = "late" if late is not None else "unknown" if cut is None else cut.how
    if how == "unknown" and not reading.required_grad(step.began):
        how = "nothing"
    switch = switch_before(reading, cut.step) if cut is not None and how in ("no_grad", "inference") else None
    fixes: Fixes = []
    if cut is not None:
        fixes += [offer("write_in_place", _in_place, reading, cut), *against_cut(reading, cut, switch)]
    elif late is not None:
        fixes.append(offer("ask_for_grad", ask_for_grad, reading, late[0]))
    elif how == "nothing" and found.whole and len(found.origins) == 1:
        fixes.append(offer("ask_for_grad", ask_for_grad, reading, found.origins[0]))
    origin = reading.name_of(found.origins[0]) if len(found.origins) == 1 else ""
    origin = origin if late is None else reading.name_of(late[0])
    arguments: Arguments = {
        **_NO_CUT,
        "root": reading.quoted(name, step.frame),
        "how": how,
        "name": origin if cut is None else reading.quoted(cut.name, cut.step.frame),
        "known": "yes" if (origin if cut is None else cut.name) else "no",
        "operator": _operator(cut),
        "cut_line": reading.line_of(late[1].id if late is not None else None if cut is None else cut.step.id) or 0,
    }
    if switch is not None:
        arguments |= {"switch": switch.how, "switch_text": switch.text, "switch_line": switch.line}
    tensors = [root] if cut is None else [cut.tensor, root]
    steps = [each.step.id for each in (switch, cut) if each is not None] + ([] if late is None else [late[1].id])
    makers = list(dict.fromkeys(reading.shown_from(*steps)))
    return reading.exception_finding("cut_graph", step, tensors, arguments, fixes=fixes, makers=makers)


def against_cut(reading: Reading, cut: Cut, switch: Switch | None) -> Fixes:
    """Fixes that restore the graph where an expression cut it or where gradients were off."""
    return [
        offer("without_detach", _unmarked, reading, cut),
        offer("keep_gradients_graph", _with_graph, reading, cut),
        offer("stack", _stacked, reading, cut),
        offer("not_reentrant", _not_reentrant, reading, cut),
        offer("with_grad", _with_grad, reading, switch),
        offer("grad_off_in_block", _in_block, reading, switch),
    ]


def _turned_off(reading: Reading, root: TensorId, off: TurnedOff, name: str, step: Step) -> Finding:
    """A finding for a root without a graph, if a tensor from which it was computed once required grad and no longer does.

    It has no fix, because it is unknown whether the tensor should require grad again.
    """
    first = reading.name_of(off.tensors[0])
    arguments: Arguments = {
        **_NO_CUT,
        "root": reading.quoted(name, step.frame),
        "how": off.how,
        "name": first,
        "known": "yes" if first else "no",
        "cut_line": reading.line_of(off.statements[0].id) or 0,
        "others": len(off.tensors) - 1,
        "lines": len(off.statements),
    }
    makers = [statement.id for statement in off.statements]
    about = [*off.tensors[:MOST_SHOWN], root]
    return reading.exception_finding("cut_graph", step, about, arguments, makers=makers)


def _operator(cut: Cut | None) -> str:
    """The name of the call that cut the graph; "none" if it was not a call or if several calls could have cut it."""
    return "none" if cut is None else called_name(cut.mark) or "none"


def _in_place(reading: Reading, cut: Cut) -> str | None:
    """`w = w - 0.1 * w.grad` → `w -= 0.1 * w.grad`, if grad mode is off and `w` is a leaf."""
    statement = reading.statement_ran_by(cut.step.id)
    is_leaf = value_at(reading.trace.tensors[cut.tensor].is_leaf, cut.step.began)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=left))) if (
            name == left and is_leaf is True
        ):
            if cut.how == "no_grad":
                return shortened(reading.trace.source, statement)
    return None


def _unmarked(reading: Reading, cut: Cut) -> str | None:
    """The same fix as `unmark`, but only for a non-leaf. The `.data` of a leaf is often used on purpose."""
    is_leaf = value_at(reading.trace.tensors[cut.tensor].is_leaf, cut.step.began)
    return unmark(reading, cut) if is_leaf is False else None


def unmark(reading: Reading, cut: Cut) -> str | None:
    """`y.detach() * 3` → `y * 3`, and the same for `.data`."""
    match cut.mark:
        case (
            ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[], keywords=[])
            | ast.Attribute(value=value, attr="data")
        ):
            text = ast.get_source_segment(reading.syntax.text, value)
            return None if text is None else with_replaced(reading.trace.source, [(cut.mark, text)])
    return None


def _stacked(reading: Reading, cut: Cut) -> str | None:
    """`torch.tensor([a, b])` → `torch.stack([a, b])`, if the elements can be tensors.

    The argument may be a list or a variable that holds one.
    """
    match cut.mark:
        case ast.Call(func=ast.Attribute() as function, args=[given], keywords=[]) if dotted(function) in _STACKED:
            is_held = isinstance(given, ast.Name) and reading.named(given.id, cut.step.frame, cut.step.began) is None
            pieces = given.elts if isinstance(given, ast.List | ast.Tuple) else []
            is_plain = not any(isinstance(piece, ast.Constant | ast.UnaryOp | ast.List | ast.Tuple) for piece in pieces)
            if is_held or (isinstance(given, ast.List | ast.Tuple | ast.ListComp) and is_plain):
                return with_replaced(reading.trace.source, [(function, "torch.stack")])
    return None


def _not_reentrant(reading: Reading, cut: Cut) -> str | None:
    """`checkpoint(f, x, use_reentrant=True)` → `use_reentrant=False`."""
    if cut.how != "checkpoint" or not isinstance(cut.mark, ast.Call):
        return None
    asked = [keyword.value for keyword in cut.mark.keywords if keyword.arg == "use_reentrant"]
    return with_replaced(reading.trace.source, [(asked[0], "False")]) if len(asked) == 1 else None


def _late(reading: Reading, root: TensorId, ways: Ways, step: Step) -> tuple[TensorId, Step] | None:
    """An input of the root for which `requires_grad` was set after the root was computed, and the statement that set it."""
    for tensor in ways.used:
        asked = asked_late(reading, tensor) if reading.requires_grad(tensor, step.began) else None
        if asked is not None and asked.began > reading.trace.tensors[root].born:
            return tensor, asked
    return None


def _with_graph(reading: Reading, cut: Cut) -> str | None:
    """`torch.autograd.grad(y, x)` → `torch.autograd.grad(y, x, create_graph=True)`."""
    if cut.how == "gradient" and isinstance(cut.mark, ast.Call):
        return with_keyword(reading.trace.source, cut.mark, "create_graph=True")
    return None


def _with_grad(reading: Reading, switch: Switch | None) -> str | None:
    """`with torch.no_grad():` → `with torch.enable_grad():`, and the same for a decorator."""
    match switch:
        case Switch(how="with" | "decorator", node=ast.Call(func=function, args=[], keywords=[]) as node):
            is_torchs = dotted(function) in ("torch.no_grad", "torch.inference_mode")
            return with_replaced(reading.trace.source, [(node, "torch.enable_grad()")]) if is_torchs else None
    return None


def _in_block(reading: Reading, switch: Switch | None) -> str | None:
    """`torch.set_grad_enabled(False)` → `with torch.no_grad():` around the rest of the function."""
    if switch is None or switch.how != "call" or switch.text != "torch.set_grad_enabled(False)":
        return None
    statement = reading.syntax.statement_around(switch.node)
    for node in reading.syntax.of(ast.FunctionDef):
        if statement in node.body and isinstance(statement, ast.Expr):
            return rest_under(reading.trace.source, node.body[node.body.index(statement) :], "with torch.no_grad():")
    return None


def ask_for_grad(reading: Reading, origin: TensorId) -> str | None:
    """`x = torch.ones(2)` → `x = torch.ones(2, requires_grad=True)`."""
    tensor = reading.trace.tensors[origin]
    geometry = value_at(tensor.geometry, tensor.born)
    piece = None if tensor.made_by is None else reading.node_at(reading.span_of(tensor.made_by))
    if geometry is None or not geometry.dtype.startswith(("float", "bfloat", "complex")):
        return None
    if not isinstance(piece, ast.Call) or dotted(piece.func) not in _MAKERS:
        return None
    asked = next((keyword.value for keyword in piece.keywords if keyword.arg == "requires_grad"), None)
    if isinstance(asked, ast.Constant):
        return None if asked.value else with_replaced(reading.trace.source, [(asked, "True")])
    return None if asked is not None else with_keyword(reading.trace.source, piece, "requires_grad=True")
