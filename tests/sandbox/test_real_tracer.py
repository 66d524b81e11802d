"""The sandbox with the real tracer. All tests of the module share one zygote, because importing torch takes two seconds."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from app.sandbox import Sandbox, SandboxSettings
from app.trace.check import check
from app.trace.ends import Exited, Finished, OutOfMemory, Raised
from app.trace.records import Limits, Request
from tests.sandbox.conftest import PATIENT, timed_out
from tests.sandbox.traced import Traced, traced

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def real() -> AsyncIterator[Sandbox]:
    async with Sandbox(SandboxSettings()) as started:
        yield started


async def run(sandbox: Sandbox, source: str, limits: Limits | None = None) -> Traced:
    ended = await traced(sandbox.run(Request(source=source, limits=limits or PATIENT)))
    check(ended.trace)
    return ended


UNBOUNDED = {"statements": 10**9, "steps": 10**9, "trace_bytes": 1 << 30, "cpu_seconds": 600}


async def test_backward(real: Sandbox) -> None:
    ended = await run(real, "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)")
    assert ended.trace.ended == Finished()
    assert "".join(output.text for output in ended.trace.outputs) == "tensor([2., 2.])\n"
    assert ended.trace.header.torch.startswith("2.")


async def test_a_traceback_shows_nothing_that_started_the_process(real: Sandbox) -> None:
    source = (
        "import traceback\ntry:\n    exec('1 / 0')\nexcept ZeroDivisionError:\n    print(traceback.format_exc().splitlines())"
    )
    ended = await run(real, source)
    said = "".join(output.text for output in ended.trace.outputs)
    assert said.endswith("""'  File "<string>", line 1, in <module>', 'ZeroDivisionError: division by zero']\n""")


async def test_all_steps_up_to_the_kill_are_kept(real: Sandbox) -> None:
    source = "import torch\nx = torch.zeros(1)\nfor _ in range(5):\n    x += 1\nprint(x)\nwhile True:\n    pass"
    ended = await timed_out(real, source, 1.5, lambda trace: bool(trace.outputs), **UNBOUNDED)
    check(ended.trace)
    operators = [step.name for step in ended.trace.steps if step.kind == "operator"]
    assert operators.count("aten::add_") == 5
    assert ended.trace.outputs[0].text == "tensor([5.])\n"


async def test_a_kill_in_the_middle_of_a_statement(real: Sandbox) -> None:
    source = "import torch\nx = torch.ones(3)\nimport time\ntime.sleep(1000)"
    ended = await timed_out(real, source, 0.5, lambda trace: bool(trace.tensors))
    check(ended.trace)
    assert len(ended.trace.tensors) == 1


async def test_a_statement_that_never_ends_and_runs_operators(real: Sandbox) -> None:
    source = "import torch\nx = torch.zeros(1)\ny = [x.add_(1) for _ in iter(int, 1)]\n"
    ended = await timed_out(real, source, 2.0, lambda trace: len(trace.writes) > 1000, **UNBOUNDED)
    check(ended.trace)
    versions = [version for _, version in ended.trace.version_counters[0].version]
    assert versions == list(range(len(versions))) and len(versions) > 1000
    assert [step.ended for step in ended.trace.steps if step.kind == "statement"][-1] is None


async def test_memory_is_bounded(real: Sandbox) -> None:
    ended = await run(
        real,
        "import torch\nkept = []\nwhile True:\n    kept.append(torch.ones(8 << 20))",
        Limits(wall_seconds=300.0, memory_bytes=256 << 20),
    )
    assert isinstance(ended.trace.ended, OutOfMemory), ended.trace.ended
    assert ended.cost.peak_memory_bytes < 1 << 30


async def test_what_is_mapped_before_a_run_is_not_counted(real: Sandbox) -> None:
    ended = await run(real, "import torch\nx = bytearray(192 << 20)", Limits(wall_seconds=300.0, memory_bytes=256 << 20))
    assert ended.trace.ended == Finished()


async def test_what_is_no_lack_of_memory(real: Sandbox) -> None:
    deep = (await run(real, "x = 1\ny = " + "-" * 50_000 + "1")).trace.ended
    assert isinstance(deep, Raised) and deep.message.startswith("Parser stack overflowed")
    thrown = (await run(real, "def f():\n    raise MemoryError('mine')\nf()")).trace.ended
    assert isinstance(thrown, Raised) and (thrown.type, thrown.message, thrown.line) == ("MemoryError", "mine", 2)
    passed_on = (await run(real, "try: x = bytearray(10 << 30)\nexcept MemoryError: raise")).trace.ended
    assert isinstance(passed_on, OutOfMemory) and passed_on.raised is not None and passed_on.raised.line == 1


async def test_exit_of_the_process(real: Sandbox) -> None:
    ended = await run(real, "import os, torch\nx = torch.ones(3)\nos._exit(3)")
    assert ended.trace.ended == Exited(code=3, by="process")


async def test_torch_threads_in_a_run(real: Sandbox) -> None:
    source = "import torch\ntorch.set_num_threads(2)\nx = torch.rand(300, 300)\nprint((x @ x).shape)"
    assert (await run(real, source)).trace.ended == Finished()


async def test_sixty_at_once(real: Sandbox) -> None:
    source = "import torch\nx = torch.ones(3, requires_grad=True)\n(x * {0}).sum().backward()\nprint(x.grad[0].item())"
    ended = await asyncio.gather(*(run(real, source.format(number)) for number in range(60)))
    assert [each.trace.outputs[0].text for each in ended] == [f"{float(number)}\n" for number in range(60)]


PAST_PYTHON = """
import ctypes, os, sys, torch
print("one", end=" ")
os.write(1, b"two ")
os.write(2, b"alarm ")
sys.__stdout__.write("three ")
print("four", file=sys.__stderr__, end="")
print("five")
libc = ctypes.CDLL(None)
libc.printf(b"of C\\n")
libc.printf(b"unfinished")
reader, writer = os.pipe()
os.write(writer, b"elsewhere")
kept = os.dup(1)
os.dup2(writer, 1)
os.write(1, b", too")
os.dup2(kept, 1)
print(os.read(reader, 100), sys.stdout.fileno(), sys.stderr.fileno())
"""


async def test_what_is_written_past_python_comes_in_order_or_is_called_native(real: Sandbox) -> None:
    ended = await run(real, PAST_PYTHON)
    assert ended.trace.ended == Finished()
    said = [(output.stream, output.category, output.text) for output in ended.trace.outputs]
    by_stream = {stream: "".join(text for of, _, text in said if of == stream) for stream, *_ in said}
    assert by_stream["stdout"] == "one two three five\nb'elsewhere, too' 1 2\nof C\nunfinished"
    assert by_stream["stderr"] == "alarm four"
    assert [entry for entry in said if entry[1] is not None] == [("stdout", "native", "of C\nunfinished")]
    assert {"two ", "alarm ", "three "} <= {text for _, _, text in said}
    ticks = [output.tick for output in ended.trace.outputs]
    assert ticks == sorted(ticks)


async def test_what_the_process_says_as_it_dies_is_kept(real: Sandbox) -> None:
    ended = await run(real, "import faulthandler, os, torch\nfaulthandler.enable()\nos.abort()\n")
    [last] = ended.trace.outputs
    assert last.category == "native" and "Fatal Python error: Aborted" in last.text
