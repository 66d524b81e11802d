"""Run every example in docs/api.md against a real server, and compare the output. (tests/browser runs the JavaScript.)"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox.processes import PATIENCE
from tests.web.server import Running

PAGE = Path(__file__).parents[2] / "docs/api.md"
WRITTEN = "http://127.0.0.1:8000"
EXAMPLE = re.compile(r"^```(sh|python)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
MARK = "--- an example ends ---\n"
MADE = {
    "run.json": b'{"trace"',
    "link.json": b'{"id"',
    "shared.json": b'{"id"',
    "preview.png": b"\x89PNG",
    "memory.svg": b"<?xml",
}
"""Files that the shell examples create, and how each begins."""


def examples(kind: str) -> list[tuple[str, str]]:
    """Return the examples in a language, each with its expected output."""
    return [(code, said) for language, code, said in EXAMPLE.findall(PAGE.read_text("utf-8")) if language == kind]


def printed(command: list[str], program: str, folder: Path) -> list[str]:
    """Run a program that consists of all examples, and return the output of each."""
    run = subprocess.run(command, input=program, cwd=folder, capture_output=True, text=True, timeout=2 * PATIENCE)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout + run.stderr
    return run.stdout.split(MARK)[:-1]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_lines_of_the_shell(server: Running, tmp_path: Path) -> None:
    written = examples("sh")
    program = "set -euo pipefail\n" + "".join(f"{code}echo '{MARK[:-1]}'\n" for code, _ in written)
    told = printed(["bash"], program.replace(WRITTEN, server.url), tmp_path)
    assert len(told) == len(written) >= 10
    for (code, said), came in zip(written, told, strict=True):
        assert not said or came == said, code
        assert '"error"' not in came, code
    for name, begins in MADE.items():
        assert (tmp_path / name).read_bytes().startswith(begins), name
    stream = next(came for (code, _), came in zip(written, told, strict=True) if "event-stream" in code)
    assert "event: document\n" in stream
    assert (tmp_path / "run.html").read_text().startswith("<!doctype html>")


def test_the_python(server: Running, tmp_path: Path) -> None:
    written = examples("python")
    program = "\n".join(f"{code}\nprint({MARK[:-1]!r})" for code, _ in written)
    told = printed([sys.executable, "-"], program.replace(WRITTEN, server.url), tmp_path)
    assert len(told) == len(written) >= 10
    for (code, said), came in zip(written, told, strict=True):
        assert came == said, code
    assert (tmp_path / "run-zh.html").read_text().startswith("<!doctype html>")
