"""Decide whether the Firefox tests can run. Ubuntu has no Firefox that tests can control, so the Firefox tests are skipped
there.
"""

import shutil
from collections.abc import Mapping
from typing import Final

from tests.browser.chromium import is_ubuntu

NAME: Final = "firefox-esr"
LEFT_OUT: Final = f"Ubuntu has no package {NAME}; with any Firefox on PATH under that name they run"


def why_left_out(found: str | None = shutil.which(NAME), system: Mapping[str, str] | None = None) -> str | None:
    """Return the reason to skip the Firefox tests; None on a system where Firefox is or can be installed."""
    return LEFT_OUT if found is None and is_ubuntu(system) else None
