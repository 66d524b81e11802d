"""The plain text of every lesson: each line that ran is in it, and so are its end and its findings, in both languages."""

import pytest

from app.explain import explain
from app.explain.words import LANGUAGES
from app.lessons import Lesson, lessons
from app.sandbox import Sandbox, SandboxSettings
from app.trace.query import statements
from app.trace.records import Request
from app.transcript import transcript


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_lesson(language: str) -> None:
    async with Sandbox(SandboxSettings()) as sandbox:
        for lesson in lessons():
            document = explain((await sandbox.run(Request(source=lesson.source))).trace)
            lines = list(transcript(document, language))
            check_statements(lesson, lines)
            assert len([line for line in lines if line.startswith("line ")]) == len(statements(document.trace))
            for finding in document.findings:
                assert any(line.startswith(f"{finding.severity}: ") for line in lines)


def check_statements(lesson: Lesson, lines: list[str]) -> None:
    """Every headline quotes its line of the snippet."""
    source = lesson.source.splitlines()
    for line in lines:
        if line.startswith("line "):
            number, _, text = line.removeprefix("line ").partition(": ")
            assert text.startswith(source[int(number) - 1].strip()), line
