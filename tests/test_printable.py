"""Names, messages and keys that the commands print contain no control sequences of terminals and no commands of CI logs."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.explain import explain
from app.report import Checked, as_text
from app.words import LANGUAGES
from app.words.printable import printable
from tests.commands import stepgrad
from tests.explain.recorded import record

HOSTILE = [
    "\x1b]0;owned\x07",
    "\x1b[2J",
    "a\n::error::b",
    "::error::x",
    "##[error]x",
    "\u202egnp",
    "a\u200bb",
    "\u2028",
    "\x9b31m",
    "\udc80",
]
"""Control sequences of terminals and CI logs, invisible characters and those that reverse text, and a name that is not UTF-8."""

names = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=40)).filter(
    lambda name: not {"/", "\0"} & set(name) and not name.startswith("-") and name not in (".", "..")
)


def is_obeyed(text: str) -> bool:
    """Whether a text contains a character that a terminal interprets. Other tests check newlines and tabs."""
    return any(letter not in "\n\t" and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in text)


@given(st.text())
def test_what_is_shown_is_one_line_that_can_be_seen(text: str) -> None:
    shown = printable(text)
    assert not is_obeyed(shown) and "\n" not in shown
    assert printable(shown) == shown
    assert shown == text or is_obeyed(text) or "\n" in text


def test_writing_of_the_world_stays() -> None:
    for text in ("梯度 x.grad", "naïve – × ∇", "\tindented", "עברית", "日本語　全角"):
        assert printable(text) == text


@pytest.mark.parametrize("command", ["trace", "check", "open", "unknown", "restore", "links show"])
@settings(max_examples=30)
@given(name=names)
def test_a_command_names_what_it_was_given(command: str, name: str) -> None:
    given = [name] if command == "unknown" else [*command.split(), name]
    environment = {"STEPGRAD_DATA": "/nonexistent"}
    ended = stepgrad(*given, environment=environment)
    assert ended.returncode != 0 and ended.stdout == ""
    assert ended.stderr and not is_obeyed(ended.stderr)
    if command != "unknown":
        assert ended.stderr.count("\n") == 1 and ended.stderr.startswith("stepgrad: ")


@given(name=names, language=st.sampled_from(LANGUAGES))
def test_a_report_leads_to_files_of_any_name(name: str, language: str) -> None:
    (trace,) = record(["import torch\nraise ValueError('\\x1b[2J')\n"])
    said = as_text([Checked(f"{name}.py", explain(trace))], language)
    assert not is_obeyed(said) and said.count("\n") == 2
    assert not said.startswith(("::", "##["))


@given(key=st.one_of(st.sampled_from(HOSTILE[:-1]), st.text()), value=st.text())
def test_a_recording_with_hostile_keys_is_refused(tmp_path_factory: pytest.TempPathFactory, key: str, value: str) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "hostile.json"
    path.write_text(json.dumps({"trace": {key: value, "header": {"format": value}}, key: {key: value}}))
    ended = stepgrad("open", str(path))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert not is_obeyed(ended.stderr) and ended.stderr.count("\n") == 1
