"""The browser of the tests. On Ubuntu, which has no such browser, the tests are skipped."""

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
    """Return why browser tests are skipped; None if they run or if a browser must be installed first."""
    return LEFT_OUT if chromium is None and is_ubuntu(system) else None


def is_ubuntu(system: Mapping[str, str] | None) -> bool:
    """Whether an os-release describes Ubuntu or a derivative; None stands for this system."""
    system = _this_system() if system is None else system
    return "ubuntu" in (system.get("ID", ""), *system.get("ID_LIKE", "").split())


def _this_system() -> Mapping[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}
