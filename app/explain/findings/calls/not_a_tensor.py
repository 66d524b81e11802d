"""Finds values that should be tensors: an LSTM's tuple, a list, an array, or None from a function without a return."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.calls.many_values import list_items
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.findings.refusing_layer import MOST_CHILDREN, RECURRENT, refusing_path
from app.explain.reading.shapes import named_at, path_at
from app.explain.reading.syntax import last_name
from app.trace.records import Held, Step

_OF_TENSORS = (
    "relu sigmoid tanh exp log sqrt abs sum mean std var prod max min argmax argmin norm softmax log_softmax normalize flatten "
    "reshape transpose squeeze unsqueeze permute clamp dropout gelu silu elu leaky_relu softplus logsigmoid layer_norm embedding "
    "max_pool1d max_pool2d avg_pool1d avg_pool2d adaptive_avg_pool2d interpolate pad one_hot topk sort chunk split round sign "
    "isnan isfinite cumsum square sin cos zeros_like ones_like rand_like randn_like"
).split()
"""Functions of torch that take a tensor as their first argument."""

_OF_TWO = (
    "matmul mm bmm mv dot add sub mul div pow maximum minimum linear conv1d conv2d conv3d cross_entropy nll_loss mse_loss l1_loss "
    "smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div cosine_similarity eq lt gt "
    "scaled_dot_product_attention cdist"
).split()
"""Functions of torch that take tensors as their first two arguments."""

_JOINING = ("cat", "concat", "concatenate", "stack", "vstack", "hstack")

_PAIRS = (*RECURRENT, "MultiheadAttention", "max", "min", "sort", "topk", "median", "mode", "kthvalue", "cummax", "cummin")
"""Layers, functions and methods that return several tensors."""

_INDICES = ("max", "min")

_METHODS = (
    "backward size dim view reshape shape float long double to cuda cpu detach item numpy unsqueeze squeeze permute transpose "
    "flatten mean sum requires_grad requires_grad_ grad relu softmax argmax max min contiguous expand repeat dtype device numel t "
    "log exp sqrt pow abs clamp zero_ add_ mul_ sigmoid tanh std norm matmul mm data T chunk split eq item tolist type new"
).split()
"""Attributes of tensors that a program may look for on another object."""

_IN_PLACE = ("append", "extend", "insert", "sort", "reverse", "shuffle", "update", "add")
"""Methods of Python's collections that return None."""


@failure_finder("TypeError", "AttributeError", after=["find_custom_backward"])
def find_not_a_tensor(failure: Failure) -> list[Finding]:
    """An error if the run ended because a value is not a tensor."""
    if failure.reading.found_by("find_custom_backward"):
        return []
    joined = _joined(failure)
    if joined:
        return joined
    within = _within(failure)
    if within:
        return within
    for node, function in _needed(failure):
        finding = _finding(failure, node, function)
        if finding is not None:
            return [finding]
    return []


def _within(failure: Failure) -> list[Finding]:
    """Finds an `LSTM` in a `Sequential`; the next layer gets its tuple as input."""
    piece, reading = failure.piece, failure.reading
    path = (
        path_at(reading, piece.func, failure.step) if isinstance(piece, ast.Call) and failure.step.name == "TypeError" else ""
    )
    for number in range(MOST_CHILDREN if path else 0):
        tensor = named_at(reading, f"{path}[{number}].weight_ih_l0", failure.step)
        maker = None if tensor is None else reading.trace.tensors[tensor].made_by
        made = None if maker is None else reading.node_at(reading.trace.steps[maker].span)
        if maker is None or not isinstance(made, ast.Call):
            continue
        kind, is_torch = function_of_torch(reading, made.func, reading.trace.steps[maker])
        ran = reading.operators_of(reading.statement_of(failure.step.id))
        if is_torch and kind in RECURRENT and any(reading.node_at(each.span) is piece for each in ran):
            arguments: Arguments = {
                "name": f"{path}[{number}](…)",
                "rule": "pair",
                "type": "tuple",
                "maker": kind,
                "maker_line": 0,
                "written_line": 0,
                "function": f"{path}[{number + 1}]",
            }
            return [reading.exception_finding("not_a_tensor", failure.step, [], arguments, makers=[maker])]
    return []


