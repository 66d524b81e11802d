"""The explanation of a run is computed and sent in parts. An incomplete document lists the missing parts."""

import pytest

from app.explain import document_of, explain, explanations
from app.explain.findings import FINDERS
from app.report.transcript import transcript
from app.words import LANGUAGES, sentence
from tests.explain.test_cases import recordings


@pytest.mark.parametrize("case", ["s11", "s57", "s66d"])
def test_the_parts_are_the_whole(case: str) -> None:
    trace = recordings()[case]
    parts = list(explanations(trace))
    assert len(parts) == len(FINDERS) and all(part.is_finished for part in parts)
    assert document_of(trace, parts) == explain(trace)
    assert explain(trace).unfinished == 0 and len(explain(trace).findings) == sum(len(part.findings) for part in parts) > 0


def test_parts_that_did_not_come_are_told() -> None:
    trace = recordings()["s57"]
    parts = list(explanations(trace))
    document = document_of(trace, parts[:-3])
    assert document.unfinished == 3 and document.findings == explain(trace).findings[: len(document.findings)]
    for language in LANGUAGES:
        said = sentence(language, "explained-in-part", count=3)
        assert said in "\n".join(transcript(document, language)) and "3" in said
        assert said not in "\n".join(transcript(explain(trace), language))
