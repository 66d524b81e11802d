"""Collect programs to explain: from the tests, the course, and the docstrings of the installed torch."""

import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from app.lessons import lessons
from tests.corpus.heads import PROGRAMS

EXPLAINED = Path(__file__).parents[1]

DOCUMENTED = (
    *("torch", "torch.Tensor", "torch.autograd", "torch.autograd.forward_ad", "torch.autograd.functional"),
    *("torch.autograd.graph", "torch.autograd.profiler", "torch.fft", "torch.func", "torch.linalg", "torch.nn"),
    *("torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.parametrizations"),
    *("torch.nn.utils.parametrize", "torch.nn.utils.rnn", "torch.nn.utils.stateless", "torch.optim"),
    *("torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.special", "torch.utils.checkpoint", "torch.utils.data"),
)
"""Modules and classes of torch. Their docstrings and those of their public members contain examples."""

IMPORTS = "import math\nimport numpy as np\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
"""Imports that torch's examples omit."""

APART = re.compile(r"\.pt\b|num_workers=[1-9]|profile|empty\w*\(|Tensor\(\d")
"""Patterns of examples to leave out: they write files, start processes, print times or use uninitialized values."""


def written(folder: str) -> dict[str, str]:
    """Return the programs in a folder of the tests, by name."""
    return {
        f"{folder}/{path.name.removesuffix('.py.txt')}": path.read_text(encoding="utf-8")
        for path in sorted((EXPLAINED / folder).rglob("*.py.txt"))
    }


def sources() -> dict[str, str]:
    """Return the programs of the tests and the course, by name."""
    fixes = {name: text.partition("\n\n")[2] for name, text in written("fixes").items()}
    recorded = sorted((EXPLAINED.parent / "tracer/snippets").glob("*.py"))
    whole = {name: text.partition("\n# meant\n\n") for name, text in fixes.items()}
    return {
        **{name: text.partition("\n\n")[2] for name, text in written("snippets").items()},
        **written("near_misses"),
        **written("no_findings"),
        **{name: broken for name, (broken, _, _) in whole.items()},
        **{f"{name}, meant": meant for name, (_, _, meant) in whole.items() if meant},
        **{f"tracer/{path.stem}": path.read_text(encoding="utf-8") for path in recorded},
        **{f"corpus/{program.name}": program.source for program in PROGRAMS},
        **{f"course/{lesson.slug}": lesson.snippet.source for lesson in lessons()},
    }


@cache
def documented() -> dict[str, str]:
    """Return the examples in torch's docstrings as programs, one for each docstring."""
    found: dict[str, str] = {}
    for name, owner in owners():
        try:
            examples = doctest.DocTestParser().get_examples(inspect.getdoc(owner) or "")
        except ValueError:  # doctest rejects the indentation of this docstring
            continue
        source = "".join(example.source for example in examples)
        if source and source not in found.values() and not APART.search(source):
            found[name] = source
    return {name: IMPORTS + source for name, source in found.items()}


def owners() -> Iterator[tuple[str, Any]]:
    """Yield the objects with docstrings: the modules, their public members, and the methods of classes."""
    for path in DOCUMENTED:
        module, _, name = path.rpartition(".")
        whole = getattr(importlib.import_module(module), name) if path == "torch.Tensor" else importlib.import_module(path)
        yield path, whole
        for inner, value in inspect.getmembers(whole):
            if inner.startswith("_") or inspect.ismodule(value):
                continue
            yield f"{path}.{inner}", value
            if inspect.isclass(value) and path != "torch":
                for method, function in inspect.getmembers(value):
                    if not method.startswith("_") and callable(function):
                        yield f"{path}.{inner}.{method}", function
