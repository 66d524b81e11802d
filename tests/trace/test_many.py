"""Run tests of the other modules with 2000 random traces."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace import test_check, test_chunks, test_codec, test_query
from tests.trace.generated import traces

PROPERTIES: tuple[Any, ...] = (
    test_check.test_honest_traces_pass,
    test_codec.test_a_trace_comes_back_as_it_was,
    test_query.test_statements_come_in_the_order_of_their_ends,
)
AT_A_MOMENT: tuple[Any, ...] = (
    test_query.test_the_state_is_what_a_replay_gives,
    test_query.test_the_step_at_a_tick_contains_it,
)
IN_CHUNKS: tuple[Any, ...] = (test_chunks.test_any_chunking_folds_to_the_trace, test_codec.test_a_chunk_comes_back_as_it_was)


@pytest.mark.long
@settings(max_examples=2000)
@given(traces(), st.integers(0, 90), st.randoms(use_true_random=False), st.integers(1, 5))
def test_every_property(trace: Any, moment: int, chance: Any, count: int) -> None:
    for holds in PROPERTIES:
        holds.hypothesis.inner_test(trace)
    for holds in AT_A_MOMENT:
        holds.hypothesis.inner_test(trace, moment)
    for holds in IN_CHUNKS:
        holds.hypothesis.inner_test(trace, chance, count)
