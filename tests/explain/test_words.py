"""The translations in both languages have the same messages, and every message that the code uses exists."""

import re
from functools import cache
from pathlib import Path
from signal import SIGABRT, SIGBUS, SIGKILL, SIGSEGV, SIGSYS
from typing import get_args

import pytest
from fluent.syntax import FluentParser, ast, visitor

from app.explain import explain
from app.explain.reading.end_arguments import end_arguments, size
from app.lessons import GROUPS
from app.trace import ends
from app.trace.chunks import Trace
from app.words import LANGUAGES, WordsError, catalogue, sentence
from tests.trace.header import HEADER

EXPLAIN = "\n".join(path.read_text(encoding="utf-8") for path in (Path(__file__).parents[2] / "app/explain").rglob("*.py"))
KINDS = set(re.findall(r'(?:kind=|[._]finding\(\s*)"(\w+)"', EXPLAIN))
TITLES = set(re.findall(r'(?:Fix\(title=|fix=|offer\(\s*)"(\w+)"', EXPLAIN))
ROOT = Path(__file__).parents[2]
SPEAKERS = ("static/js/**/*.js", "app/**/*.py", "templates/*.html")
"""Folders with code that refers to messages by name."""
NEVER_ONE = {"course-words", "course-description", "text-shared", "finding-not_scalar", "transcript-digits"}
"""Messages with counts that are never one, such as the number of lessons."""
RETIRED = {
    "en": (
        *("was to be", "were to be", "told nobody", "in vain", "nowhere to go", "let go", "lets go", "looks at", "look at the"),
        *("of its own accord", "asked for a weight", "hangs on", "knows nothing of", "no more", "not any more", "anew"),
        *(
            "whole numbers",
            "cell of memory",
            "rightly",
            "wrongly",
            "nobody",
            "the most that",
            "one press",
            "where they came from",
            "stand in for",
            "will not notice",
            "It made a",
        ),
    ),
    "zh-CN": (
        "来历",
        "看着",
        "结点",
        "放开",
        "拿着",
        "一支",
        "求导图",
        "求导模式",
        "无路可走",
        "悄悄",
        "不得而知",
        "没法",
        "此刻",
        "前向计算",
        "从图中",
    ),
}
"""Phrases that PyTorch's documentation would not use, or for which Stepgrad uses another term."""
RAISED = ends.Raised(type="RuntimeError", message="no", line=3)
ENDS: list[ends.Ended] = [
    ends.Finished(),
    RAISED,
    ends.Raised(type="SyntaxError", message="no", line=None),
    ends.Exited(code=3, by="SystemExit"),
    ends.Stopped(limit="statements", reached=20_000),
    ends.Stopped(limit="steps", reached=1),
    ends.TimedOut(clock="wall", seconds=8.0),
    ends.TimedOut(clock="cpu", seconds=0.5),
    ends.OutOfMemory(limit_bytes=1 << 30),
    ends.OutOfMemory(limit_bytes=1 << 30, raised=RAISED),
    ends.OutputTooLarge(limit_bytes=64 << 10),
    ends.TraceTooLarge(limit_bytes=32 << 20),
    ends.Cancelled(),
    ends.WorkerStopped(),
    *(ends.Crashed(signal=number, name=number.name) for number in (SIGSEGV, SIGABRT, SIGKILL, SIGSYS, SIGBUS)),
    ends.Interfered(reason="It closed the pipe."),
]


