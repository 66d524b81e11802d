"""Finds text copied from a session or a notebook: prompts, a common indentation, shell and magic lines.

The finder offers the correction as a fix instead of applying it silently, because the text belongs to the visitor.
"""

import re
import textwrap
from collections.abc import Sequence

from app.explain.finding import Finding, finder
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import if_python
from app.explain.rewriting.replacing import without_lines

_PROMPT = re.compile(r"[ \t]*(?:>>>|In ?\[[0-9 ]{0,9}\]:)(?: |$)")
_CONTINUATION = re.compile(r"[ \t]*\.\.\.:?(?: |$)")
_SHELL = re.compile(r"[ \t]*(?:[!%]|(?:python3? -m )?(?:pip3?|conda) install\b)")
_SYNTAX_ERRORS = ("SyntaxError", "IndentationError", "TabError")


@finder()
def find_prompts(reading: Reading) -> list[Finding]:
    """Finds `>>>`, `...` and `In [1]:` before the code. Lines without a prompt are the output of the session."""
    lines = reading.syntax.lines
    first = next((number for number, line in enumerate(lines, start=1) if line.strip()), None)
    prompts = [number for number, line in enumerate(lines, start=1) if _PROMPT.match(line)]
    # A valid snippet may quote a session in its docstring, and `In [1]: x = 2` is a valid annotation in Python.
    if not prompts or (prompts[0] != first and reading.raised(*_SYNTAX_ERRORS) is None):
        return []
    code = without_prompts(lines)
    return [reading.text_finding("pasted_prompts", prompts[0], {}, fix="strip_prompts", source=code if code.strip() else None)]


def without_prompts(lines: Sequence[str]) -> str:
    """The input of the session, without prompts and output."""
    typed: list[str] = []
    typing = False
    for line in lines:
        match = _PROMPT.match(line) or (_CONTINUATION.match(line) if typing else None)
        typing = match is not None
        if match is not None:
            typed.append(line[match.end() :])
    return "\n".join(typed) + "\n"


@finder()
def find_indentation(reading: Reading) -> list[Finding]:
    """Finds code in which all lines are indented, or all but the first, as code that was copied from within a block."""
    if reading.raised(*_SYNTAX_ERRORS) is None:
        return []
    source = reading.syntax.text
    head, newline, rest = source.partition("\n")
    for moved, line in ((textwrap.dedent(source), 1), (head + newline + textwrap.dedent(rest), 2)):
        if moved != source and if_python(moved) is not None:
            return [reading.text_finding("pasted_indentation", line, {}, fix="strip_indentation", source=moved)]
    return []


@finder()
def find_shell_lines(reading: Reading) -> list[Finding]:
    """Finds `!pip install ...` and `%matplotlib inline`: commands for a notebook or a shell, not Python."""
    if reading.raised(*_SYNTAX_ERRORS) is None:  # in valid code, `%` may begin a line inside brackets
        return []
    numbers = [number for number, line in enumerate(reading.syntax.lines, start=1) if _SHELL.match(line)]
    if not numbers:
        return []
    commented = if_python(without_lines(reading.trace.source, set(numbers)))
    return [
        reading.text_finding("shell_lines", numbers[0], {"count": len(numbers)}, fix="comment_shell_lines", source=commented)
    ]
