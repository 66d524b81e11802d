"""The fixture with the isolated environments in which attacks run."""

from collections.abc import Iterator

import pytest

from tests.sandbox.attacks.arena import Arenas


@pytest.fixture(scope="module")
def arenas() -> Iterator[Arenas]:
    """Return the arenas. Tests are sorted by configuration, so that each arena is opened only once."""
    with Arenas() as opened:
        yield opened
