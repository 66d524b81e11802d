"""The pytest plugin saves the recording of a failing test as HTML, and provides a fixture."""

import re
import subprocess
import sys
from pathlib import Path

from tests import scripts

ROOT = Path(__file__).parents[1]

TESTS = """
import pytest
import torch

PASSWORD = "secret-of-the-file"

def loss_of(x):
    return (x * x).sum()

def login(password="secret-default"):
    return "secret-of-a-function"

def test_passes():
    loss_of(torch.ones(2, requires_grad=True)).backward()

@pytest.mark.parametrize("factor", [2, 3])
def test_fails(factor):
    x = torch.ones(2, requires_grad=True)
    y = loss_of(x)
    x.data.mul_(factor)
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]

def test_fails_without_torch():
    assert 1 == 2

@pytest.mark.xfail
def test_is_expected_to_fail():
    assert loss_of(torch.ones(2)) == 3

def test_skips():
    torch.ones(1)
    pytest.skip("not here")

def test_records_a_block(stepgrad_record):
    with stepgrad_record() as recording:
        loss_of(torch.ones(2, requires_grad=True)).backward()
    assert recording.findings == []
    assert "SumBackward0" in recording.explain()
"""


def pytest_of_its_own(folder: Path, *arguments: str) -> str:
    """Run TESTS in a separate pytest process, and return its output."""
    (folder / "test_model.py").write_text(TESTS)
    _, out, errors = scripts.run_pytest(folder, *arguments)
    return out + errors


def test_a_failing_test_keeps_what_it_did_with_torch(tmp_path: Path) -> None:
    said = pytest_of_its_own(tmp_path, "--stepgrad")
    assert "3 failed, 2 passed, 1 skipped, 1 xfailed" in said
    files = sorted((tmp_path / "stepgrad-failures").iterdir())
    assert [re.sub(r"-[0-9a-f]{8}\.html$", "", file.name) for file in files] == [
        "test_model.py-test_fails-2",
        "test_model.py-test_fails-3",
    ]
    for file in files:
        assert f"What torch did, step by step: {file}" in said
        text = file.read_text()
        assert text.startswith("<!doctype html>") and "Content-Security-Policy" in text
        assert "secret-" not in text and "x.data.mul_(factor)" in text


def test_a_test_with_a_wrong_gradient_fails_under_the_guard(tmp_path: Path) -> None:
    said = pytest_of_its_own(tmp_path, "--stepgrad-guard")
    assert "3 failed, 2 passed, 1 skipped, 1 xfailed" in said
    # With the environment variable CI, pytest repeats whole messages in its summary.
    error = re.compile(r"^E +.*GuardError: `MulBackward0` saved a tensor", re.MULTILINE)
    assert len(error.findall(said)) == 2 and "test_model.py:8" in said
    assert not (tmp_path / "stepgrad-failures").exists()
    both = pytest_of_its_own(tmp_path, "--stepgrad-guard", "--stepgrad")
    assert len(error.findall(both)) == 2
    assert len(list((tmp_path / "stepgrad-failures").iterdir())) == 2


def test_without_the_option_nothing_is_recorded_or_written(tmp_path: Path) -> None:
    said = pytest_of_its_own(tmp_path)
    assert "3 failed, 2 passed, 1 skipped, 1 xfailed" in said
    assert not (tmp_path / "stepgrad-failures").exists()


def test_nothing_of_torch_is_imported_by_the_plugin_itself() -> None:
    names = "('torch', 'stepgrad', 'msgspec')"
    code = f"import sys, app.commands.pytest_plugin; print([name for name in {names} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout == "[]\n"
