"""Compare a trace with torch's state after each top-level statement of the same snippet, run without a recorder.

The process that runs the snippet without a recorder imports nothing of Stepgrad.
"""

import ast
import io
import linecache
import random
import sys
import types
import warnings
from typing import Any

# --- plain --------------------------------------------------------------------------------------------------------------


def plain(source: str) -> dict[str, Any]:
    """Run a snippet's top-level statements one by one in `__main__`.

    Return the output and the facts of all global tensors after each statement.
    """
    import numpy as np
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    module = types.ModuleType("__main__")
    module.__file__ = "snippet.py"
    sys.modules["__main__"] = module
    sys.argv = ["snippet.py"]
    linecache.cache["snippet.py"] = (len(source), None, source.splitlines(keepends=True), "snippet.py")
    sys.stdout = output = io.StringIO()
    answer: dict[str, Any] = {"statements": [], "raised": None}
    saves = Saves()
    lines = io.StringIO(source, newline=None).readlines()
    for statement in ast.parse(source).body:
        code = compile(ast.Module([statement], []), "snippet.py", "exec", dont_inherit=True)
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            kind = type(error)
            prefix = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "."
            answer["raised"] = {"type": prefix + kind.__qualname__, "message": str(error)}
        named = {n: v for n, v in module.__dict__.items() if isinstance(v, torch.Tensor)}
        said = {
            "lines": [first_line(statement), statement.end_lineno],
            "begins": [first_line(statement), len(lines[statement.lineno - 1].encode()[: statement.col_offset].decode())],
            "output": output.getvalue(),
            "tensors": {name: describe(tensor) for name, tensor in named.items()},
        }
        said |= {"counters": counters(named), "nodes": nodes(named, saves), "modules": modules(module.__dict__)}
        answer["statements"].append(said)
        del named
        if answer["raised"]:
            break
    return answer


def first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def describe(tensor: Any) -> dict[str, Any]:
    """Return torch's facts about a tensor.

    `grad_fn` is read only once: after a write to the base of a view, reading `grad_fn` replaces the view's Node.
    """
    import torch

    with warnings.catch_warnings(), torch._C.DisableTorchFunction():
        warnings.simplefilter("ignore")
        return sizes(tensor) | _described(tensor, tensor.grad)


def sizes(tensor: Any) -> dict[str, Any]:
    """Return shape, stride and offset without calling a subclass's overrides; empty unless the tensor is strided and has a
    Storage.
    """
    import torch

    if tensor.layout != torch.strided or tensor.is_nested or torch.nn.parameter.is_lazy(tensor):
        return {}
    shape, stride = list(torch.Tensor.shape.__get__(tensor)), list(torch.Tensor.stride(tensor))  # type: ignore[attr-defined]
    if type(tensor).__torch_dispatch__ is not torch._C._disabled_torch_dispatch_impl:
        return {"shape": shape, "stride": stride}
    storage_offset, storage = tensor.storage_offset(), tensor.untyped_storage()._cdata
    return {"shape": shape, "stride": stride, "storage_offset": storage_offset, "storage": storage}


def _described(tensor: Any, grad: Any) -> dict[str, Any]:
    return {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "version": version(tensor),
        "requires_grad": tensor.requires_grad,
        "grad_fn": asked(lambda: tensor.grad_fn and tensor.grad_fn.name()),
        "is_leaf": asked(lambda: tensor.is_leaf),
        "values": flat(tensor),
        "grad": None if grad is None else flat(grad),
        "tangent": tangent(tensor),
        "tensor": id(tensor),
        "base": id(tensor._base) if tensor._is_view() else None,
        "grad_tensor": None if grad is None else id(grad),
    }


def tangent(tensor: Any) -> Any:
    """Return the forward-mode tangent of a tensor; None outside of `dual_level()`."""
    import torch
    from torch.autograd import forward_ad

    if (
        forward_ad._current_level < 0
        or tensor.layout != torch.strided
        or torch._C._functorch.is_functorch_wrapped_tensor(tensor)
    ):
        return None
    with torch.no_grad():  # unpacking creates a view, whose Node would take a sequence number
        carried = forward_ad.unpack_dual(tensor).tangent  # type: ignore[no-untyped-call]
    return None if carried is None else flat(carried)


