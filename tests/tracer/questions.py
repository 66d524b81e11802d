"""Functions for expressions that watched.py evaluates in a run without a recorder, to check findings against torch.

This module imports nothing of Stepgrad.
"""

import dis
import gc
import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch

gc.freeze()  # `everything` must skip objects that exist before the snippet runs

_taken: list[torch.Tensor | None] = []
_heard: dict[str, int] = {}
_first: dict[str, Any] = {}


def shown(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def memory(value: Any) -> int:
    """Return the address of a tensor's storage or of a NumPy array's memory. Views have the address of their base."""
    if hasattr(value, "__array_interface__") and not hasattr(value, "untyped_storage"):
        while value.base is not None and hasattr(value.base, "__array_interface__"):
            value = value.base
        return int(value.__array_interface__["data"][0])
    return int(value.untyped_storage().data_ptr())


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Return the tensors in a list or dict, the parameters of a module, or the tensor itself as a list."""
    if isinstance(value, torch.nn.Module):
        return list(value.parameters())
    values = [value] if isinstance(value, torch.Tensor) else value.values() if isinstance(value, dict) else value
    return [each for each in values if isinstance(each, torch.Tensor)]


def overlaps(tensor: torch.Tensor) -> bool:
    """Whether two elements have the same memory offset."""
    places = torch.zeros((), dtype=torch.long)
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        places = places.unsqueeze(-1) + torch.arange(size) * stride
    return len(set(places.flatten().tolist())) < tensor.numel()


def is_parameter(value: Any) -> bool:
    return isinstance(value, torch.nn.Parameter)


def broadcast(one: torch.Tensor, other: torch.Tensor) -> tuple[int, ...]:
    return tuple((torch.empty(one.shape, device="meta") + torch.empty(other.shape, device="meta")).shape)


def everything(kind: type) -> Iterator[Any]:
    """Yield the live instances of a class that were created after the start of the snippet."""
    return (each for each in gc.get_objects() if issubclass(type(each), kind))


def is_optimized(parameter: torch.Tensor, optimizer: Any = None) -> bool:
    """Whether an optimizer contains a parameter: the given optimizer or, by default, any live one."""
    holders = everything(torch.optim.Optimizer) if optimizer is None else [optimizer]
    return any(parameter is each for holder in holders for group in holder.param_groups for each in group["params"])


def nodes_behind(tensors: list[torch.Tensor]) -> list[Any]:
    """Return the Nodes of the graphs of these tensors."""
    found: dict[Any, None] = {}
    pending = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending += [following for following, _ in node.next_functions if following is not None]
    return list(found)


def freed(name: str) -> int:
    """Count the Nodes of this name that have a freed saved tensor. Only Nodes in the graphs of live tensors count."""
    return sum(
        node.name().rpartition("::")[2] == name and is_freed(node) for node in nodes_behind(list(everything(torch.Tensor)))
    )


def passes(value: Any) -> int:
    """Count the Nodes in the graph of a tensor. For a list, dict or module, count its tensors that have a `grad_fn`."""
    kept = tensors_in(value)
    return len(nodes_behind(kept)) if isinstance(value, torch.Tensor) else sum(each.grad_fn is not None for each in kept)


def is_unused(root: torch.Tensor, leaf: torch.Tensor) -> bool:
    """Whether the graph has no path from `root` to `leaf`."""
    (found,) = torch.autograd.grad(root, leaf, torch.ones_like(root), retain_graph=True, allow_unused=True)
    return found is None


def is_freed(node: Any) -> bool:
    """Whether a saved tensor of a Node was freed."""
    for slot in [each for each in dir(node) if each.startswith("_saved_") or each == "saved_tensors"]:
        try:
            getattr(node, slot)
        except RuntimeError as refusal:
            if "freed" in str(refusal):
                return True
    return False


def defaults(function: str) -> list[Any]:
    """Return the default values of the parameters of the snippet's functions with this name."""
    named = [each for each in everything(type(defaults)) if each.__name__ == function]
    ours = [each for each in named if each.__code__.co_filename == "snippet.py"]
    return [value for each in ours for value in (*(each.__defaults__ or ()), *(each.__kwdefaults__ or {}).values())]


def listen(name: str, tensor: torch.Tensor) -> bool:
    """Register a hook that counts the tensor's gradients under `name`. Later calls with the same name have no effect."""
    if name not in _heard:
        _heard[name] = 0

        def hear(_: torch.Tensor) -> None:
            _heard[name] += 1

        tensor.register_hook(hear)  # type: ignore[no-untyped-call]
    return True


def heard(name: str) -> int:
    """Return how many gradients the hook of `listen(name, …)` has counted."""
    return _heard.get(name, 0)


def is_another(name: str, value: Any) -> bool:
    """Whether `value` is another object than in the first call with this name."""
    first = _first.setdefault(name, value)
    return first is not value


def is_stepped(optimizer: Any) -> bool:
    """Whether `optimizer.step()` was called.

    The evidence is a state, or the attribute that learning rate schedulers check.
    """
    return bool(optimizer.state) or getattr(optimizer, "_opt_called", False)


def gives_nothing(function: str) -> bool:
    """Whether every `return` of the snippet's functions with this name returns None."""
    named = [each for each in everything(type(gives_nothing)) if each.__name__ == function]
    codes = [list(dis.get_instructions(each)) for each in named if each.__code__.co_filename == "snippet.py"]
    ends = [(one, other) for code in codes for one, other in pairwise(code) if other.opname == "RETURN_VALUE"]
    return all(one.opname == "LOAD_CONST" and one.argval is None for one, _ in ends)


def is_never_read(function: str, parameter: str) -> bool:
    """Whether `backward` of the snippet's autograd.Function with this name never loads the variable `parameter`."""
    kinds = [each for each in torch.autograd.Function.__subclasses__() if each.__name__ == function]
    codes = [each.backward.__code__ for each in kinds]
    read = (one for code in codes for one in dis.get_instructions(code) if one.opname.startswith("LOAD"))
    return bool(codes) and not any(parameter in (one.argval if isinstance(one.argval, tuple) else [one.argval]) for one in read)


def alone(leaf: torch.Tensor) -> list[Any] | None:
    """Measure the gradient that a statement adds to `leaf.grad`.

    Call before and after the statement. The first call sets `leaf.grad` to None. The second call restores the sum, and
    returns the old and the added gradient; None if either is missing.
    """
    with torch.no_grad():
        if not _taken:
            _taken.append(leaf.grad)
            leaf.grad = None
            return None
        old, new = _taken.pop(), leaf.grad
        if old is None or new is None:
            leaf.grad = new if old is None else old
            return None
        told = [old.tolist(), new.tolist()]
        leaf.grad = old.add_(new)
        return told


def out_of_place() -> None:
    """Set `inplace` to False in all modules."""
    for module in everything(torch.nn.Module):
        if getattr(module, "inplace", False):
            module.inplace = False


HELP = {"torch": torch, **{name: value for name, value in globals().items() if inspect.isfunction(value)}}
"""The functions and modules that questions can use. Variables of the snippet with the same name take precedence."""
