"""Copy a tensor's bytes before reading them, as for a tensor on a GPU.

These tests copy every Storage, although the CPU can read the bytes directly.
"""

from pathlib import Path

import pytest
import torch

from app.trace.chunks import Trace
from app.trace.query import END, value_at
from app.trace.records import Contents, Unknown
from app.tracer import adapter
from app.tracer.autograd.backward import contents, copied_contents
from app.tracer.tensors import values
from tests import scripts
from tests.recordings import chunks, folded

PROGRAM = """
import sys
from app.trace.heads import content_of
from app.trace.requests import encode_request
from app.trace.records import Request
from app.tracer import adapter
from app.tracer.entry import run

def copied(storage):
    with adapter.unseen_operators():
        return storage.clone()

adapter.on_host = copied
for source in SOURCES:
    chunks = []
    run(encode_request(Request(source=source)), chunks.append)
    sys.__stdout__.buffer.write(b"\\n".join(map(content_of, chunks)) + b"\\n\\n")
"""

SOURCES = [
    "import torch\nx = torch.arange(6.0).reshape(2, 3)\nx.t().mul_(2)\ny = x[1].double()\nx[0, 1] = 7\n",
    "import torch\nx = torch.linspace(0, 1, 4096)\nx[17] = -1\n",
    "import torch\nx = torch.ones(3, requires_grad=True)\ny = (x * torch.arange(3.0)).exp()\ny.sum().backward()\n",
]


def test_what_is_copied_is_read_while_the_copy_lives(tmp_path: Path) -> None:
    said = scripts.said_by(tmp_path, PROGRAM.replace("SOURCES", repr(SOURCES)))
    for source, copied in zip(SOURCES, said.split("\n\n")[:-1], strict=True):
        assert held(folded(source, copied.encode().splitlines())) == held(folded(source, chunks(source)))


@pytest.mark.parametrize("cells", [8, 256])
def test_a_gradient_is_copied_with_its_storage_and_read_where_it_lies(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    monkeypatch.setattr(adapter, "on_host", lambda storage: storage.clone())
    x = torch.arange(24.0, dtype=torch.float64).reshape(4, 6)
    for tensor in (x, x[1:, ::2], x.t()[2], x[0, 0].expand(3), torch.tensor(2, dtype=torch.int8), x.half()[3:]):
        said = copied_contents(tensor, cells)
        assert said == contents(tensor, cells) and not isinstance(said, Unknown)
    assert isinstance(copied_contents(torch.ones(values.SUMMARISED_ELEMENTS + 1)[:2], cells), Unknown)


def held(trace: Trace) -> list[Contents | None]:
    """Return the contents of all storages and the values of all gradients."""
    found = [value for storage in trace.storages for _, value in storage.contents]
    found += [gradient.value for gradient in trace.gradients]
    assert found and not any(isinstance(value, Unknown) for value in found)
    return [*found, *(value_at(storage.contents, END) for storage in trace.storages)]
