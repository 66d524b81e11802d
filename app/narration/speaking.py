"""Formats messages as plain text in one language, without backticks around code.

A message may have other messages as arguments, which are formatted first; a list becomes an enumeration such as "a, b and c".
"""

import re
from functools import reduce

from app.narration.message import Argument, Message
from app.words import sentence
from app.words.printable import printable

_BACKTICK = "\x00"
"""Replaces a backtick in the snippet's code until the catalogue's own backticks are removed."""

_HAN = "\u3400-\u9fff\uf900-\ufaff"
_BETWEEN_HAN = re.compile(f"(?<=[{_HAN}）]) (?=[{_HAN}（])")


class Teller:
    """Formats messages in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def say(self, told: Message) -> str:
        """The plain text of a message, on one line."""
        return self._unmarked(self._marked(told))

    def say_all(self, told: list[Message]) -> str:
        """Several sentences as one text, with the separator of the language."""
        said = [self._marked(each) for each in told]
        return self._unmarked(reduce(lambda before, further: self._pair("sentences", before, further), said))

    def _marked(self, told: Message) -> str:
        said = {name: self._argument(value) for name, value in told.arguments.items()}
        text = sentence(self.language, told.id, **said)
        # Chinese has a space next to code but none between its own characters. The catalogue cannot do this, because only the
        # formatted arguments show whether a phrase begins with code.
        parts = text.split("`")
        return "`".join(part if number % 2 else _BETWEEN_HAN.sub("", part) for number, part in enumerate(parts))

    def _argument(self, value: Argument) -> str | int:
        if isinstance(value, int):
            return value
        if isinstance(value, str):
            return printable(value).replace("`", _BACKTICK)
        return self._marked(value) if isinstance(value, Message) else self._row([self._marked(each) for each in value])

    def _row(self, things: list[str]) -> str:
        *first, last = things or [""]
        return self._pair("row-last", reduce(lambda *pair: self._pair("row-next", *pair), first), last) if first else last

    def _pair(self, how: str, before: str, further: str) -> str:
        return sentence(self.language, f"phrase-{how}", before=before, next=further)

    def _unmarked(self, text: str) -> str:
        return text.replace("`", "").replace(_BACKTICK, "`")
