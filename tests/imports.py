"""Find the files that a test file imports, directly or through modules in `tests`."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def imported(file: str) -> frozenset[str]:
    """Return the paths of a test file, of the modules that it and its conftest.py import, and of the modules that these
    import.

    Imports of other modules than those in `tests` are not searched for further imports. Paths are relative to the root; some
    files may not exist.
    """
    found: set[str] = set()
    waiting = [file]
    if (beside := Path(file).parent) != Path("tests"):
        waiting.append(str(beside / "conftest.py"))
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.startswith("tests/") and (ROOT / path).exists():
            waiting += [candidate for name in _names_of_imports(ROOT / path) for candidate in _places(name)]
    return frozenset(found)


@cache
def _names_of_imports(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _places(name: str) -> list[str]:
    path = name.replace(".", "/")
    return [f"{path}.py", f"{path}/__init__.py"] if path.startswith(("app/", "tests/")) else []
