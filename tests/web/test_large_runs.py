"""A training step of a transformer runs, is recorded and is explained completely with the default limits."""

import httpx
import msgspec

from app.explain import Document
from app.trace.check import check
from app.trace.ends import Finished
from tests.tracer.test_deep_and_wide import PROGRAMS


def test_a_transformer_step_becomes_a_whole_document(client: httpx.Client) -> None:
    source, _ = PROGRAMS["a_transformer_of_12_blocks"]
    response = client.post("/api/v1/traces", json={"source": source}, headers={"Accept-Encoding": "gzip"})
    assert response.status_code == 200, response.text[:1000]
    assert response.num_bytes_downloaded < 2 << 20
    trace = msgspec.json.decode(response.content, type=Document).trace
    check(trace)
    assert trace.ended == Finished(), "within the processor time that every run has"
    assert sum(step.kind == "node" for step in trace.steps) > 300
