"""Reduces a trace to the data that `record()` keeps: the source that ran, and the values that the user did not exclude."""

import ast
import re
from collections.abc import Callable, Iterable
from typing import Final, Literal

from msgspec.structs import replace

from app.trace.chunks import Trace
from app.trace.clipping import clip
from app.trace.ends import Ended, OutOfMemory, Raised
from app.trace.records import MOST_FILE_TEXT, MOST_TEXT, FileId, Held, Variable, VariableId
from app.tracer.statements.blanked import Ran, blanked
from app.tracer.statements.source import Source

MOST_CHARACTERS: Final = 80
"""Maximum number of kept characters of a str or bytes variable."""

Values = Literal["all", "tensors"]
Redact = Iterable[str] | Callable[[str], bool]
"""Names of variables and dict keys to drop, or a predicate on a name."""

_KEY = re.compile(r"""(?:^\{|, )(?:'([^']*)'|"([^"]*)"): """)
_COLOUR = r"(?:\x1b\[[\d;]*m)*"
_ENTRY = re.compile(
    rf'^([ \t|]*)File {_COLOUR}"[^"\n]*"{_COLOUR}, line [^\n]*(?:\n|\Z)((?:\1[ \t]+[^\n]*(?:\n|\Z))+)', re.MULTILINE
)
"""An entry of a traceback: its indentation, file and line, and the source quoted below it."""


class Redaction:
    """The values that the user excluded from a recording. With `values` "tensors", no text of variables and no saved scalars
    are kept."""

    def __init__(self) -> None:
        self.values: Values = "all"
        self._redacted: list[Callable[[str], bool]] = []

    def add(self, values: Values, redact: Redact) -> None:
        """Add restrictions. Raises ValueError for an unknown `values`."""
        if values not in ("all", "tensors"):
            raise ValueError(f'`values` must be "all" or "tensors", not {values!r}.')
        if values == "tensors":
            self.values = values
        names = {redact} if isinstance(redact, str) else redact
        self._redacted.append(names if callable(names) else frozenset(names).__contains__)

    def held(self, name: str, held: Held | None) -> Held | None:
        """Return the kept part of a variable's value: shortened, or without its text if it is redacted."""
        if held is None:
            return None
        names = [name, *(key or other for key, other in _KEY.findall(held.text or ""))] if held.kind == "collection" else [name]
        if self.values == "tensors" or any(is_redacted(each) for is_redacted in self._redacted for each in names):
            return replace(held, text=None, length=held.length if held.kind == "collection" else None)
        return _shortened(held) if held.type in ("str", "bytes") else held


def kept(trace: Trace, sources: Iterable[Source], entered: int | None, redaction: Redaction) -> Trace:
    """Return the trace with the kept parts of its source texts and variables. `trace` may lack the source texts.

    The kept lines of each source are the lines that ran: the called functions, and the block that began on line `entered` of
    the trace's own source. If `entered` is None, the block is the call of a function, or a whole module.
    """
    texts: dict[FileId | None, str] = {}
    named: set[str] = set()
    ran = Ran(trace, entered)
    for source in sources:
        texts[source.file], names = blanked(source, ran)
        named |= names
    files, left = [], MOST_FILE_TEXT
    for file in trace.files:
        text = _fitting(texts.get(file.id, ""), min(MOST_TEXT, left))
        left -= len(text)
        files.append(replace(file, text=text))
    lines = {line.strip() for text in texts.values() for line in text.split("\n")}

    def said(text: str) -> str:
        return _ENTRY.sub(lambda entry: _entry(entry, lines), text)

    return replace(
        trace,
        source=texts.get(None, ""),
        files=files,
        variables=_variables(trace.variables, named, redaction),
        nodes=trace.nodes if redaction.values == "all" else [replace(node, scalars={}) for node in trace.nodes],
        outputs=[replace(each, text=said(each.text)) for each in trace.outputs],
        steps=[each if each.message is None else replace(each, message=said(each.message)) for each in trace.steps],
        ended=_ended(trace.ended, said),
    )


def _ended(ended: Ended, said: Callable[[str], str]) -> Ended:
    if isinstance(ended, OutOfMemory) and ended.raised is not None:
        return replace(ended, raised=_ended(ended.raised, said))
    if not isinstance(ended, Raised):
        return ended
    earlier = [replace(each, message=said(each.message)) for each in ended.earlier]
    return replace(ended, message=said(ended.message), earlier=earlier)


def _entry(entry: re.Match[str], lines: set[str]) -> str:
    """Return an entry of a traceback, without its source lines and their markers if these lines are not kept."""
    quoted = re.sub(_COLOUR, "", entry[2]).split("\n")
    is_kept = all(line.strip() in lines or not line.strip("~^| \t") for line in quoted)
    return entry[0] if is_kept else entry[0][: entry.start(2) - entry.start()]


def _fitting(text: str, room: int) -> str:
    """Return the first lines of a text, with at most `room` characters."""
    text = clip(text, len(text) or 1)
    return text if len(text) <= room else text[: text.rfind("\n", 0, room) + 1]


# --- variables --------------------------------------------------------------------------------------------------------


def _variables(variables: Iterable[Variable], named: set[str], redaction: Redaction) -> list[Variable]:
    """Return the variables that occur in kept lines. A module, or a function around the block, may have other variables."""
    found = [each for each in variables if each.name in named]
    return [
        replace(each, id=VariableId(number), value=[(tick, redaction.held(each.name, held)) for tick, held in each.value])
        for number, each in enumerate(found)
    ]


def _shortened(held: Held) -> Held:
    text = held.text
    if text is None or len(text) <= MOST_CHARACTERS:
        return held
    whole = ast.literal_eval(text.removesuffix("…"))
    if len(whole) <= MOST_CHARACTERS:
        return held
    return replace(held, text=repr(whole[:MOST_CHARACTERS]) + "…", length=held.length or len(whole))
