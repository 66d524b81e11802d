"""The wheel carries everything that the application reads, not only its Python, and one module for other people's programs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from app import __version__
from app.trace.check import check
from app.trace.codec import decode_trace
from app.web.assets import SERVED

ROOT = Path(__file__).parent.parent


PROGRAM = """
import torch
import stepgrad

def twice(x):
    return x * 2

with stepgrad.record() as recording:
    y = twice(torch.ones(2, requires_grad=True))
    y.sum().backward()
recording.save("run.json")
names = [node.name for node in recording.trace.nodes if node.variable is None]
print(names, type(recording.trace.ended).__name__, stepgrad.__version__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    [wheel] = folder.glob(f"stepgrad-{__version__}-*.whl")
    return wheel


def test_the_wheel_holds_every_file_of_the_application(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    served = [f"static/{folder}" for folder in SERVED]
    wanted = {path.replace("app/public/", "") for path in _tracked("app", *served, "templates")}
    assert wanted <= packed and "static/bundle/player.js" in packed
    assert not any(path.startswith(("static/js", "static/css")) for path in packed), "the bundle is made from them"
    assert not any(path.startswith("app/public") for path in packed)


def test_another_program_records_itself(wheel: Path, tmp_path: Path) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    with zipfile.ZipFile(wheel) as archive:  # all that pip does with a pure wheel, but for compiling and the command
        archive.extractall(site)
    (work / "program.py").write_text(PROGRAM, "utf-8")
    command = [sys.executable, "-W", "error", "program.py"]
    run = subprocess.run(command, cwd=work, env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == f"['MulBackward0', 'SumBackward0'] Finished {__version__}\n"
    trace = decode_trace((work / "run.json").read_bytes())
    check(trace)
    assert trace.source == PROGRAM


def _tracked(*folders: str) -> set[str]:
    """What stands in the folders and is not made by running or testing."""
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts}
