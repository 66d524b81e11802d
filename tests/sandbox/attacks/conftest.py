"""A fixture for the arenas in which attacks are tried."""

from collections.abc import Iterator

import pytest

from tests.sandbox.attacks.arena import Arenas


@pytest.fixture(scope="module")
def arenas() -> Iterator[Arenas]:
    """The arenas. Tests are sorted by configuration, so that each arena is opened once."""
    with Arenas() as opened:
        yield opened
