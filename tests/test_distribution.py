"""The wheel carries everything that the application reads, not only its Python."""

import subprocess
import sys
import zipfile
from pathlib import Path

from app import __version__

ROOT = Path(__file__).parent.parent


def test_the_wheel_holds_every_file_of_the_application(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=ROOT, check=True)
    [wheel] = tmp_path.glob(f"stepgrad-{__version__}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    assert _tracked("app", "static", "templates") <= packed


def _tracked(*folders: str) -> set[str]:
    """What stands in the folders and is not made by running or testing."""
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts}
