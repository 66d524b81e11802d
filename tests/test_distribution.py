"""The wheel contains all files that the application needs, and provides the module `stepgrad`."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from app import __version__
from app.trace.check import check
from app.trace.codec import decode_trace
from app.web.pages.assets import SERVED
from tests.web.server import running_command

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


ONLY_LINUX = """
import ctypes, sys
for name in ("fcntl", "resource", "pwd", "grp"):
    sys.modules[name] = None
load = ctypes.CDLL.__init__
def refuse_none(library, name, *arguments, **options):
    assert name is not None, "CDLL(None)"
    load(library, name, *arguments, **options)
ctypes.CDLL.__init__ = refuse_none
"""
"""Removes modules that do not exist on Windows. Some of them do not exist on macOS either."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the source distribution, as `python -m build` does, to detect missing files."""
    folder = tmp_path_factory.mktemp("dist")
    _build("sdist", ROOT, folder)
    with tarfile.open(folder / f"stepgrad-{__version__}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    _build("wheel", folder / f"stepgrad-{__version__}", folder)
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


def test_another_program_records_itself_without_what_only_linux_has(wheel: Path, tmp_path: Path) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    _records_itself(Path(sys.executable), work, ONLY_LINUX, PYTHONPATH=str(site))


@pytest.fixture
def installed(wheel: Path) -> Iterator[Path]:
    """Create a virtual environment, install the wheel with pip, and return the environment's bin folder.

    Torch is linked from the current environment, because pip would download gigabytes.
    """
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-test-"))
    folder.chmod(0o755)  # the server must be able to read it after it has dropped root
    try:
        venv.create(folder, with_pip=True, symlinks=True)
        _give(distribution("torch"), folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages")
        pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        subprocess.run([*pip, str(wheel)], check=True, cwd="/")
        yield folder / "bin"
    finally:
        shutil.rmtree(folder)


@pytest.mark.long
def test_installed_into_a_fresh_environment_it_serves_and_records(installed: Path, tmp_path: Path) -> None:
    told = subprocess.run([installed / "stepgrad", "--version"], capture_output=True, text=True, cwd=tmp_path)
    assert told.stdout == f"stepgrad {__version__}\n"
    with running_command(str(installed / "stepgrad")) as server, server.client() as client:
        page = client.get("/lessons/data-hides-the-write")
        script = re.search(r'src="([^"]+/bundle/player\.js)"', page.text)
        assert page.status_code == 200 and script and client.get(script[1]).status_code == 200
        assert "运行" in client.get("/", headers={"Accept-Language": "zh-CN"}).text
        lesson = client.get("/api/v1/lessons/data-hides-the-write").json()
        snippet = {"source": lesson["snippet"]["source"]}
        document = client.post("/api/v1/traces", json=snippet).json()
        assert [finding["kind"] for finding in document["findings"]][:1] == ["silently_wrong_gradient"]
        assert client.post("/api/v1/snippets", json=snippet).status_code == 201
    _records_itself(installed / "python", tmp_path)


def _records_itself(python: Path, work: Path, before: str = "", **environment: str) -> None:
    """Run PROGRAM, which imports `stepgrad`, and assert that it saves its recording. `before` runs first in the same process."""
    (work / "program.py").write_text(PROGRAM, "utf-8")
    script = f"{before}\nimport runpy\nrunpy.run_path('program.py', run_name='__main__')"
    command = [str(python), "-W", "error", "-c", script]
    run = subprocess.run(command, cwd=work, env={**os.environ, **environment}, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == f"['MulBackward0', 'SumBackward0'] Finished {__version__}\n"
    trace = decode_trace((work / "run.json").read_bytes())
    check(trace)
    block, _, _ = PROGRAM.partition("recording.save")
    assert trace.source.rstrip() == block.rstrip()


def _build(target: str, folder: Path, into: Path) -> None:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into], cwd=folder, check=True)


def _give(given: Any, packages: Path) -> None:
    """Add an installed distribution to another environment, with hard links if both are on one disk."""
    for file in given.files:
        place = packages / file
        if ".." in file.parts or not given.locate_file(file).exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(given.locate_file(file), place)
        except OSError:
            shutil.copy2(given.locate_file(file), place)


def _tracked(*folders: str) -> set[str]:
    """Return the files in these folders that are not generated."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    lasting = [path for path in paths if "__pycache__" not in path.parts and path.suffix != ".map"]
    return {path.relative_to(ROOT).as_posix() for path in lasting}
