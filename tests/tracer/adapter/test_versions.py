"""The table of torch versions: the adapter has an entry for each supported version and for versions still on trial."""

import pytest

from app.tracer.adapter.versions import private_of

MOVES = {"aten::shallow_copy_data_"}


@pytest.mark.parametrize(
    ("version", "moves"),
    [("2.13.1+cpu", set()), ("2.14.0a0+nv26.9", MOVES), ("2.15.0+cu132", MOVES), ("2.11.0", set()), ("3.0", MOVES)],
)
def test_the_row_of_a_version(version: str, moves: set[str]) -> None:
    assert private_of(version).untagged_moves == moves