def _needed(failure: Failure) -> list[tuple[ast.expr, str]]:
    """The expressions that must be tensors, and the function that needs each."""
    match failure.piece:
        case ast.Attribute(value=value, attr=attribute) | ast.Call(func=ast.Attribute(value=value, attr=attribute)) if (
            failure.step.name == "AttributeError"
        ):
            inner = [value.left, *value.comparators] if isinstance(value, ast.Compare) else [value]
            needed = [(each, attribute) for each in inner] if attribute in _METHODS else []
            return needed or _arguments(failure)
        case ast.Call():
            return _arguments(failure)
        case ast.BinOp(left=left, right=right):
            return [(left, ""), (right, "")]
        case ast.Subscript(value=value):
            return [(value, "[]")]
        case ast.Tuple() as target:
            statement = failure.reading.syntax.statement_around(target)
            return [(statement.value, "unpack")] if isinstance(statement, ast.Assign) else []
    return []


def _arguments(failure: Failure) -> list[tuple[ast.expr, str]]:
    """The arguments of a torch function or layer that must be tensors."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or not piece.args:
        return []
    name, is_torch = function_of_torch(failure.reading, piece.func, failure.step)
    path = "" if is_torch else refusing_path(failure)
    called = name if is_torch else called_by(failure, piece.func)[0]
    if is_torch and name not in _OF_TENSORS and name not in _OF_TWO:
        return []
    if not called and not path:
        return []
    is_of_two = called in _OF_TWO or called.endswith("Loss") or called == "MultiheadAttention"
    return [(each, path or called) for each in piece.args[: 2 if is_of_two else 1]]


def _finding(failure: Failure, node: ast.expr, function: str) -> Finding | None:
    reading, step = failure.reading, failure.step
    made: ast.expr | None = node
    maker: Step | None = step
    held: Held | None = None
    if isinstance(node, ast.Name):
        held = reading.held(node.id, step)
        if held is None or reading.named(node.id, step.frame, step.began) is not None:
            return None
        defined = reading.defined_by(node.id, step)
        statement, maker = defined if defined is not None else (None, None)
        made = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    what = _kind(held)
    pair = _pair(failure, made) if made is not None else ""
    returned = _returns_nothing(failure, made, maker) if made is not None and what in ("none", "call") else None
    if pair and (what in ("tuple", "object") or (what == "call" and pair[:1].isupper())):
        rule = "pair"
    elif returned is not None:
        rule = "nothing"
    elif what == "tuple" and (several := _returns_several(failure, made, maker)) is not None:
        rule, returned = "several", several
    elif what in ("none", "object", "call") or function in ("", "[]", "unpack"):
        return None
    else:
        rule = what
    is_named = isinstance(node, ast.Name)
    arguments: Arguments = {
        "name": clipped(reading.syntax.text_of(node)),
        "rule": rule,
        "type": "" if held is None else held.type,
        "maker": pair if rule == "pair" else "" if returned is None else returned[0],
        "maker_line": reading.line_of(maker.id) or 0 if maker is not None and is_named else 0,
        "written_line": 0 if returned is None else returned[1],
        "function": clipped(function) or "none",
    }
    fixes = _fixes(failure, node, made, (rule, pair), held)
    makers = [maker.id] if maker is not None and is_named else []
    return reading.exception_finding("not_a_tensor", step, [], arguments, fixes=fixes, makers=makers)


def _kind(held: Held | None) -> str:
    """The kind of value that a variable holds; "call" if it is unknown, which means that a call returned the value."""
    if held is None:
        return "call"
    if held.kind == "collection":
        return held.type if held.type in ("list", "tuple", "dict") else "call"
    if held.type == "NoneType":
        return "none"
    return held.kind if held.kind in ("array", "object") else "call"


def _pair(failure: Failure, made: ast.expr) -> str:
    """The layer, function or method that returned several tensors; "" if unknown."""
    if not isinstance(made, ast.Call):
        return ""
    name, _ = called_by(failure, made.func)
    if not name and isinstance(made.func, ast.Attribute) and last_name(made) in _PAIRS:
        name = last_name(made)
    return name if name in _PAIRS else ""


def _returns_nothing(failure: Failure, made: ast.expr, maker: Step | None) -> tuple[str, int] | None:
    """The function that returned None, and its first line; line 0 for a method such as `list.append`."""
    if not isinstance(made, ast.Call) or maker is None:
        return None
    reading = failure.reading
    name = last_name(made)
    statement = reading.statement_of(maker.id)
    if statement is None:
        return None
    if isinstance(made.func, ast.Attribute) and name in _IN_PLACE and isinstance(made.func.value, ast.Name):
        return name, 0
    held = reading.held(name, maker) if isinstance(made.func, ast.Name) else None
    wanted = f"{held.type}.forward" if held is not None and held.kind == "object" else name
    frames = list(reading.called_by(statement, failure.step if maker is failure.step else reading.ended(maker)))
    for frame in frames:
        is_it = f".{frame.function}".endswith(f".{wanted}") or (len(frames) == 1 and frame.function.endswith(".forward"))
        for function in reading.syntax.functions_at(frame.line) if is_it else []:
            values = [each for each in reading.syntax.walk(function) if isinstance(each, ast.Return) and each.value is not None]
            if not values and not any(isinstance(each, ast.Yield | ast.YieldFrom) for each in reading.syntax.walk(function)):
                return frame.function, function.lineno
    return None


def _returns_several(failure: Failure, made: ast.expr | None, maker: Step | None) -> tuple[str, int] | None:
    """The function of the snippet that returned a tuple literal, and the line of its return."""
    statement = None if maker is None else failure.reading.statement_of(maker.id)
    if not isinstance(made, ast.Call) or maker is None or statement is None:
        return None
    frames = list(failure.reading.called_by(statement, failure.reading.ended(maker)))
    body = failure.reading.statements_in.get(frames[0].id, []) if len(frames) == 1 else []
    last = failure.reading.statement_at(body[-1]) if body else None
    is_tuple = isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)
    return (frames[0].function, last.lineno) if last is not None and is_tuple else None


def _fixes(failure: Failure, node: ast.expr, made: ast.expr | None, how: tuple[str, str], held: Held | None) -> Fixes:
    rule, pair = how
    if rule == "pair" and pair in (*RECURRENT, "MultiheadAttention") and isinstance(node, ast.Name) and made is not None:
        return [offer("first_of_pair", _first, failure, made)]
    asked = failure.piece.func if isinstance(failure.piece, ast.Call) else failure.piece
    if rule == "pair" and pair in _INDICES and isinstance(made, ast.Call):
        receiver = asked.value if isinstance(asked, ast.Attribute) else None
        is_compared = isinstance(receiver, ast.Compare)
        text = ast.get_source_segment(failure.reading.syntax.text, made)
        return [offer("take_indices", failure.replaced, made, f"{text}.indices")] if is_compared and text else []
    if rule in ("list", "tuple") and len({each.shape for each in list_items(failure, node)}) == 1:
        return [offer("stack_list", _wrapped, failure, node, "torch.stack", "")]
    if rule == "array" and held is not None:
        behind = ".float()" if (held.text or "").endswith("float64") else ""
        return [offer("from_array", _wrapped, failure, node, "torch.from_numpy", behind)]
    return []


def _first(failure: Failure, made: ast.expr) -> str | None:
    """`x = self.lstm(x)` → `x, _ = self.lstm(x)`."""
    statement = failure.reading.syntax.statement_around(made)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return failure.replaced(statement.targets[0], f"{statement.targets[0].id}, _")
    return None


def _wrapped(failure: Failure, node: ast.expr, function: str, behind: str) -> str | None:
    text = ast.get_source_segment(failure.reading.syntax.text, node)
    is_there = "torch" in failure.reading.syntax.bound_names
    return failure.replaced(node, f"{function}({text}){behind}") if text is not None and is_there else None


def _joined(failure: Failure) -> list[Finding]:
    """Finds `torch.cat(a, b)`, where one list is needed."""
    match failure.piece:
        case ast.Call(func=function, args=[first, second, *_] as given):
            name, is_torch = function_of_torch(failure.reading, function, failure.step)
            one, other = failure.operand(first), failure.operand(second)
            if not is_torch or name not in _JOINING or one is None or other is None:
                return []
            texts = [ast.get_source_segment(failure.reading.syntax.text, each) for each in given if failure.operand(each)]
            fixes: Fixes = []
            if len(texts) == len(given):
                together = ast.Call(function, [], [])
                fixes.append(offer("join_list", _in_list, failure, [text or "" for text in texts], together))
            arguments: Arguments = {
                "name": clipped(one.text),
                "rule": "joined",
                "type": "",
                "maker": "",
                "maker_line": 0,
                "written_line": 0,
                "function": name,
            }
            return [failure.single_finding("not_a_tensor", [one, other], arguments, fixes=fixes)]
    return []


def _in_list(failure: Failure, texts: list[str], call: ast.Call) -> str | None:
    piece = failure.piece
    function = ast.get_source_segment(failure.reading.syntax.text, call.func)
    if not isinstance(piece, ast.Call) or function is None:
        return None
    words = [ast.get_source_segment(failure.reading.syntax.text, each.value) for each in piece.keywords]
    named = [f", {each.arg}={word}" for each, word in zip(piece.keywords, words, strict=True)]
    return failure.replaced(piece, f"{function}([{', '.join(texts)}]{''.join(named)})")