def version(tensor: Any) -> int | None:
    """Return the version of a tensor; None for an inference tensor."""
    try:
        return int(tensor._version)
    except RuntimeError:
        return None


def counters(named: dict[str, Any]) -> dict[str, str]:
    """Map each tensor's name to the first name whose tensor uses the same version counter. Inference tensors have none."""
    import torch

    set_version = torch._C._autograd._unsafe_set_version_counter
    first: dict[str, str] = {}
    counted = {name: tensor for name, tensor in named.items() if version(tensor) is not None}
    for name, tensor in counted.items():
        before = tensor._version
        set_version((tensor,), (2**31 - 9,))
        first[name] = next(other for other in counted if counted[other]._version == 2**31 - 9)
        set_version((tensor,), (before,))
    return first


def modules(variables: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return the buffers of every module in global variables, as {path of the module: {path of the buffer: its id()}}."""
    from torch.nn import Module

    found: dict[str, dict[str, int]] = {}
    for variable, value in variables.items():
        if not isinstance(value, Module) or variable.startswith("__"):
            continue
        for way, inner in Module.named_modules(value, remove_duplicate=False):
            path = "".join([variable, *map(registered, way.split(".") if way else [])])
            buffers = Module.named_buffers(inner, recurse=False, remove_duplicate=False)
            found[path] = {path + registered(name): id(buffer) for name, buffer in buffers}
    return found


def registered(name: str) -> str:
    """Return the expression that accesses a parameter, buffer or child by its registered name, such as `.weight` or `[0]`."""
    return f"[{name}]" if name.isdigit() else f".{name}" if name.isidentifier() else f"[{name!r}]"


class Saves:
    """The values of each Node's saved tensors when `nodes` first visited the Node.

    No Node and no tensor is kept alive, because values are stored as strings.
    """

    def __init__(self) -> None:
        self.values: dict[int, dict[str, list[str]]] = {}

    def of(self, node: Any) -> dict[str, list[str]]:
        serial = node.metadata.setdefault("differential", len(self.values))
        return self.values.setdefault(serial, {})


def nodes(named: dict[str, Any], saves: Saves) -> dict[str, Any]:
    """Return the autograd graph of these tensors: `roots` maps names to Node numbers, and `reached` describes each Node by
    number.
    """
    import torch

    numbers: dict[Any, int] = {}
    waiting = []
    roots: dict[str, list[int]] = {}

    def number(node: Any) -> int:
        # Torch may replace a leaf's AccumulateGrad Node at any time, so the Node is identified by its leaf.
        key = id(node.variable) if node.name().endswith("AccumulateGrad") and node.variable is not None else node
        if key not in numbers:
            numbers[key] = len(numbers)
            waiting.append((node, numbers[key]))
        return numbers[key]

    for name, tensor in named.items():
        node = asked(lambda tensor=tensor: tensor.grad_fn)
        if isinstance(node, torch.autograd.graph.Node):
            roots[name] = [number(node), tensor.output_nr]
    reached: dict[str, Any] = {}
    while waiting:
        node, serial = waiting.pop()
        leaf = getattr(node, "variable", None) if node.name().endswith("AccumulateGrad") else None
        reached[str(serial)] = {
            "name": node.name(),
            "edges": [None if following is None else [number(following), nr] for following, nr in node.next_functions],
            "leaf": None if leaf is None else id(leaf),
            "saves": {} if leaf is not None else saved(node, saves.of(node)),
        }
    return {"roots": roots, "reached": reached}


def saved(node: Any, before: dict[str, list[str]]) -> dict[str, list[Any]]:
    """Return for each saved tensor of a Node whether torch can unpack it now, and whether its values changed since `before`."""
    found: dict[str, list[Any]] = {}
    for attribute in dir(node):
        if not attribute.startswith("_raw_saved_"):
            continue
        slot = attribute.removeprefix("_raw_saved_")
        try:
            content: Any = getattr(node, attribute)
        except RuntimeError:
            found[slot] = ["released", False]
            continue
        if isinstance(content, tuple | None) or content.unpack_hook is not None:
            continue
        if content.data is None:
            if slot in before:
                found[slot] = ["released", False]
            continue
        try:
            getattr(node, "_saved_" + slot)
            state = "current"
        except RuntimeError as refusal:
            state = "outdated" if "inplace" in str(refusal) else "released"
        values = flat(content.data)
        found[slot] = [state, before.setdefault(slot, values) != values]
        found[slot].append(values == before[slot] != [])
    return found


def asked(question: Any) -> Any:
    """Return the result of `question`, or "refused" if torch raises a RuntimeError.

    For example, torch refuses to return the `grad_fn` of a view whose base was written in another grad mode.
    """
    try:
        return question()
    except RuntimeError:
        return "refused"


def flat(tensor: Any) -> list[str]:
    """Return the elements in row-major order, as strings that distinguish NaN, infinity and -0.0."""

    known = sizes(tensor)
    if "storage" not in known or tensor.device.type not in ("cpu", "cuda") or tensor.numel() > 256:
        return []
    last = sum((count - 1) * stride for count, stride in zip(known["shape"], known["stride"], strict=True))
    if tensor.numel() and (tensor.storage_offset() + last + 1) * tensor.itemsize > tensor.untyped_storage().nbytes():
        return []  # the tensor extends beyond its storage, so reading it would crash
    try:
        return [str(value) for value in tensor.detach().reshape(-1).tolist()]
    except RuntimeError:  # an inference tensor that looks normal after an assignment to `.data`
        return []


# --- comparing ----------------------------------------------------------------------------------------------------------


def differences(torch_says: dict[str, Any], trace: Any) -> list[str]:
    """Return one line for each contradiction between torch and the trace. Facts that the trace marks as unknown are skipped."""
    found: list[str] = []
    ends: list[int] = []
    following: list[Any] = [*torch_says["statements"][1:], None]
    for statement, after in zip(torch_says["statements"], following, strict=True):
        following_begins = [sys.maxsize, 0] if after is None else after["begins"]
        found += [f"line {statement['lines'][1]}: {each}" for each in _at_statement(statement, trace, following_begins, ends)]
    found += _at_end(torch_says["raised"], trace.ended)
    return found


def _at_end(raised: dict[str, str] | None, ended: Any) -> list[str]:
    if raised is None:
        said: Any = None if type(ended).__name__ == "Finished" else ended
    elif type(ended).__name__ == "Raised":
        said = {"type": ended.type, "message": ended.message}
    elif type(ended).__name__ == "Exited":
        said = {"type": ended.by, "message": str(ended.code)}
    else:
        said = ended
    return [] if said == raised else [f"end: torch {raised}, trace {said}"]


def _at_statement(statement: dict[str, Any], trace: Any, before: list[int], ends: list[int]) -> list[str]:
    from tests.trace.state import State

    outer = [s for s in trace.steps if s.kind == "statement" and s.frame == 0]
    steps = [s for s in outer if statement["begins"] <= [s.span.line, s.span.column] < before]
    if not steps:
        return [] if not statement["tensors"] and not statement["output"] else ["no step"]
    if any(step.ended is None for step in steps):
        return ["the step has no end"]
    state = State(trace, max(step.ended for step in steps))
    ends.append(state.tick)
    found = []
    if state.text() != statement["output"]:
        found.append(f"output: torch {statement['output']!r}, trace {state.text()!r}")
    named = {name: tensor for name, tensor in state.variables().items() if name.isidentifier()}
    if set(named) != set(statement["tensors"]):
        found.append(f"names: torch {sorted(statement['tensors'])}, trace {sorted(named)}")
    same = {"storage": Same(), "tensor": Same()}
    for name in sorted(named.keys() & statement["tensors"].keys()):
        expected = statement["tensors"][name]
        said = _said(state, named[name])
        for field, value in said.items():
            if field not in expected:
                continue
            if field in ("storage", "tensor", "base", "grad_tensor"):
                if not same["storage" if field == "storage" else "tensor"].agree(expected[field], value):
                    found.append(f"{name}.{field}: torch means another than the trace")
            elif field in ("values", "grad") and expected[field] == []:
                continue  # torch raised an error
            elif value != "unknown" and not _same(value, expected[field], expected["dtype"]):
                found.append(f"{name}.{field}: torch {expected[field]}, trace {value}")
    found += _at_counters(statement["counters"], state, named)
    found += _at_buffers(statement["modules"], state, same["tensor"])
    return found + _at_nodes(statement["nodes"], state, named, same["tensor"], ends)


def _at_buffers(theirs: dict[str, dict[str, int]], state: Any, tensors: "Same") -> list[str]:
    """Compare the buffers of modules with the Names that have `is_buffer`."""
    from app.trace.query import value_at

    names = {name.path: name for name in state.trace.names if name.frame == 0 and name.key is None}
    ours = {
        path: id_ for path, id_ in state.variables().items() if path in names and value_at(names[path].is_buffer, state.tick)
    }
    found, named = [], set()
    for path, buffer in [each for held in theirs.values() for each in held.items()]:
        # Only the shortest path to a nested module has Names.
        if path in ours:
            named.add(buffer)
            if not tensors.agree(buffer, ours[path]):
                found.append(f"{path}: torch means another than the trace")
        elif path in state.variables():
            found.append(f"{path} is a buffer")
    found += [f"no Name of buffer {path}" for held in theirs.values() for path, buffer in held.items() if buffer not in named]
    known = {path for held in theirs.values() for path in held}
    return found + [f"{path} is no buffer" for path in ours if path not in known and path[: _last_step(path)] in theirs]


def _last_step(path: str) -> int:
    """Return the index where the last attribute or item of a path begins."""
    return max(path.rfind("."), path.rfind("["))


class Same:
    """A one-to-one mapping between torch's ids and the trace's ids, built while comparing."""

    def __init__(self) -> None:
        self._ours: dict[Any, Any] = {None: None}
        self._theirs: dict[Any, Any] = {None: None}

    def agree(self, theirs: Any, ours: Any) -> bool:
        return bool(self._ours.setdefault(theirs, ours) == ours and self._theirs.setdefault(ours, theirs) == theirs)


def _at_counters(theirs: dict[str, str], state: Any, named: dict[str, Any]) -> list[str]:
    from app.trace.records import Unknown

    same, found = Same(), []
    for name, first in theirs.items():
        counter = state.tensor(named[name]).version_counter if name in named else None
        if name in named and not isinstance(counter, Unknown) and not same.agree(first, counter):
            found.append(f"{name} shares its version counter differently")
    return found


def _at_nodes(theirs: dict[str, Any], state: Any, named: dict[str, Any], tensors: Same, ends: list[int]) -> list[str]:
    """Compare the autograd graphs of the named tensors."""
    same, found = Same(), []
    waiting: list[tuple[int, Any]] = []
    for name, (root, output_nr) in theirs["roots"].items():
        grad_fn: Any = state.tensor(named[name]).grad_fn if name in named else None
        if getattr(grad_fn, "output_nr", output_nr) != output_nr:
            found.append(f"{name}.output_nr: torch {output_nr}, trace {grad_fn.output_nr}")
        if hasattr(grad_fn, "node"):
            waiting.append((root, grad_fn.node))
    met = set()
    saved: dict[Any, list[Any]] = {}
    for save in state.saved_tensors.values():
        saved.setdefault(save.saved_tensor.node, []).append(save)
    while waiting:
        number, node_id = waiting.pop()
        if not same.agree(number, node_id):
            found.append(f"node {node_id} stands for two")
        if number in met:
            continue
        met.add(number)
        said, node = theirs["reached"][str(number)], state.trace.nodes[node_id]
        edges = [edge and edge.input_nr for edge in node.edges]
        if node.name != said["name"] or edges != [edge and edge[1] for edge in said["edges"]] or node_id not in state.nodes:
            found.append(f"node {node_id} {node.name}: torch {said}, freed {node.freed}")
            continue
        if not tensors.agree(said["leaf"], node.variable):
            found.append(f"node {node_id} accumulates into another leaf")
        waiting += [(e[0], edge.node) for e, edge in zip(said["edges"], node.edges, strict=True) if e is not None]
        found += _at_saves(said["saves"], saved.get(node_id, []), node, state, ends)
    return found


def _spoilt_later(save: Any, state: Any, ends: list[int]) -> bool:
    """Whether the trace says that a later statement overwrote the saved tensor.

    Torch is asked only after whole statements, so it cannot confirm an overwrite within the statement that saved the tensor.
    """
    if save.overwritten is None:
        return False
    return any(save.saved_tensor.tick <= end < state.trace.writes[save.overwritten].tick for end in ends)


def _at_saves(theirs: dict[str, list[Any]], ours: list[Any], node: Any, state: Any, ends: list[int]) -> list[str]:
    found = []
    # The recorder notices writes that bypass torch only in storages that a named tensor uses.
    watched = {tensor.geometry.storage for tensor in map(state.tensor, state.names.values())}
    for slot, (status, differs, *same) in theirs.items():
        save = next((save for save in ours if save.saved_tensor.name == slot), None)
        if save is None:
            if status != "released":
                found.append(f"node {node.id} {node.name}: {slot} is not recorded")
            continue
        said = save.state if save.state in ("outdated", "released") else "current"
        if said != status:
            found.append(f"node {node.id} {node.name}.{slot}: torch {status}, trace {save.state}")
        if differs and save.overwritten is None and save.saved_tensor.geometry.storage in watched:
            found.append(f"node {node.id} {node.name}.{slot} was overwritten")
        if same == [True] and status == "current" and _spoilt_later(save, state, ends):
            found.append(f"node {node.id} {node.name}.{slot} is as it was")
    return found


def _said(state: Any, tensor_id: int) -> dict[str, Any]:
    """Return the trace's facts about a tensor, in the format of `describe`."""
    from app.trace.records import Unknown

    tensor = state.tensor(tensor_id)
    geometry = tensor.geometry
    grad_fn = tensor.grad_fn
    said = {
        "shape": geometry.shape,
        "stride": geometry.stride,
        "storage_offset": geometry.storage_offset,
        "dtype": geometry.dtype,
        "version": tensor.version,
        "requires_grad": tensor.requires_grad,
        "is_leaf": tensor.is_leaf,
        "grad_fn": grad_fn and (grad_fn if isinstance(grad_fn, Unknown) else state.trace.nodes[grad_fn.node].name),
        "storage": geometry.storage,
        "values": _values(state, tensor_id),
        "grad": None if tensor.grad is None else _values(state, tensor.grad),
        "tangent": None if tensor.tangent is None else _values(state, tensor.tangent),
        "tensor": tensor_id,
        "base": tensor.base,
        "grad_tensor": tensor.grad,
    }
    if geometry.layout == "opaque":  # the recorder does not run a subclass's code for these
        said |= dict.fromkeys(("shape", "stride", "storage_offset"), "unknown")
    return {field: "unknown" if isinstance(value, Unknown) else value for field, value in said.items()}


def _values(state: Any, tensor: int) -> Any:
    from app.trace.records import Unknown

    elements = state.elements(tensor)
    if isinstance(elements, Unknown):
        return "unknown"
    return elements if len(elements) <= 256 else []


def _same(said: Any, expected: Any, dtype: str) -> bool:
    if isinstance(said, list) and isinstance(expected, list) and expected and isinstance(expected[0], str):
        return len(said) == len(expected) and all(_same_value(s, e, dtype) for s, e in zip(said, expected, strict=True))
    return bool(said == expected) or (expected == "refused" and said == "unknown")


def _same_value(said: Any, expected: str, dtype: str) -> bool:
    """Whether a value in the trace and a string of `tolist()` are the same number in this dtype."""
    import torch

    kind = getattr(torch, dtype)
    if isinstance(said, tuple):
        said = complex(float(said[0]), float(said[1]))
    value = said == "True" if isinstance(said, str) and said in ("True", "False") else said
    theirs: Any = {"True": True, "False": False}.get(expected)
    if theirs is None:
        theirs = complex(expected) if kind.is_complex else float(expected) if kind.is_floating_point else int(expected)
    ours = value if isinstance(value, complex | bool) else float(value) if kind.is_floating_point else int(value)
    left, right = torch.tensor(ours, dtype=kind), torch.tensor(theirs, dtype=kind)
    return str(left.tolist()) == str(right.tolist())
