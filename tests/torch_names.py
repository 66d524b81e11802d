"""Generate the names that the editor completes, from the installed torch: `make torch-names`."""

import importlib
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parents[1] / "static/js/lazy/editing/torch-names.js"
MODULES: Final = ("torch", "torch.autograd", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim")


def names(owner: Any) -> list[str]:
    """Return the public names of `owner`, without those imported from other packages."""
    public = [name for name in dir(owner) if not name.startswith("_")]
    return [name for name in public if _home(getattr(owner, name, None)).startswith("torch")]


def _home(value: Any) -> str:
    """Return the module that defines a value. Return "torch" if the module is unknown."""
    home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return home if isinstance(home, str) else "torch"


def listed() -> dict[str, list[str]]:
    """Return the names by their owner. The names are listed in a new Python process, because imports add names."""
    told = subprocess.run([sys.executable, "-m", "tests.torch_names", "--list"], capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(told.stdout)
    return found


def script() -> str:
    """Return the content of the JavaScript file."""
    import torch

    rows = [
        f'  {json.dumps(owner) if "." in owner else owner}:\n    "{" ".join(found)}",\n' for owner, found in listed().items()
    ]
    return f"""/** Owns the public names of torch {torch.__version__.partition("+")[0]}. Made by `make torch-names`. */

/** @type {{Record<string, string>}} */
export const NAMES = {{
{"".join(rows)}}};
"""


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        found = {name: names(importlib.import_module(name)) for name in MODULES}
        print(json.dumps(found | {"Tensor": names(importlib.import_module("torch").Tensor)}))
    else:
        FILE.write_text(script(), encoding="utf-8")
