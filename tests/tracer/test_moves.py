"""Operators such as `set_` that move a tensor to another storage do not count as writes to its bytes.

Earlier writes of the same line still refer to the previous storage.
"""

import pytest

from app.trace.records import Write
from tests.torch_versions import TORCH
from tests.tracer.conftest import Record


def told(write: Write) -> tuple[str | None, int, int, bool | None]:
    return write.operator, write.begin, write.end, write.changed


def test_set_writes_no_byte(record: Record) -> None:
    run = record("import torch\na = torch.zeros(4)\nb = torch.ones(3)\nb.set_(a.untyped_storage(), 1, (2,), (1,))\nb.add_(1)\n")
    (moved,), (added,) = run.writes("b.set_"), run.writes("b.add_")
    assert told(moved) == ("aten::set_", 4, 4, False)
    assert told(added) == ("aten::add_", 4, 12, True)
    assert moved.storage == added.storage == run.end.storage("a")
    assert (moved.version, added.version) == (1, 2)


@pytest.mark.skipif(TORCH < (2, 14), reason="torch 2.13 has no such operator")
def test_an_operator_that_assigns_data_writes_no_byte(record: Record) -> None:
    run = record("import torch\nx, y = torch.ones(3), torch.zeros(2)\ntorch.ops.aten.shallow_copy_data_(x, y)\n")
    (moved,) = run.writes("torch.ops")
    assert (told(moved), moved.version) == (("aten::shallow_copy_data_", 0, 0, False), None)
    assert moved.storage == run.end.storage("x") == run.end.storage("y")


def test_a_deep_copy_is_written_once(record: Record) -> None:
    run = record("import copy, torch\nx = torch.tensor([1.0, 2.0, 3.0])\ny = copy.deepcopy(x)\n")
    written = [told(write) for write in run.writes("y = copy") if write.changed is not False or write.begin != write.end]
    assert written == [("aten::copy_", 0, 12, True)]


def test_what_a_large_tensor_holds_is_not_written_by_a_transposition(record: Record) -> None:
    run = record("import torch\nx = torch.ones(40, 40)\nx.t_()\n")
    assert [told(write) for write in run.writes("x.t_")] == [("aten::t_", 0, 0, False)]


def test_an_operator_wrote_where_its_tensor_looked_then(record: Record) -> None:
    run = record("import torch\nx, other = torch.ones(3), torch.zeros(3)\nkept = x.detach()\nx.data = (x.mul_(2), other)[1]\n")
    (write,) = run.writes("x.data")
    assert told(write) == ("aten::mul_", 0, 12, True)
    assert write.storage == run.end.storage("kept") != run.end.storage("x")
    assert run.end.values("kept") == [2.0, 2.0, 2.0]


def test_of_bytes_that_are_gone_nobody_says_that_they_stayed(record: Record) -> None:
    run = record("import torch\nx, other = torch.ones(3), torch.zeros(3)\nx.data = (x.mul_(2), other)[1]\n")
    assert [told(write) for write in run.writes("x.data")] == [("aten::mul_", 0, 12, None)]


def test_a_save_is_spoilt_by_what_wrote_it_and_not_by_the_move(record: Record) -> None:
    run = record(
        "import torch\nx = torch.ones(3, requires_grad=True)\ny = x * 2\nz = y * y\nwith torch.no_grad():\n"
        "    y.data = (y.add_(1), torch.zeros(3))[1]\ny.requires_grad\n"
    )
    write, *_ = run.writes("y.data")
    saved = next(saved for saved in run.trace.saved_tensors if saved.name == "self")
    assert [fact[1] for fact in (*saved.outdated, *saved.overwritten)] == [write.id, write.id]
