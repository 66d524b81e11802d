"""The second browser of the tests, and the one system where they are left out because it has none."""

import shutil
from collections.abc import Mapping
from typing import Final

from tests.browser.chromium import is_ubuntu

NAME: Final = "firefox-esr"
LEFT_OUT: Final = f"Ubuntu has no package {NAME}; with any Firefox on PATH under that name they run"


def why_left_out(found: str | None = shutil.which(NAME), system: Mapping[str, str] | None = None) -> str | None:
    """Why tests with Firefox are left out here, in one sentence; None where they run, and where it has to be installed."""
    return LEFT_OUT if found is None and is_ubuntu(system) else None
