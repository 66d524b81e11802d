"""System packages by the names that each system has; Ubuntu alone has no browser, and what is left out there is said."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.chromium import LEFT_OUT, NAME, why_left_out

ROOT = Path(__file__).parents[1]
SYSTEMS = {
    'ID=debian\nVERSION_ID="13"\n': f"{NAME} postgresql",
    'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n': "postgresql",
    'ID=linuxmint\nID_LIKE="ubuntu debian"\n': "postgresql",
}


@pytest.mark.parametrize(("release", "asked"), SYSTEMS.items(), ids=["Debian", "Ubuntu", "like Ubuntu"])
def test_what_is_asked_for_where_nothing_is_there(release: str, asked: str, tmp_path: Path) -> None:
    """A root with another os-release, and bash and bubblewrap for its only programs."""
    (tmp_path / "os-release").write_text(release)
    for tool in ("bash", "bwrap"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "missing")
    inside = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(tmp_path / "os-release"), "/usr/lib/os-release"]
    # Where PostgreSQL is installed, it is looked for in a folder of its own, which is empty here.
    inside += ["--tmpfs", "/usr/lib/postgresql"] if Path("/usr/lib/postgresql").exists() else []
    script = [str(ROOT / ".ci/system-packages"), "bubblewrap", NAME, "postgresql"]
    ended = subprocess.run([*inside, *script], env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert ended.stderr.startswith(f"Stepgrad needs the system packages {asked}: install them with ")
    assert (NAME in asked) != ("the tests with a browser will be left out" in ended.stdout)


def test_a_browser_is_missing_on_ubuntu_alone() -> None:
    debian, ubuntu, like_ubuntu = (
        {"ID": "debian"},
        {"ID": "ubuntu", "ID_LIKE": "debian"},
        {"ID": "x", "ID_LIKE": "ubuntu debian"},
    )
    assert why_left_out(None, debian) is why_left_out(None, {}) is why_left_out("/usr/bin/own", ubuntu) is None
    assert why_left_out(None, ubuntu) == why_left_out(None, like_ubuntu) == LEFT_OUT
