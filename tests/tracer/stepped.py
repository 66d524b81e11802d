"""Run a snippet without a recorder, and return its tensors before and after each execution of chosen statements.

This module imports nothing of Stepgrad, so its results are independent of the code under test.
"""

import ast
import inspect
import io
import sys
import warnings
from collections import Counter
from contextlib import nullcontext
from types import FrameType
from typing import Any

from tests.tracer.bare import bare
from tests.tracer.differential import counters, flat, sizes, version
from tests.tracer.flowing import Flowing

MOST_RUNS = 300
"""The number of executed statements whose tensors are described. For later executions, the result is None."""

NODES, STALE = "?nodes", "?stale"
"""Two additional requests for a line: the gradients of the Nodes that ran, and the outdated saved tensors."""

APART = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of code that can be suspended in the middle of a statement."""

SIMPLE = (int, float, bool, str, type(None))


def told_lines(source: str) -> dict[int, int]:
    """Map the first line to the last line of each simple statement that shares no line with another statement.

    Only statements of modules and functions are included, not those of class bodies and generators.
    """
    tree = ast.parse(source)
    starts = Counter(node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt))
    found: dict[int, int] = {}
    pending: list[ast.AST] = [tree]
    while pending:
        scope = pending.pop()
        inside, simple, is_apart = [*ast.iter_child_nodes(scope)], [], False
        while inside:
            node = inside.pop()
            is_apart |= isinstance(node, ast.Yield | ast.YieldFrom | ast.Await)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
                pending.append(node)
                continue
            if isinstance(node, ast.stmt) and not hasattr(node, "body") and not hasattr(node, "cases"):
                simple.append(node)
            inside += ast.iter_child_nodes(node)
        for each in simple if isinstance(scope, ast.Module | ast.FunctionDef) and not is_apart else []:
            end = each.end_lineno or each.lineno
            if sum(starts[line] for line in range(each.lineno, end + 1)) == 1:
                found[each.lineno] = end
    return found


def records() -> bool:
    import torch

    return torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


class Stepping:
    """A trace function for `sys.settrace` that describes tensors before and after each execution of a statement, by its line."""

    def __init__(self, source: str, asked: dict[int, list[str]]) -> None:
        self._asked = asked
        self._ends = told_lines(source)
        self._open: dict[FrameType, tuple[int, dict[str, Any] | None]] = {}
        self._left = MOST_RUNS
        self.flowing = Flowing(source)
        self.runs: dict[int, list[dict[str, Any] | None]] = {line: [] for line in asked}

    def __call__(self, frame: FrameType, event: str, argument: object) -> "Stepping | None":
        code = frame.f_code
        is_module = code.co_name == "<module>"
        if code.co_filename != "snippet.py" or (code.co_name.startswith("<") and not is_module) or code.co_flags & APART:
            return None
        if not is_module and not code.co_flags & inspect.CO_OPTIMIZED:  # a class body
            return None
        if event == "exception" and frame in self._open and (run := self._open[frame][1]) is not None:
            run["raised"] = True
        if event in ("line", "return"):
            self._pass(frame, frame.f_lineno if event == "line" else None)
        return self

    def _pass(self, frame: FrameType, line: int | None) -> None:
        if frame in self._open:
            begun, run = self._open[frame]
            if line is not None and begun <= line <= self._ends[begun] > begun:
                return
            del self._open[frame]
            if run is not None:
                run["after"], run["counters"], run["values"] = self._seen(frame, begun)
                run["records_after"] = records()
                run["printed"] = "".join(text[length:] for text, length in zip(output(), run["printed"], strict=True))
                run["nodes"] = self.flowing.ran[run["nodes"] :]
                if STALE in self._asked[begun]:
                    tensors = [each for scope in scopes_of(frame).values() for each in scope.values() if is_tensor(each)]
                    run["saved"] = self.flowing.outdated(tensors)
            self.runs[begun].append(run)
        if line in self._asked and line in self._ends:
            self._left -= 1
            self._open[frame] = line, self._begun(frame, line) if self._left >= 0 else None

    def _begun(self, frame: FrameType, line: int) -> dict[str, Any]:
        import torch

        grad_mode, inference = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        printed = [len(text) for text in output()]
        before, _, _ = self._seen(frame, line)
        told = {"before": before, "raised": False, "grad_mode": grad_mode, "inference": inference, "printed": printed}
        return told | {"nodes": len(self.flowing.ran)}

    def _seen(self, frame: FrameType, line: int) -> tuple[dict[str, Any], dict[str, str], dict[str, str]]:
        """Return facts of tensors, their shared version counters, and the `repr` of numbers and strings, each by name.

        Besides tensors in variables, this describes tensors at the paths that were requested for the line.
        """
        import torch

        if torch._C._get_tracing_state() is not None:  # reading tensors would add operators to the program that torch traces
            return {}, {}, {}
        tracing = sys.gettrace()
        sys.settrace(None)
        try:
            scopes = scopes_of(frame)
            named = {
                name + place: value
                for place, variables in scopes.items()
                for name, value in variables.items()
                if isinstance(value, torch.Tensor)
            }
            for asked in self._asked[line]:
                found = value_of(asked, scopes)
                if isinstance(found, torch.Tensor):
                    named[asked] = found
            described = {name: told for name, tensor in named.items() if (told := describe(tensor)) is not None}
            values = {
                name + place: repr(value)
                for place, variables in scopes.items()
                for name, value in variables.items()
                if type(value) in SIMPLE
            }
            return described, hanging({name: named[name] for name in described}), values
        finally:
            sys.settrace(tracing)


def is_tensor(value: Any) -> bool:
    """Whether a value is a plain tensor or Parameter, for which attributes run no code of the snippet."""
    import torch

    return type(value) in (torch.Tensor, torch.nn.Parameter)


def output() -> list[str]:
    """Return the output to stdout and to stderr so far."""
    return [stream.getvalue() if isinstance(stream, io.StringIO) else "" for stream in (sys.stdout, sys.stderr)]


def scopes_of(frame: FrameType) -> dict[str, dict[str, Any]]:
    """Return the variables of the module and of each active function.

    The key is "" for the module, ` · f` for a function, and ` · f (2)` for the second active call of the function.
    """
    stack = []
    around: FrameType | None = frame
    while around is not None:
        if around.f_code.co_filename == "snippet.py" and around.f_code.co_flags & inspect.CO_OPTIMIZED:
            stack.append(around)
        around = around.f_back
    scopes, times = {"": dict(frame.f_globals)}, Counter[str]()
    for each in reversed(stack):
        function = each.f_code.co_qualname.rpartition("<locals>.")[2]
        times[function] += 1
        number = times[function]
        scopes[f" · {function}" if number == 1 else f" · {function} ({number})"] = dict(each.f_locals)
    return scopes


def value_of(asked: str, scopes: dict[str, dict[str, Any]]) -> Any:
    """Return the value of a path such as `net.weight` or `x · f`; None if it has none."""
    path, dot, function = asked.partition(" · ")
    try:
        return eval(path, {"__builtins__": {}}, scopes[dot + function])
    except Exception:
        return None


def describe(tensor: Any) -> dict[str, Any] | None:
    """Return torch's facts about a tensor; None if torch raises an exception.

    `grad_fn` is not read: after a write to the base of a view, reading `grad_fn` would replace the view's Node.
    """
    import torch
    from torch.utils._python_dispatch import _disable_current_modes

    with warnings.catch_warnings(), torch._C.DisableTorchFunction(), _disable_current_modes():
        warnings.simplefilter("ignore")
        try:
            grad = tensor.grad
            return sizes(tensor) | {
                "version": version(tensor),
                "requires_grad": tensor.requires_grad,
                "is_leaf": tensor.is_leaf,
                "values": flat(tensor),
                "grad": None if grad is None else flat(grad),
                "tensor": id(tensor),
            }
        except Exception:
            return None


def hanging(named: dict[str, Any]) -> dict[str, str]:
    """Return the result of `counters`; empty if torch raises an exception."""
    try:
        return counters(named)
    except Exception:
        return {}


def stepped(source: str, asked: dict[str, list[str]]) -> dict[str, list[dict[str, Any] | None]]:
    """Run a snippet, and return every execution of the statements that begin on the given lines.

    `asked` maps a line to the paths of additional tensors to describe.
    """
    stepping = Stepping(source, {int(line): paths for line, paths in asked.items()})
    watched = stepping.flowing.watched() if any(NODES in paths for paths in asked.values()) else nullcontext()
    sys.settrace(stepping)
    try:
        with watched:
            bare(source, [])
    finally:
        sys.settrace(None)
    return {str(line): runs for line, runs in stepping.runs.items()}
