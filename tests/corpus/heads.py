"""Read the programs of the corpus: reduced versions of programs from forum threads, issues and tutorials.

The head of a file states how the program behaves in torch without a recorder.

The head consists of comment lines `# key: value` and ends with an empty line. A line that begins with `#   ` continues the
previous value. Line 1 is the first line after the head.

    thread      the address where the program was found
    kind        `broken`, `silently wrong` or `ordinary`
    ends        `finished`, or `<exception> at line <n>`, then `, called from line <n>` for each caller, innermost first
    says        a part of torch's error message
    fact        an expression that is true in the program's module after its end, or after it raised
    finding     what a finding about the program should say; `none` if there must be no warning and no error
    culprit     the line that causes the problem
    victim      the line that raises, or whose result is wrong
    repair      an edit: `line <n>: <text>`, `before <n>: <text>`, `after <n>: <text>` or `without <n>`. The text gets the
                indentation of line <n>; <n> is a line of the unedited program. A longer repair is `longer: <sentence>`.
    repaired    an expression that is true after the repaired program has finished
"""

import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

MOST_EDITS = 3
EDIT = re.compile(r"(line|before|after|without) (\d+)(?:: (.+))?")
ENDS = re.compile(r"finished|([\w.]+) at line (\d+)((?:, called from line \d+)*)")


class Program(NamedTuple):
    """A program of the corpus, split into its head and its source."""

    name: str
    head: dict[str, list[str]]
    source: str

    def one(self, key: str) -> str:
        """Return the value of a key that occurs once."""
        (value,) = self.head[key]
        return value

    @property
    def end(self) -> tuple[str, list[int]] | None:
        """Return the type of the exception and the lines of its traceback, outermost first; None if the program finishes."""
        found = ENDS.fullmatch(self.one("ends"))
        assert found, self.head["ends"]
        return (found[1], [int(line) for line in re.findall(r"\d+", found[2] + found[3])[::-1]]) if found[1] else None

    @property
    def edits(self) -> list[tuple[str, int, str]]:
        """Return the repair as a list of (kind, line, text). Empty if there is no repair, or only a sentence (`longer`)."""
        matches = [EDIT.fullmatch(text) for text in self.head.get("repair", [])]
        return [(found[1], int(found[2]), found[3] or "") for found in matches if found]

    @property
    def repaired(self) -> str:
        """Return the source after the repair."""
        pieces = [[line] for line in self.source.splitlines()]
        for what, number, text in self.edits:
            line = self.source.splitlines()[number - 1]
            new = line[: len(line) - len(line.lstrip())] + text
            pieces[number - 1] = {"line": [new], "before": [new, line], "after": [line, new], "without": []}[what]
        return "".join(f"{line}\n" for piece in pieces for line in piece)


def read(path: Path) -> Program:
    head, _, source = path.read_text(encoding="utf-8").partition("\n\n")
    values: dict[str, list[str]] = defaultdict(list)
    for line in re.sub(r"\n#   +", " ", head).splitlines():
        key, _, value = line.removeprefix("# ").partition(": ")
        values[key].append(value)
    return Program(path.stem, dict(values), source)


FOLDERS = ("programs", "unseen")
"""`unseen` tests that findings generalise: authors of finders do not read its programs."""

PROGRAMS = [read(path) for folder in FOLDERS for path in sorted((Path(__file__).parent / folder).glob("*.py"))]
