"""`make setup` installs packages with the right names on each Linux release. Ubuntu has no suitable browser."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.chromium import LEFT_OUT, NAME, why_left_out

ROOT = Path(__file__).parents[1]
SYSTEMS = {
    'ID=debian\nVERSION_ID="13"\n': f"{NAME} fonts-noto-cjk postgresql",
    'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n': "postgresql",
    'ID=linuxmint\nID_LIKE="ubuntu debian"\n': "postgresql",
}


@pytest.mark.parametrize(("release", "asked"), SYSTEMS.items(), ids=["Debian", "Ubuntu", "like Ubuntu"])
def test_what_is_asked_for_where_nothing_is_there(release: str, asked: str, tmp_path: Path) -> None:
    """Simulates another release, in which only bash, bubblewrap and uname are installed."""
    (tmp_path / "os-release").write_text(release)
    for tool in ("bash", "bwrap", "uname"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "missing")
    inside = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(tmp_path / "os-release"), "/usr/lib/os-release"]
    # No version of PostgreSQL is installed in this test.
    inside += ["--tmpfs", "/usr/lib/postgresql"] if Path("/usr/lib/postgresql").exists() else []
    script = [str(ROOT / ".ci/system-packages"), "bubblewrap", NAME, "fonts-noto-cjk", "postgresql"]
    ended = subprocess.run([*inside, *script], env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert ended.stderr.startswith(f"Stepgrad needs the system packages {asked}: install them with ")
    assert (NAME in asked) != ("browser tests will be skipped" in ended.stdout)


SUDO = """#!/bin/bash
for descriptor in {3..255}; do eval "exec $descriptor>&-"; done  # as sudo does
exec "${@:2}"
"""
APT_GET = """#!/bin/sh
case "$*" in *" install "*) cat /etc/postgresql-common/createcluster.d/stepgrad.conf >&2 ;; esac
"""


def test_sudo_installs_a_postgresql_that_makes_no_cluster(tmp_path: Path) -> None:
    """Installing the package must not start a server. Simple scripts replace apt-get, sudo and id, and empty folders replace
    PostgreSQL's.
    """
    for name, script in {"sudo": SUDO, "apt-get": APT_GET, "id": "#!/bin/sh\necho 1000\n"}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    folders = [word for folder in ("/usr/lib/postgresql", "/etc/postgresql-common") for word in ("--tmpfs", folder)]
    script = f"{ROOT}/.ci/system-packages postgresql && ls /etc/postgresql-common/createcluster.d"
    command = ["bwrap", "--dev-bind", "/", "/", *folders, "bash", "-c", script]
    ended = subprocess.run(command, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "create_main_cluster = false\n")
    assert ended.stdout == "Installing the system packages postgresql ...\n", "what was told to PostgreSQL's package stayed"


def test_other_systems_are_told_where_the_page_is_served(tmp_path: Path) -> None:
    """On systems other than Linux, the script installs nothing, because bubblewrap does not exist there."""
    (tmp_path / "bash").symlink_to(shutil.which("bash") or "missing")
    (tmp_path / "uname").write_text("#!/bin/sh\necho Darwin\n")
    (tmp_path / "uname").chmod(0o755)
    script = [str(ROOT / ".ci/system-packages"), "bubblewrap"]
    ended = subprocess.run(script, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert ended.returncode == 1 and ended.stderr.endswith(
        "needs the system packages bubblewrap: the sandbox works only on Linux; "
        "docs/install.md explains how to serve the page on macOS and Windows.\n"
    )


def test_a_browser_is_missing_on_ubuntu_alone() -> None:
    debian, ubuntu, like_ubuntu = (
        {"ID": "debian"},
        {"ID": "ubuntu", "ID_LIKE": "debian"},
        {"ID": "x", "ID_LIKE": "ubuntu debian"},
    )
    assert why_left_out(None, debian) is why_left_out(None, {}) is why_left_out("/usr/bin/own", ubuntu) is None
    assert why_left_out(None, ubuntu) == why_left_out(None, like_ubuntu) == LEFT_OUT


APT_DOWNLOADS = """#!/bin/sh
case "$*" in
  *" download prometheus")
    mkdir -p made/DEBIAN made/usr/bin && echo 'its program' > made/usr/bin/promtool
    printf 'Package: prometheus\\nVersion: 1\\nArchitecture: all\\nMaintainer: x\\nDescription: x\\n' > made/DEBIAN/control
    dpkg-deb --build made prometheus_1_all.deb ;;
  *" install "*) echo "$*" >&2 ;;
esac
"""


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="there is no dpkg-deb here")
def test_of_prometheus_one_program_is_taken(tmp_path: Path) -> None:
    """Installing the package would start a service. Simple scripts replace apt-get, sudo and id, and an empty folder
    /usr/local/bin.
    """
    for name, script in {"sudo": SUDO, "apt-get": APT_DOWNLOADS, "id": "#!/bin/sh\necho 1000\n"}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    script = f"{ROOT}/.ci/system-packages prometheus haproxy-of-which-there-is-none && cat /usr/local/bin/promtool"
    command = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/usr/local/bin", "bash", "-c", script]
    ended = subprocess.run(command, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True)
    assert ended.stdout.endswith("\nits program\n"), ended.stderr
    assert ended.stderr.endswith(" install --yes --no-install-recommends haproxy-of-which-there-is-none\n"), "and nothing else"
