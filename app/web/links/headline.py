"""The headline of a program without a title: its first meaningful words.

`static/js/words/headline.js` chooses the same words.
"""

import re
from typing import Final

MOST: Final = 40
"""Maximum characters of a headline."""
LINES: Final = 400
"""Maximum number of lines that are searched."""
MOST_OF_LINE: Final = 200
"""Maximum characters of a line for the patterns, because the patterns backtrack, and an attacker may write long lines."""
COMMENT: Final = re.compile(r"^\s*#(?!!|\s*(?:type:|noqa|fmt:|ruff:|pylint:|-\*-))[\s#%=*-]*(.*)$")
DOCSTRING: Final = re.compile(r"^[rRuU]?(\"\"\"|\'\'\'|\"|\')(.*)$")
NAMED: Final = re.compile(r"^class\s+(\w+)")
PASSED: Final = re.compile(r"^(?:import|from)\b|^torch\.manual_seed\b|^[\s)\]}@]|^(?:def|async|if|for|with|try|while)\b")
WORD: Final = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")


def headline(source: str) -> str:
    """The docstring, else the first comment, the last class, or the first statement other than an import; else ""."""
    lines = [line[:MOST_OF_LINE] for line in source.split("\n", LINES)[:LINES]]
    code = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    written = [found[2].strip().removesuffix(found[1]) for line in code[:1] if (found := DOCSTRING.match(line))]
    comments = [found[1] for line in lines if (found := COMMENT.match(line))]
    classes = [found[1] for line in lines if (found := NAMED.match(line))]
    plain = [line.split("  #")[0] for line in code if not PASSED.match(line)]
    words = (text.strip() for text in (*written, *comments, *classes[-1:], *plain[:1]))
    text = next((text for text in words if WORD.search(text)), plain[0].strip() if plain else "")
    return text if len(text) <= MOST else f"{text[: MOST - 1].rstrip()}…"
