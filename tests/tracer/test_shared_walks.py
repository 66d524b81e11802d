"""The number of recorded names grows with the number of objects, not with the number of calls that receive them.

The search for names skips the recorder's own objects.
"""

from collections import Counter

import pytest

from app.tracer.library import record as record_here
from app.tracer.naming.names import kind_of
from tests.tracer.conftest import Record

DEEP = """import torch


class Deep(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range({layers}))
        self.scale = torch.nn.Parameter(torch.ones(2))
        self.apply(self.start)

    def start(self, module):
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.zeros_(module.bias)

    def forward(self, x):
        for layer in self.layers:
            x = self.one(layer, x)
        return x * self.scale

    def one(self, layer, x):
        return layer(x)


net = Deep()
for _ in range({rounds}):
    net(torch.ones(1, 2)).sum().backward()
"""


def names(record: Record, layers: int, rounds: int = 1) -> Counter[str]:
    """Count the names in the frames of each function."""
    trace = record(DEEP.format(layers=layers, rounds=rounds)).trace
    return Counter(trace.frames[name.frame].function for name in trace.names)


def test_names_are_linear_in_the_layers(record: Record) -> None:
    few, many = names(record, 20), names(record, 80)
    assert all(count <= 4 * few[function] + 8 for function, count in many.items()), (few, many)


def test_another_round_names_no_parameter_again(record: Record) -> None:
    once, again = names(record, 40), names(record, 40, rounds=3)
    assert again["<module>"] == once["<module>"]
    assert again["Deep.forward"] <= 3 * once["Deep.forward"] < 3 * 40


def test_a_frame_has_names_for_what_its_code_names(record: Record) -> None:
    run = record(DEEP.format(layers=40, rounds=1))
    frames = {name.path: run.trace.frames[name.frame].function for name in run.trace.names if name.path == "self.scale"}
    assert frames == {"self.scale": "Deep.forward"}


@pytest.mark.parametrize("name", ["net.layers[39].weight", "net.scale"])
def test_the_frame_below_has_all_names(record: Record, name: str) -> None:
    run = record(DEEP.format(layers=40, rounds=1))
    assert any(each.path == name and each.frame == 0 for each in run.trace.names)


def test_a_recording_is_not_walked() -> None:
    with record_here() as recording:
        pass
    assert kind_of(recording).is_opaque and kind_of(recording.trace).is_opaque
