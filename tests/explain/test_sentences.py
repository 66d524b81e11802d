"""The sentences about every step of many recorded runs are well-formed in both languages."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from app.explain import explain
from app.words import LANGUAGES
from tests.explain.recorded import record
from tests.sampling import some

TESTS = Path(__file__).parents[1]
SNIPPETS = sorted(
    path for folder in ("tracer/snippets", "explain/snippets", "explain/no_findings") for path in (TESTS / folder).glob("*.py*")
)
QUOTED = {"story-raised", "story-warned"}
"""Messages whose last part quotes torch or the snippet. The quotation is not checked."""

LONGEST = 220
"""The maximum length of a sentence in characters."""

SCARS = {
    "two spaces": r"  ",
    "a space before a sign": r" [,.;:!?](?=\s|$)| [，。：；）]|（ ",
    "a sign twice": r"[,.;:]{2,}|[，。：；]{2,}",
    "one of many": r"(?<![\w.,])1 (?:times|Nodes|tensors|storages|lines|items|elements|values|variables|gradients|more \w+s)\b",
    "nothing between brackets": r"\(\s*\)|\[\s*\]|（）",
    "no bytes": r"\b0 B\b",
    "no value": r"undefined|\bnull\b|\[object|\{|\}",
    "a space between Chinese characters": r"[\u4e00-\u9fff] [\u4e00-\u9fff]",
    "half of both": r"[\u4e00-\u9fff][,.;:!?](?:\s|$)",
}
"""Patterns of mistakes outside of inline code, such as two spaces."""


class Told(msgspec.Struct, frozen=True):
    """A sentence about a step in each language."""

    file: str
    granularity: str
    k: int
    id: str
    said: list[str]

    @property
    def place(self) -> str:
        return f"{self.file} {self.granularity} {self.k}"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    folder = tmp_path_factory.mktemp("documents")
    chosen = some(__file__, {path.name: path.read_text(encoding="utf-8") for path in SNIPPETS})
    for name, trace in zip(chosen, record([*chosen.values()]), strict=True):
        (folder / f"{name}.json").write_bytes(msgspec.json.encode(explain(trace)))
    command = ["node", str(TESTS / "js/spoken.js"), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return [msgspec.json.decode(line, type=Told) for line in run.stdout.splitlines()]


def scars(sentence: str, key: str = "story") -> list[str]:
    """Return the mistakes in a sentence."""
    found = ["an odd number of backticks"] if sentence.replace("`\u2060", "").count("`") % 2 else []
    if "``" in sentence.replace("`\u2060", ""):
        found.append("no code between backticks")
    ours = re.sub(r"`(?!\u2060)(?:[^`]|`\u2060)*`", "C", sentence)
    if key in QUOTED:
        return found
    found += [scar for scar, pattern in SCARS.items() if re.search(pattern, ours)]
    is_whole = not key.startswith("fix-") and not key.endswith("-title")
    if is_whole and not sentence.endswith((".", "。")):
        found.append("no end")
    if len(sentence) > LONGEST and not key.startswith("finding-"):
        found.append("too long")
    if re.match(r"[a-z]", sentence) and not re.match("(?:torch|autograd) (?=[\u4e00-\u9fff]|put)", sentence):
        found.append("a small letter first")
    return found


@pytest.mark.patient
def test_no_sentence_has_a_scar(told: list[Told]) -> None:
    assert len(told) > 500 and len({one.id for one in told}) > 30
    wrong: dict[tuple[str, ...], str] = {}
    for one in told:
        for sentence in set(one.said):
            found = scars(sentence, one.id)
            if found:
                wrong.setdefault((one.id, *found), f"{one.place}: {sentence}")
    assert not wrong, "\n".join(f"{key}: {where}" for key, where in wrong.items())


@pytest.mark.patient
def test_a_step_tells_nothing_twice(told: list[Told]) -> None:
    seen: dict[str, set[str]] = {}
    for one in told:
        sentence = one.said[0]
        sentences = seen.setdefault(one.place, set())
        assert sentence not in sentences or one.id in QUOTED or one.granularity == "finding", f"{one.place}: {sentence}"
        sentences.add(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "It was written 1 times.",
        "It has  two spaces.",
        "Storage `` was freed.",
        "A tensor of shape ().",
        "`x` went from `v0 to `v1`.",
        "It now has 0 B.",
        "it begins small.",
        "It has no end",
        "`a` , and `b`.",
        "它把 梯度 传给了 `w` 。",
    ],
)
def test_a_scar_is_seen(sentence: str) -> None:
    assert scars(sentence)


@pytest.mark.patient
def test_both_languages_are_heard(told: list[Told]) -> None:
    assert all(len(one.said) == len(LANGUAGES) for one in told)
    assert any(re.search("[\u4e00-\u9fff]", one.said[1]) for one in told)
