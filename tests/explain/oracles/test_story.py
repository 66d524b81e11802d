"""No sentence of the story of a run is contradicted by what plain torch says after the same statement."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.explain import test_cases, test_real
from tests.explain.oracles.story import CHECKS, contradictions
from tests.explain.recorded import record
from tests.tracer.programs import programs

ANOTHER_GRAD = (
    "import torch\nx = torch.ones(2, requires_grad=True)\nx.grad = torch.ones(2)\nkept = x.grad\nx.grad = torch.zeros(2)\n"
)


def test_no_sentence_is_contradicted(capsys: pytest.CaptureFixture[str]) -> None:
    confirmed, wrong = Counter[str](), []
    [another] = record([ANOTHER_GRAD])
    for name, trace in (test_cases.recordings() | test_real.recordings() | {"another grad": another}).items():
        found, objections = contradictions(trace)
        confirmed += found
        wrong += [f"{name}: {each}" for each in objections]
    with capsys.disabled():
        print("\n" + ", ".join(f"{message} {count}" for message, count in sorted(confirmed.items())))
    assert not wrong, "\n".join(wrong)
    assert set(confirmed) == set(CHECKS), "no sentence of these was confirmed"


@pytest.mark.long
@settings(max_examples=1000, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
@given(programs())
def test_no_sentence_of_a_generated_program_is_contradicted(source: str) -> None:
    [trace] = record([source])
    _, wrong = contradictions(trace)
    assert not wrong, "\n".join([source, *wrong])
