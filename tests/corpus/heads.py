"""The corpus: programs from threads, issues and tutorials, written anew and reduced, with what plain torch does in the head.

The head is comment lines `# key: value` up to an empty line; a line that begins with `#   ` goes on with the value before it.
Lines count from the first line after the empty one.

    thread      the address where the program was found
    kind        `broken`, `silently wrong` or `ordinary`
    ends        `finished`, or `<exception> at line <n>`, with `, called from line <n>` for each caller, the nearest first
    says        a piece of torch's message
    fact        an expression that is true in the program's module after its end, or after it raised
    finding     what a finding should say; `none` if there must be no warning and no error
    culprit     the line of the cause
    victim      the line where it shows
    repair      an edit: `line <n>: <text>`, `before <n>: <text>`, `after <n>: <text>` or `without <n>`. The text takes the
                indentation of line <n>, which counts in the program as it is. A longer repair is `longer: <sentence>`.
    repaired    an expression that is true after the edited program finished
"""

import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

MOST_EDITS = 3
EDIT = re.compile(r"(line|before|after|without) (\d+)(?:: (.+))?")
ENDS = re.compile(r"finished|([\w.]+) at line (\d+)((?:, called from line \d+)*)")


class Program(NamedTuple):
    """One program: its head, and the source that runs."""

    name: str
    head: dict[str, list[str]]
    source: str

    def one(self, key: str) -> str:
        """The value of a key that stands once."""
        (value,) = self.head[key]
        return value

    @property
    def end(self) -> tuple[str, list[int]] | None:
        """The exception and its lines in the program, the outermost first; None for a run that finishes."""
        found = ENDS.fullmatch(self.one("ends"))
        assert found, self.head["ends"]
        return (found[1], [int(line) for line in re.findall(r"\d+", found[2] + found[3])[::-1]]) if found[1] else None

    @property
    def edits(self) -> list[tuple[str, int, str]]:
        """The repair as (what, line, text); none where there is no repair or a longer one."""
        matches = [EDIT.fullmatch(text) for text in self.head.get("repair", [])]
        return [(found[1], int(found[2]), found[3] or "") for found in matches if found]

    @property
    def repaired(self) -> str:
        """The source with the edits made."""
        pieces = [[line] for line in self.source.splitlines()]
        for what, number, text in self.edits:
            line = self.source.splitlines()[number - 1]
            new = line[: len(line) - len(line.lstrip())] + text
            pieces[number - 1] = {"line": [new], "before": [new, line], "after": [line, new], "without": []}[what]
        return "".join(f"{line}\n" for piece in pieces for line in piece)


def read(path: Path) -> Program:
    """A program from its file."""
    head, _, source = path.read_text(encoding="utf-8").partition("\n\n")
    values: dict[str, list[str]] = defaultdict(list)
    for line in re.sub(r"\n#   +", " ", head).splitlines():
        key, _, value = line.removeprefix("# ").partition(": ")
        values[key].append(value)
    return Program(path.stem, dict(values), source)


FOLDERS = ("programs", "unseen")
"""What is in `unseen` is not read by whoever changes finders."""

PROGRAMS = [read(path) for folder in FOLDERS for path in sorted((Path(__file__).parent / folder).glob("*.py"))]