class Variables(visitor.Visitor):
    """The variables of a message."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:
        self.names.add(node.id.name)


@cache
def parsed(language: str) -> list[ast.EntryType]:
    """Return the parsed messages of a language. Parsing takes a second."""
    return FluentParser().parse(catalogue(language)).body


@cache
def messages(language: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for entry in parsed(language):
        assert not isinstance(entry, ast.Junk), entry.content
        if isinstance(entry, ast.Message):
            assert entry.id.name not in found, f"{language}: {entry.id.name} twice"
            variables = Variables()
            variables.visit(entry)
            found[entry.id.name] = variables.names
    return found


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_same_messages_with_the_same_variables(language: str) -> None:
    assert messages(language) == messages("en")


def test_every_kind_of_finding_and_every_fix_has_words_and_no_words_are_left_over() -> None:
    named = messages("en")
    assert len(KINDS) >= 10 and len(TITLES) >= 11
    assert {key for key in named if key.startswith("finding-")} == {
        key for kind in KINDS for key in (f"finding-{kind}", f"finding-{kind}-title")
    }
    assert {key for key in named if key.startswith("fix-")} == {f"fix-{title}" for title in TITLES}


def test_no_message_is_left_over() -> None:
    text = "".join(path.read_text(encoding="utf-8") for pattern in SPEAKERS for path in ROOT.glob(pattern))
    whole = set(re.findall(r"""["'`]([a-z][\w-]+)["'`]""", text))
    beginnings = ("term-", *re.findall(r"""["'`]([a-z]\w*(?:-\w+)*-)\$?\{""", text))
    ends = tuple(re.findall(r"\$\{[^}`]+\}(-[a-z]+)`", text))
    left = [key for key in messages("en") if key not in whole and not key.startswith(beginnings) and not key.endswith(ends)]
    assert left == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_uses_a_retired_phrase(language: str) -> None:
    lines = [line for line in catalogue(language).splitlines() if not line.startswith("#")]
    assert [(phrase, line) for phrase in RETIRED[language] for line in lines if phrase in line] == []


def test_one_thing_is_told_as_one() -> None:
    """Only English is checked, because Chinese has no plural."""
    wrong = {}
    for key, variables in messages("en").items():
        if "count" in variables and key not in NEVER_ONE:
            said = sentence("en", key, **{name: 1 if name == "count" else 7 for name in variables})
            if re.search(r"(?<![\w.])1 (?:more )?(?!was|has|is)[a-z]+s\b", said):
                wrong[key] = said
    assert wrong == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_of_the_glossary_has_its_name_its_words_its_meaning_and_an_example(language: str) -> None:
    terms = {
        entry.id.name: {attribute.id.name for attribute in entry.attributes}
        for entry in parsed(language)
        if isinstance(entry, ast.Message) and entry.id.name.startswith("term-")
    }
    assert len(terms) >= 25
    assert set(map(frozenset, terms.values())) == {frozenset({"words", "means", "example"})}


def test_every_lesson_group_has_a_heading() -> None:
    groups = {f"lesson-group-{group}" for group in GROUPS}
    assert groups == {key for key in messages("en") if key.startswith("lesson-group-")}


def test_every_end_is_tried() -> None:
    assert {type(end) for end in ENDS} == set(get_args(ends.Ended))


@pytest.mark.parametrize("end", ENDS, ids=lambda end: type(end).__name__)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_end_has_a_sentence(end: ends.Ended, language: str) -> None:
    document = explain(Trace(source="", header=HEADER, ended=end))
    assert document.end_arguments == end_arguments(end)
    said = sentence(language, f"end-{type(end).__struct_config__.tag}", **document.end_arguments)
    assert said and "{" not in said and "\u2068" not in said


LIMITS = {
    ends.Stopped(limit="statements", reached=1234): "1,?234",
    ends.TimedOut(clock="wall", seconds=8.0): "8",
    ends.TimedOut(clock="cpu", seconds=2.5): "2.5",
    ends.OutOfMemory(limit_bytes=1 << 30): "1 GiB",
    ends.OutputTooLarge(limit_bytes=64 << 10): "64 KiB",
    ends.TraceTooLarge(limit_bytes=32 << 20): "32 MiB",
}


@pytest.mark.parametrize("end", LIMITS, ids=lambda end: type(end).__name__)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_limit_is_told_with_its_value(end: ends.Ended, language: str) -> None:
    said = sentence(language, f"end-{type(end).__struct_config__.tag}", **end_arguments(end))
    assert re.search(rf"(?<!\d){LIMITS[end]}(?!\d)", said), said


def test_sentences_read_well() -> None:
    assert sentence("en", "end-raised", **end_arguments(RAISED)) == "Line 3 raised RuntimeError: no"
    assert "after 8 seconds" in sentence("en", "end-timed_out", **end_arguments(ends.TimedOut(clock="wall", seconds=8.0)))
    assert [size(512), size(64 << 10), size(3 << 19), size(1 << 30)] == ["512 B", "64 KiB", "1.5 MiB", "1 GiB"]
    assert "line 2000" in sentence("en", "finding-pasted_indentation", line=2000).lower()


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(WordsError):
        catalogue("../en")
    with pytest.raises(WordsError):
        sentence("en", "end-never")
    with pytest.raises(WordsError):
        sentence("en", "end-exited")
