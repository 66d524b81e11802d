"""Every example finishes within the default limits, its trace agrees with torch, and it shows what its title says."""

import json
from collections import Counter

import httpx
import pytest

from app.examples import FOLDER, ORDER, examples
from app.explain import explain
from app.lessons import lessons
from app.trace.ends import Finished
from tests.explain.recorded import Traces
from tests.recordings import answer
from tests.tracer.differential import differences
from tests.web.conftest import client, server

__all__ = ["client", "server"]
SOURCES = {example.name: example.source for example in examples()}
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.toml"))
RECORDED = Traces(SOURCES)
SHOWN = {
    "training-loop": (["MeanBackward0", "PowBackward0"], "w: 2.93 b: 1.0"),
    "small-classifier": (["NllLossBackward0", "LogSoftmaxBackward0", "TanhBackward0"], "classes: [0, 1, 1, 0]"),
    "attention-head": (["MaskedFillBackward0", "SoftmaxBackward0", "MmBackward0"], "query.weight.grad: (4, 8)"),
    "transformer-block": (["NativeLayerNormBackward0", "GeluBackward0", "ScaledDotProduct"], "2 1."),
}
"""For each example, prefixes of the names of Nodes it must have, and the beginning of its last line of output."""


def test_eight_examples_lead_from_data_to_a_transformer_block() -> None:
    assert [example.name for example in examples()] == list(ORDER)
    assert (ORDER[0], ORDER[-1]) == ("data-hides-the-write", "transformer-block")
    assert set(PROGRAMS) == set(ORDER) - {lesson.slug for lesson in lessons()} == set(SHOWN)
    for language in ("en", "zh_cn"):
        assert len({getattr(example.title, language) for example in examples()}) == 8


@pytest.mark.parametrize("name", ORDER)
def test_the_trace_says_what_torch_says(name: str) -> None:
    trace = RECORDED[name]
    assert isinstance(trace.ended, Finished)
    assert differences(json.loads(answer(SOURCES[name], "plain")), trace) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_shows_what_its_title_says(name: str) -> None:
    trace = RECORDED[name]
    begun, last = SHOWN[name]
    nodes = Counter(node.name for node in trace.nodes)
    assert [each for each in begun if not any(node.startswith(each) for node in nodes)] == [], nodes
    printed = "".join(output.text for output in trace.outputs)
    assert printed.splitlines()[-1].startswith(last), printed
    assert explain(trace).findings == [], "it is no example of a mistake"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_ready_to_be_read(name: str) -> None:
    lines = SOURCES[name].splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 36
    assert SOURCES[name] == SOURCES[name].strip() + "\n"


def test_the_server_lists_and_runs_them(client: httpx.Client) -> None:
    listed = client.get("/api/v1/examples").json()
    assert {each["name"]: each["source"] for each in listed} == SOURCES
    assert all(each["title"].keys() == {"en", "zh-CN"} for each in listed)
    for each in listed:
        document = client.post("/api/v1/traces", json={"source": each["source"]}).json()
        assert document["trace"]["ended"] == {"kind": "finished"}, each["name"]
