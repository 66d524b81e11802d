"""The second browser of the tests. On Ubuntu, which has no such browser, its tests are skipped."""

import shutil
from collections.abc import Mapping
from typing import Final

from tests.browser.chromium import is_ubuntu

NAME: Final = "firefox-esr"
LEFT_OUT: Final = f"Ubuntu has no package {NAME}; with any Firefox on PATH under that name they run"


def why_left_out(found: str | None = shutil.which(NAME), system: Mapping[str, str] | None = None) -> str | None:
    """Return why Firefox tests are skipped; None if they run or if Firefox must be installed first."""
    return LEFT_OUT if found is None and is_ubuntu(system) else None
