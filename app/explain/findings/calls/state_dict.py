"""Finds `load_state_dict` calls whose keys or shapes do not match the module."""

import ast
import re

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.shapes import of_tensor
from app.trace.query import MODULE
from app.trace.records import TensorId

_Keys = dict[str, TensorId]

_PREFIX = "module."
"""The prefix that `DataParallel` adds to every key."""


@failure_finder("RuntimeError")
def find_state_dict(failure: Failure) -> list[Finding]:
    """An error for the first key that does not match."""
    reading = failure.reading
    match failure.piece:
        case ast.Call(func=ast.Attribute(value=module, attr="load_state_dict"), args=[given, *_]) as call:
            pass
        case _:
            return []
    path = reading.syntax.path_of(module)
    wanted, held, got = _of_module(failure, path), _of_module(failure, path, True), _given(failure, given)
    strict = call.args[1] if len(call.args) > 1 else failure.keyword("strict")
    is_loose = isinstance(strict, ast.Constant) and strict.value is False
    rule, key = _refused(failure, wanted, held, got, is_loose) if wanted and got else ("", "")
    if not rule and not is_loose and not got:
        key = _wrapped(failure, given, wanted)
        rule = "wrapped" if key else ""
    if not rule:
        return []
    fixes: Fixes = []
    if rule == "prefix" and isinstance(given, ast.Name):
        stripped = f'{{key.removeprefix("{_PREFIX}"): value for key, value in {given.id}.items()}}'
        fixes.append(offer("strip_prefix", failure.replaced, given, stripped))
    elif rule == "wrapped" and isinstance(given, ast.Name):
        fixes.append(offer("take_entry", failure.replaced, given, f"{given.id}[{key!r}]"))
    one, other = wanted.get(key), got.get(key)
    shapes = [None if each is None else of_tensor(reading, each, failure.step) for each in (one, other)]
    missing, unexpected = [each for each in wanted if each not in got], [each for each in got if each not in held]
    arguments: Arguments = {
        "rule": rule,
        "entry": clipped(key),
        "module": reading.told(path, failure.step.frame),
        "given": clipped(reading.syntax.text_of(given)),
        "missing": len(missing),
        "unexpected": len(unexpected),
        "first_missing": clipped(missing[0]) if missing else "none",
        "first_unexpected": clipped(unexpected[0]) if unexpected else "none",
        "wanted_shape": str(shapes[0].shape) if shapes[0] is not None else "",
        "given_shape": str(shapes[1].shape) if shapes[1] is not None else "",
    }
    tensors = [each for each in (one, other) if each is not None]
    makers = [operand.maker for operand in shapes if operand is not None]
    return [reading.exception_finding("state_dict_mismatch", failure.step, tensors, arguments, fixes=fixes, makers=makers)]


def _refused(failure: Failure, wanted: _Keys, held: _Keys, got: _Keys, is_loose: bool) -> tuple[str, str]:
    """Why a module refuses a dict, and the first key that does not match; "" if it accepts the dict."""
    if (
        all(key.startswith(_PREFIX) for key in got)
        and {key.removeprefix(_PREFIX) for key in got} <= held.keys()
        and not is_loose
    ):
        return "prefix", next(iter(got))
    for key in wanted:
        if key in got:
            one, other = (of_tensor(failure.reading, each, failure.step) for each in (wanted[key], got[key]))
            if one is not None and other is not None and one.shape != other.shape:
                return "size", key
    missing = [key for key in wanted if key not in got and not is_loose]
    unexpected = [key for key in got if key not in held and not is_loose]
    if missing and unexpected:
        return "both", missing[0]
    if missing:
        return "missing", missing[0]
    return ("unexpected", unexpected[0]) if unexpected else ("", "")


def _given(failure: Failure, given: ast.expr) -> _Keys:
    """The keys of another module's `state_dict()`, or of a dict that a variable holds."""
    match given:
        case ast.Call(func=ast.Attribute(value=other, attr="state_dict"), args=[], keywords=[]):
            return _of_module(failure, failure.reading.syntax.path_of(other))
        case ast.Name(id=name):
            held = failure.reading.held(name, failure.step)
            found = {key[2]: tensor for behind, tensor in _behind(failure, name) if (key := _KEY.fullmatch(behind)) is not None}
            return found if held is not None and held.length in (None, len(found)) else {}
    return {}


def _wrapped(failure: Failure, given: ast.expr, wanted: _Keys) -> str:
    """The key of the intended state dict in a dict such as `{"model": state_dict, "epoch": 3}`; "" if there is none."""
    for behind, _ in _behind(failure, given.id) if isinstance(given, ast.Name) else []:
        found = _KEYS.fullmatch(behind)
        if found is not None and found[4] in wanted:
            return found[2]
    return ""


_KEY = re.compile(r"\[(['\"])([^'\"]*)\1\]")
_KEYS = re.compile(_KEY.pattern + r"\[(['\"])([^'\"]*)\3\]")


def _of_module(failure: Failure, path: str, of_buffers: bool = False) -> _Keys:
    """The Parameters of a module by the keys of its `state_dict`; `of_buffers` includes its other tensors."""
    return {
        re.sub(r"\[(\w+)\]", r".\1", behind).lstrip("."): tensor
        for behind, tensor in (_behind(failure, path) if path else [])
        if behind.startswith((".", "[")) and (of_buffers or failure.reading.trace.tensors[tensor].type == "Parameter")
    }


def _behind(failure: Failure, path: str) -> list[tuple[str, TensorId]]:
    """The tensors whose path begins with `path`, each with the rest of its path."""
    reading, step = failure.reading, failure.step
    root = re.split(r"[.\[]", path)[0]
    for scope in dict.fromkeys((step.frame, MODULE)):
        names = [(name.path, reading.tensor_at(name, step.began)) for name in reading.names_through(root, scope)]
        found = [
            (each.removeprefix(path), tensor)
            for each, tensor in names
            if tensor is not None and each.startswith(path) and each != path
        ]
        if found:
            return found
    return []
