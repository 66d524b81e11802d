"""Finds names that are not imported and packages that are not installed."""

import ast
import re
import sys

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.added_imports import with_imports
from app.explain.rewriting.without_package import without_package

USUAL = {
    "torch": "import torch",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "optim": "from torch import optim",
    "autograd": "from torch import autograd",
    "Variable": "from torch.autograd import Variable",
    "Parameter": "from torch.nn import Parameter",
    "Tensor": "from torch import Tensor",
    "Dataset": "from torch.utils.data import Dataset",
    "DataLoader": "from torch.utils.data import DataLoader",
    "TensorDataset": "from torch.utils.data import TensorDataset",
    "copy": "import copy",
    "deepcopy": "from copy import deepcopy",
    "math": "import math",
    "random": "import random",
    "time": "import time",
    "os": "import os",
    "sys": "import sys",
}
"""The usual import of names that snippets often use without importing them."""

ABSENT = {"plt": "matplotlib", "pd": "pandas", "torchvision": "torchvision", "sns": "seaborn", "tqdm": "tqdm"}
"""The usual names of packages that are not installed."""

NEEDED_BY = {"torch.utils.tensorboard": "tensorboard"}
"""Packages that modules of torch import."""


@finder()
def find_missing_import(reading: Reading) -> list[Finding]:
    """An error for a name such as `torch` or `np` that raised a NameError because the snippet never binds it."""
    ended = reading.raised("NameError")
    if ended is None:
        return []
    bound = reading.syntax.bound_names
    used: dict[str, int] = {}
    for node in reading.syntax.of(ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            used[node.id] = min(used.get(node.id, node.lineno), node.lineno)
    raised = {node.id for node in reading.syntax.on_line(ended.line) if isinstance(node, ast.Name)}
    if "*" in bound or (ended.line is not None and not raised & used.keys() & (USUAL.keys() | ABSENT.keys())):
        return []
    absent = [] if reading.trace.header.in_process else [name for name in ABSENT if name in used]
    findings = [_absent(reading, ABSENT[name], used[name]) for name in absent]
    missing = sorted((name for name in USUAL if name in used), key=lambda name: used[name])
    if not missing:
        return findings
    statements = [USUAL[name] for name in missing]
    source = with_imports(reading.trace.source, statements)
    arguments: Arguments = {
        "names": ", ".join(f"`{name}`" for name in missing),
        "count": len(missing),
        "statement": "; ".join(statements),
    }
    return [reading.text_finding("missing_import", used[missing[0]], arguments, fix="add_import", source=source), *findings]


@finder(of_the_sandbox=True)
def find_absent_package(reading: Reading) -> list[Finding]:
    """An error for an import of a package that is not installed."""
    ended = reading.raised("ModuleNotFoundError")
    present = sys.stdlib_module_names | _importable(reading)
    package = ended and (
        _imported_at(reading.syntax, ended.line, present)
        or _called_at(reading.syntax, ended.line, present)
        or _named_in(ended.message)
    )
    if not ended or not package:
        return []
    without = without_package(reading.syntax, package, ended.line)
    return [_absent(reading, package, ended.line, without)]


def _imported_at(syntax: Syntax, line: int | None, present: frozenset[str]) -> str | None:
    for node in syntax.of(ast.Import, ast.ImportFrom):
        if line is None or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for module in modules:
            package = NEEDED_BY.get(module, module.split(".")[0])
            if package and package not in present:
                return package
    return None


def _called_at(syntax: Syntax, line: int | None, present: frozenset[str]) -> str | None:
    """The package in `__import__("jax")` or `importlib.import_module("jax.numpy")`; None if there is none."""
    for node in syntax.on_line(line):
        match node:
            case ast.Call(func=function, args=[ast.Constant(value=str(module)), *_]):
                package = module.split(".")[0]
                if dotted(function).split(".")[-1] in ("__import__", "import_module") and package and package not in present:
                    return package
    return None


def _named_in(message: str) -> str | None:
    # Python's own wording (importlib._bootstrap._ERR_MSG), for an import whose name the snippet computes.
    match = re.match(r"No module named '([\w.]{1,200})'", message)
    return None if match is None else match[1]


def _importable(reading: Reading) -> frozenset[str]:
    """The packages besides the standard library that the run could import.

    Older recordings do not list packages; in their runs, torch and numpy could be imported.
    """
    return frozenset({"torch", *(reading.trace.header.packages or ("numpy",))})


def _absent(reading: Reading, package: str, line: int | None, without: str | None = None) -> Finding:
    available = ", ".join(sorted(_importable(reading), key=lambda name: (name != "torch", name)))
    arguments: Arguments = {"package": package, "packages": available}
    return reading.text_finding("absent_package", line, arguments, fix="without_package", source=without)
