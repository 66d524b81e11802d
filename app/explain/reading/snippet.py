"""Parses the untrusted text of a snippet."""

import ast
import threading
import warnings

PARSED_CHARACTERS = 64 << 10
"""Longer snippets are not parsed: a syntax tree takes about 300 times the memory of its text (measured on `a;a;a;...`)."""

MOST_CHARACTERS = 40
"""Maximum length of a quotation of the snippet in a sentence."""

_WARNINGS = threading.Lock()


def normal(source: str) -> str:
    """The text with Python's line ends (fewer than those of `str.splitlines`) replaced by `\\n`, without a byte order mark."""
    return source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def lines_of(source: str) -> tuple[str, ...]:
    """The lines as Python counts them; `lines_of(s)[n - 1]` is line n."""
    return tuple(normal(source).split("\n"))


def if_python(source: str) -> str | None:
    """`source` if it can be parsed, else None."""
    return source if parsed(source) is not None else None


def parsed(source: str) -> ast.Module | None:
    """The syntax tree; None if Python cannot parse the text or if the text is too long."""
    if len(source) > PARSED_CHARACTERS:
        return None
    # Python warns about strings such as `"\d"`, and a visitor's code must not write to the server's log. The lock is needed
    # because warning filters apply to all threads.
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(normal(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def dotted(node: ast.expr) -> str:
    """The dotted name of an attribute chain, such as `torch.hub.load`; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def called_name(node: ast.AST | None) -> str:
    """The name of the called function or method: `argmax` for `x.argmax()` and `torch.argmax(x)`; "" for other expressions."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
    return ""
