"""The browser of the tests, and the one system where they are left out because it has none."""

import platform
import shutil
from collections.abc import Mapping
from typing import Final

NAME: Final = "chromium-headless-shell"
LEFT_OUT: Final = (
    f"Ubuntu has no package {NAME}, and its snap of Chromium cannot be driven by other programs; "
    "with any Chromium on PATH under that name they run"
)


def why_left_out(chromium: str | None = shutil.which(NAME), system: Mapping[str, str] | None = None) -> str | None:
    """Why tests with a browser are left out here, in one sentence; None where they run, and where one has to be installed."""
    return LEFT_OUT if chromium is None and is_ubuntu(system) else None


def is_ubuntu(system: Mapping[str, str] | None) -> bool:
    """Whether a system, by its os-release, is Ubuntu or like it; None: this one."""
    system = _this_system() if system is None else system
    return "ubuntu" in (system.get("ID", ""), *system.get("ID_LIKE", "").split())


def _this_system() -> Mapping[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}
