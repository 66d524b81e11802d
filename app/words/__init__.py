"""The messages of the page, lessons, findings, transcripts and CLI: Project Fluent catalogues, one folder per language.

The browser formats the same catalogues with @fluent/bundle and loads each in three parts: the messages of the page; the folder
`run`, the largest part, which is not needed before a run; and the folder `room`, which only a room needs. The page does not
load the folder `library`, which the public module needs.
"""

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.builtins import BUILTINS

LANGUAGES = ("en", "zh-CN")
"""The languages of the messages. The first language is the default."""

FOLDER = Path(__file__).parent
MOST_CHARACTERS = 2500
"""Maximum length of an argument that fluent.runtime inserts; it refuses longer ones (MAX_PART_LENGTH).

`sentence` inserts those itself.
"""


class WordsError(LookupError):
    """A language, a message or an argument does not exist."""


@cache
def catalogue(language: str) -> str:
    """Every message of a language, as Fluent text. Raises WordsError for an unknown language."""
    return f"{page_words(language)}\n{run_words(language)}\n{room_words(language)}\n{_text(language, 'library')}"


def page_words(language: str) -> str:
    """The messages that the page needs at its start. Raises WordsError for an unknown language."""
    return _text(language, ".")


def run_words(language: str) -> str:
    """The messages about a run. Raises WordsError for an unknown language."""
    return _text(language, "run")


def room_words(language: str) -> str:
    """The messages that only a room needs. Raises WordsError for an unknown language."""
    return _text(language, "room")


def _text(language: str, folder: str) -> str:
    if language not in LANGUAGES:
        raise WordsError(f"no words in {language!r}, only in {', '.join(LANGUAGES)}")
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((FOLDER / language / folder).glob("*.ftl")))


def read_all() -> None:
    """Read all files that `sentence` needs, before a process loses access to them.

    The catalogues are not parsed, because parsing takes a second for each language. The first call of `sentence` parses them.
    """
    for language in LANGUAGES:
        catalogue(language)
        bundle = FluentBundle([language], use_isolating=False)
        bundle.add_resource(FluentResource("number = { NUMBER($number) }"))
        number: Any = bundle.get_message("number").value
        bundle.format_pattern(number, {"number": 1})  # loads the locale's number formats


def sentence(language: str, key: str, **arguments: str | int) -> str:
    """The message `key`, with its arguments filled in. Raises WordsError if the message or an argument is missing."""
    message = _message(language, key)
    return _formatted(language, key, None if message is None else message.value, arguments)


def attribute(language: str, key: str, name: str) -> str:
    """The attribute `name` of the message `key`. Raises WordsError if it does not exist."""
    message = _message(language, key)
    return _formatted(language, f"{key}.{name}", None if message is None else message.attributes.get(name), {})


def _message(language: str, key: str) -> Any:
    bundle = _bundle(language)
    return bundle.get_message(key) if bundle.has_message(key) else None


def _formatted(language: str, key: str, pattern: Any, arguments: dict[str, str | int]) -> str:
    if pattern is None:
        raise WordsError(f"{language}: no message {key!r}")
    long = {name: value for name, value in arguments.items() if isinstance(value, str) and len(value) > MOST_CHARACTERS}
    text, errors = _bundle(language).format_pattern(pattern, {**arguments, **{name: f"\ue000{name}\ue001" for name in long}})
    if errors:
        raise WordsError(f"{language}: {key}: {errors[0]}")
    return re.sub("\ue000([a-z_]+)\ue001", lambda mark: long.get(mark[1], mark[0]), str(text)) if long else str(text)


def preferred(accepted: str) -> str:
    """The language for the Accept-Language header `accepted`: the language of its first tag."""
    return LANGUAGES[1] if accepted.strip().lower().startswith("zh") else LANGUAGES[0]


@cache
def _bundle(language: str) -> FluentBundle:
    # No isolation marks: visitors would copy them with the code, and all languages of Stepgrad run left to right.
    bundle = FluentBundle([language], use_isolating=False, functions={"NUMBER": partial(_number, language)})
    bundle.add_resource(FluentResource(catalogue(language)))
    return bundle


def _number(language: str, value: Any, **options: Any) -> Any:
    """The Fluent function `NUMBER`. Lines are numbers, but a line of another file is a string: "layer.py:2"."""
    if not isinstance(value, str):
        return BUILTINS["NUMBER"](value, **options)
    file, _, line = value.rpartition(":")
    return sentence(language, "line-elsewhere", file=file, line=line)
