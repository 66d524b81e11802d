"""Finds reads of a file or folder that does not exist. In the sandbox, only files that the program itself created exist."""

import ast
import re

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax, last_name

_READERS = frozenset({"fromfile", "genfromtxt", "imread", "listdir", "memmap", "scandir", "ImageFolder"})
"""Functions that read a file or folder, besides `open` and names with a prefix in `_BEGINNINGS`."""

_BEGINNINGS = ("load", "read_")

_LISTERS = ("glob", "rglob", "iglob", "listdir")
"""Functions that list files."""


@finder(after=["find_downloads"], of_the_sandbox=True)
def find_absent_file(reading: Reading) -> list[Finding]:
    """An error for the call that read a missing file, or for an index into an empty list of files."""
    step = None if reading.raised("FileNotFoundError", "IndexError") is None else reading.fatal
    if step is None or reading.found_by("find_downloads"):
        return []
    arguments: Arguments = {"files": "", "listed_line": 0}
    call: ast.Call | None = None
    match reading.node_at(step.span):
        case ast.Call() as piece if step.name == "FileNotFoundError" and _reads(piece):
            call = piece
        case ast.Subscript(value=ast.Name(id=variable)) if step.name == "IndexError":
            held, listing = reading.held(variable, step), _listing(reading.syntax, variable)
            if listing is not None and held is not None and held.text == "[]":
                call, arguments = listing, {"files": variable, "listed_line": listing.lineno}
    if call is None:
        return []
    arguments["name"] = dotted(call.func) or last_name(call)
    return [reading.exception_finding("absent_file", step, [], arguments)]


def _listing(syntax: Syntax, variable: str) -> ast.Call | None:
    """The call `glob.glob("*.pt")` in `files = sorted(glob.glob("*.pt"))`, if the variable is assigned only once."""
    match syntax.only_value(ast.Name, variable):
        case ast.Call(func=ast.Name(id="list" | "sorted"), args=[ast.Call() as call, *_]) | (ast.Call() as call):
            return call if last_name(call) in _LISTERS else None
    return None


def _reads(call: ast.Call) -> bool:
    """Whether a call reads the file or folder at a path. A call of `open` that may write does not count."""
    name = last_name(call)
    if name != "open":
        return name in _READERS or name.startswith(_BEGINNINGS)
    modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    if isinstance(call.func, ast.Attribute):  # `path.open("w")`
        modes += [given for given in call.args[:1] if isinstance(given, ast.Constant)]
    return not any(_may_write(mode) for mode in modes)


def _may_write(mode: ast.expr) -> bool:
    return not isinstance(mode, ast.Constant) or re.fullmatch("[wax][bt+]{0,2}", str(mode.value)) is not None
