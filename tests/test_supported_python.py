"""An unsupported version of Python causes an error message before Stepgrad imports a module that this version may lack."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from app.commands.supported import PYTHON_BEFORE, PYTHON_FROM, refusal_of_python

ROOT = Path(__file__).parent.parent
VERSION = """
import collections, sys
sys.version_info = collections.namedtuple("version_info", "major minor micro releaselevel serial")(*{version})
"""
PRETENDS = VERSION + "import runpy; sys.argv[1:] = ['trace', '-']\n"


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 1), (3, 13, 0), (3, 14, 8)])
def test_these_run_it(version: tuple[int, ...]) -> None:
    assert PYTHON_FROM <= version[:2] < PYTHON_BEFORE
    assert refusal_of_python(version) is None


def _run(version: tuple[object, ...], then: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PRETENDS.format(version=version) + then]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'app/public'}"}
    return subprocess.run(command, input="", cwd=ROOT, env=environment, capture_output=True, text=True)


CANDIDATE = (3, 11, 0, "candidate", 1)
"""Ubuntu 22.04 has only this version of Python 3.11."""
REFUSALS = {
    (3, 10, 13, "final", 0): "Stepgrad runs on Python 3.11 to 3.14, but this is Python 3.10: use a supported version.",
    (3, 15, 0, "final", 0): "Stepgrad runs on Python 3.11 to 3.14, but this is Python 3.15: use a supported version.",
    CANDIDATE: "Stepgrad runs on final releases of Python 3.11 to 3.14, but this is a candidate version of Python 3.11: "
    "use a final release (Ubuntu has one from 24.04 on).",
}


@pytest.mark.parametrize(("version", "said"), REFUSALS.items())
def test_others_are_refused_with_one_sentence(version: tuple[int, int, int, str, int], said: str) -> None:
    assert refusal_of_python(version[:2], version[3]) == said
    command = _run(version, "runpy.run_module('app', run_name='__main__')")
    assert (command.returncode, command.stdout, command.stderr) == (1, "", f"stepgrad: {said}\n")
    library = _run(version, "import stepgrad")
    assert library.returncode == 1 and library.stderr.endswith(f"ImportError: {said}\n")
    assert "torch" not in library.stderr


@pytest.mark.parametrize("version", [(3, 15, 0, "final", 0), CANDIDATE])
def test_make_asks_for_another_python(version: tuple[int, int, int, str, int], tmp_path: Path) -> None:
    other = tmp_path / "python3"
    pretends = shlex.quote(VERSION.format(version=version))
    other.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -c {pretends}"$*"\n')
    other.chmod(0o755)
    made = subprocess.run(
        ["make", f"PYTHON={other}", f"VENV={tmp_path}/venv", f"{tmp_path}/venv/bin/pip"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert made.returncode != 0 and not (tmp_path / "venv").exists()
    assert made.stderr.startswith(f"{REFUSALS[version]} Name it with PYTHON=, for example PYTHON=python3.13.\n")
