"""Decide whether the browser tests can run. Ubuntu has no Chromium that tests can control, so the browser tests are skipped
there.
"""

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
    """Return the reason to skip the browser tests; None on a system where Chromium is or can be installed."""
    return LEFT_OUT if chromium is None and is_ubuntu(system) else None


def is_ubuntu(system: Mapping[str, str] | None) -> bool:
    """Whether the contents of an os-release file describe Ubuntu or a derivative. `system` None means the current operating
    system.
    """
    system = _this_system() if system is None else system
    return "ubuntu" in (system.get("ID", ""), *system.get("ID_LIKE", "").split())


def _this_system() -> Mapping[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}
