"""An unsupported version of torch causes one error message before anything runs. The package metadata requires a supported
version.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from app.commands.cli import main
from app.commands.supported import TORCH_REQUIREMENT, refusal_of_torch

ROOT = Path(__file__).parents[1]
REMEDY = f"install a supported version (pip install '{TORCH_REQUIREMENT}')."


@pytest.mark.parametrize("version", ["2.13.0", "2.13.1+cpu", "2.14.0a0+5fa6f2e1.nv26.9", "2.15.0+cu132", "2.15.2"])
def test_what_is_recorded(version: str) -> None:
    assert refusal_of_torch(version) is None


@pytest.mark.parametrize("version", ["2.12.1", "2.2.0", "2.16.0.dev20261101+cpu", "2.130.0", "3.0.0", "unknown", "", None])
def test_what_is_refused(version: str | None) -> None:
    assert REMEDY in (refusal_of_torch(version) or "")


def test_the_distribution_and_the_checkout_ask_for_what_is_recorded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert TORCH_REQUIREMENT in project["project"]["dependencies"]
    [pinned] = [line for line in (ROOT / "requirements/torch.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert refusal_of_torch(pinned.removeprefix("torch==")) is None
    assert project["tool"]["uv"]["constraint-dependencies"] == [pinned]


@pytest.mark.parametrize("command", ["serve", "trace"])
def test_a_command_says_so_before_it_records(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    metadata = tmp_path / "torch-2.16.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.16.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("STEPGRAD_DATA", str(tmp_path / "data"))
    snippet = tmp_path / "snippet.py"
    snippet.write_text("import torch\n")
    assert main(["serve", "--port", "0"] if command == "serve" else ["trace", str(snippet)]) == 1
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("stepgrad: Stepgrad ") and told.err.count("\n") == 1
    assert "but 2.16.0 is installed" in told.err and REMEDY in told.err
    assert not (tmp_path / "data").exists()


def test_the_library_says_so_when_it_is_imported() -> None:
    program = "import torch\ntorch.__version__ = '2.16.0'\ndel torch.nn.Module._wrapped_call_impl\nimport stepgrad"
    folders = f"{ROOT}:{ROOT / 'app/public'}"
    ended = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": folders}, capture_output=True, text=True)
    assert ended.returncode == 1 and ended.stdout == ""
    assert ended.stderr.splitlines()[-1].startswith("ImportError: Stepgrad ")
    assert ended.stderr.endswith(f"but 2.16.0 is installed: {REMEDY}\n")
