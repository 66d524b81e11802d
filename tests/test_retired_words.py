"""Names in Python, style sheets and paths contain no retired words, so that each concept has one name.

`retired_words.json` contains the list. tests/js/retired-words.test.js checks JavaScript. Comments and documentation are not
checked.
"""

import io
import json
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "retired_words.json").read_text("utf-8"))
"""Retired words with their replacements. A word is retired as a complete name (in all languages or in one) or as a part of a
name.
"""

WHOLE = {**WORDS["everywhere"], **WORDS["python"]}

OTHERS = re.compile(r"^static/(vendor|bundle)/|/(snippets|fixtures|near_misses|no_findings|data)/|\.(lock|json|woff2|png|svg)$")
"""Files whose names others choose: libraries, visitors' programs and recordings."""


def parts(name: str) -> list[str]:
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


@cache
def retired(name: str) -> str | None:
    """Return the replacement if a name or one of its words is retired; otherwise None."""
    whole = WHOLE.get(name.lower().strip("_"))
    return whole or next((WORDS["part"][part] for part in parts(name) if part in WORDS["part"]), None)


def tracked() -> list[str]:
    """Return the paths of the tracked files except OTHERS."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [path for path in listed if not OTHERS.search(path)]


def identifiers(path: str) -> Iterator[tuple[int, str]]:
    """Yield the names in a file with their lines."""
    text = (ROOT / path).read_text("utf-8")
    if path.endswith(".css"):
        bare = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
        yield from ((bare.count("\n", 0, found.start()) + 1, found[1]) for found in re.finditer(r"\.(-?[a-z][\w-]*)", bare))
    elif any(map(retired, set(re.findall(r"[^\W\d]\w*", text)))):  # avoids the slow tokenizer
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        yield from ((token.start[0], token.string) for token in tokens if token.type == tokenize.NAME)


def test_no_file_is_named_by_a_retired_word() -> None:
    found = [(path, word) for path in tracked() for piece in Path(path).parts if (word := retired(piece.partition(".")[0]))]
    assert found == []


@pytest.mark.parametrize("suffix", [".py", ".css"])
def test_no_identifier_uses_a_retired_word(suffix: str) -> None:
    found = [
        f"{path}:{line}: {name} is {word}"
        for path in tracked()
        if path.endswith(suffix)
        for line, name in identifiers(path)
        if (word := retired(name))
    ]
    assert found == []


def test_retired_words_are_found_in_every_spelling() -> None:
    assert [name for name in ("own", "isLighting", "wish_list", "ZygoteKeeper", "the-hall") if not retired(name)] == []
    assert [name for name in ("owner", "isOwnDraft", "ast_walk", "shallow", "kind", "marshalling") if retired(name)] == []
