"""The sandbox for runs that use a GPU: its layers, allowed ioctl requests, and the memory of a run."""

import ast
import asyncio
import atexit
import errno
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.sandbox import Layer, Sandbox, SandboxSettings, SandboxUnavailable
from app.sandbox.canary import Finding, ask
from app.sandbox.gpus import device_nodes
from app.sandbox.inside.seal import GPU_HOST_BYTES
from app.trace.check import check
from app.trace.ends import Finished, OutOfMemory, TimedOut
from app.trace.records import Limits, Request
from tests.gpu.case import CannotRunError, Case
from tests.sandbox.traced import Traced, traced

ENTRIES = Path(__file__).parents[1] / "sandbox"
IN_PLACE_OF_A_GPU = ("/dev/full",)
"""A device file that is normally missing in the sandbox. It represents a GPU, because it can be opened and accepts ioctl."""

TRAINS = """import torch
x = torch.arange(4.0, device=DEVICE, requires_grad=True)
(x * x).sum().backward()
print(x.grad.tolist(), x.device)
"""

COMMANDS = """
import errno, fcntl, os
def command(path, request):
    try:
        fcntl.ioctl(os.open(path, os.O_RDWR), request)
    except OSError as error:
        return errno.errorcode[error.errno]
for path in (NODE, "/dev/null"):
    say([command(path, request) for request in (0x46C8, 0x30000003, 0x5412, 0x4B46)])
"""
"""An ioctl request of NVIDIA's driver, one of UVM that no run needs, TIOCSTI, and another request for terminals."""

TAKES_HOST_MEMORY = """
import mmap, resource
OPEN
say(resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY)
held = []
try:
    while len(held) < 100:
        held.append(mmap.mmap(-1, 1 << 28, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE))
except OSError as error:
    say(error.errno)
say(len(held))
"""

NEVER_ENDS = """import torch
x = torch.ones(512, 512, device=DEVICE)
while True:
    x = (x @ x).tanh()
"""
TAKES_THE_DEVICE = """import torch
free, total = torch.cuda.mem_get_info()
print(free)
x = torch.empty(free // 2, dtype=torch.uint8, device=DEVICE)
"""
IS_THERE_ONE = "import os, torch\nprint(torch.cuda.is_available(), [os.path.exists(node) for node in NODES])\n"


PATIENT = Limits(wall_seconds=60, cpu_seconds=60, memory_bytes=256 << 20)
"""Generous time limits for runs that should exceed the memory limit."""


def cases(device: str) -> list[Case]:
    """Return a case for each guarantee of the sandbox. Raises CannotRunError if the machine has no suitable device or no
    sandbox.
    """
    nodes = device_nodes() if device == "cuda" else IN_PLACE_OF_A_GPU
    if not nodes:
        raise CannotRunError("the pool needs /dev/nvidia0, and this machine has none")
    pool = Pool(SandboxSettings(gpus=nodes), device)
    needs_cuda = "the CPU has no memory of a device"
    return [
        Case("every layer is there", pool.case(pool.every_layer)),
        Case("a run computes on the device", pool.case(pool.computes)),
        Case("two runs at a time", pool.case(pool.two_at_a_time)),
        Case("commands that reach a device", pool.case(pool.commands)),
        Case("host memory is bounded beside an open device", pool.case(pool.host_memory)),
        Case("too much host memory ends a run", pool.case(pool.too_much)),
        Case("a run that is killed harms none after it", pool.case(pool.killed)),
        Case("memory of the device comes back", pool.case(pool.device_memory), needs_cuda),
        Case("the other pool sees no device", pool.case(pool.other_pool)),
    ]


class Pool:
    """Sandboxes that the cases share.

    The sandboxes run in a thread that ends with this process, because bubblewrap ends with the thread that started it.
    """

    def __init__(self, settings: SandboxSettings, device: str) -> None:
        self._settings = settings
        self._bare = replace(settings, tracer="entries.with_torch", extra_paths=(ENTRIES,))
        """Settings with a tracer that only forwards the snippet's output."""
        self._device = device
        self._started: dict[SandboxSettings, Sandbox] = {}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        atexit.register(lambda: self._wait(self._close()))

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _close(self) -> None:
        await asyncio.gather(*(sandbox.close() for sandbox in self._started.values()))

    async def _sandbox(self, settings: SandboxSettings) -> Sandbox:
        """Return the sandbox with these settings, which is started on first use."""
        if settings not in self._started:
            self._started[settings] = sandbox = Sandbox(settings)
            await sandbox.start()
        return self._started[settings]

    def case(self, check: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        """Return a check that runs in the thread of the sandboxes. The check raises CannotRunError if no sandbox can be
        started.
        """

        def run() -> None:
            try:
                self._wait(check())
            except SandboxUnavailable as error:
                raise CannotRunError(f"no sandbox can be built here: {error}") from error

        return run

    async def _run(self, sandbox: Sandbox, source: str, limits: Limits | None = None) -> Traced:
        ended = await traced(
            sandbox.run(Request(source=source.replace("DEVICE", repr(self._device)), limits=limits or Limits()))
        )
        check(ended.trace)
        return ended

    async def every_layer(self) -> None:
        sandbox = await self._sandbox(self._settings)
        found = await ask(sandbox, Limits())
        assert found == Finding(layers=frozenset(Layer), open=()), found

    async def computes(self) -> None:
        sandbox = await self._sandbox(self._settings)
        wrong = self._wrong(await self._run(sandbox, TRAINS))
        if wrong is not None:
            raise AssertionError(f"{wrong}\n{await self._held_by()}")

    def _wrong(self, run: Traced) -> str | None:
        place = "cuda:0" if self._device == "cuda" else "cpu"
        if run.trace.ended != Finished() or printed(run) != f"[0.0, 2.0, 4.0, 6.0] {place}\n":
            return f"it ended {run.trace.ended} and printed {printed(run)!r}"
        return None if run.trace.header.device == "cuda:0" else f"the trace says that it ran on {run.trace.header.device}"

    async def _held_by(self) -> str:
        """Leave out one layer at a time, and return those without which CUDA starts."""
        without = []
        for layer in sorted(set(Layer) - {Layer.BUBBLEWRAP}):
            async with Sandbox(replace(self._settings, without=frozenset({layer}))) as sandbox:
                if self._wrong(await self._run(sandbox, TRAINS)) is None:
                    without.append(layer.value)
        return f"It runs without the layer {', '.join(without)}." if without else "It runs without none of the layers."

    async def two_at_a_time(self) -> None:
        sandbox = await self._sandbox(self._settings)
        both = await asyncio.gather(*(self._run(sandbox, TRAINS) for _ in range(2)))
        assert [self._wrong(run) for run in both] == [None, None]

    async def commands(self) -> None:
        sandbox = await self._sandbox(self._bare)
        run = await self._run(sandbox, COMMANDS.replace("NODE", repr(self._settings.gpus[0])))
        assert run.trace.ended == Finished(), run.trace.ended
        device, other = (ast.literal_eval(output.text) for output in run.trace.outputs)
        # The first request reaches the device, which may return anything. The filter rejects the other requests, and Landlock
        # rejects the other device.
        assert device[0] not in ("EACCES", "EPERM", "ENOENT") and device[1:] == ["ENOTTY"] * 3, device
        assert other == ["EACCES", *["ENOTTY"] * 3], other

    async def host_memory(self) -> None:
        opened = "import torch; torch.ones(1, device=DEVICE)"
        sandbox = await self._sandbox(self._bare)
        run = await self._run(sandbox, TAKES_HOST_MEMORY.replace("OPEN", opened), PATIENT)
        assert run.trace.ended == Finished(), run.trace.ended
        is_free, refused, count = [output.text for output in run.trace.outputs]
        assert (is_free, refused) == ("True", str(errno.ENOMEM)), (is_free, refused)
        bound = (GPU_HOST_BYTES + PATIENT.memory_bytes) >> 28
        assert 0 < int(count) <= bound, f"{count} times 256 MiB, of {bound}"

    async def too_much(self) -> None:
        source = f"{TRAINS}kept = []\nwhile True:\n    kept.append(torch.empty(64 << 20))\n"
        sandbox = await self._sandbox(self._settings)
        run = await self._run(sandbox, source, PATIENT)
        assert isinstance(run.trace.ended, OutOfMemory), run.trace.ended
        assert self._wrong(await self._run(sandbox, TRAINS)) is None, "the run after it"

    async def killed(self) -> None:
        limits = Limits(wall_seconds=3, cpu_seconds=60, statements=10**9, steps=10**9, trace_bytes=1 << 30)
        sandbox = await self._sandbox(self._settings)
        run = await self._run(sandbox, NEVER_ENDS, limits)
        assert run.trace.ended == TimedOut(clock="wall", seconds=3.0), run.trace.ended
        assert self._wrong(await self._run(sandbox, TRAINS)) is None, "the run after it"

    async def device_memory(self) -> None:
        sandbox = await self._sandbox(self._settings)
        both = [await self._run(sandbox, TAKES_THE_DEVICE) for _ in range(2)]
        assert [run.trace.ended for run in both] == [Finished()] * 2, [run.trace.ended for run in both]
        before, after = (int(printed(run)) for run in both)
        assert after > before * 3 / 4, f"{before} bytes were free, and {after} after a run that had taken half of them"

    async def other_pool(self) -> None:
        nodes = self._settings.gpus
        async with Sandbox(SandboxSettings()) as sandbox:
            run = await self._run(sandbox, IS_THERE_ONE.replace("NODES", repr(nodes)))
        assert printed(run) == f"False {[False] * len(nodes)}\n", (printed(run), run.trace.ended)


def printed(run: Traced) -> str:
    """Return the output of a run."""
    return "".join(output.text for output in run.trace.outputs if output.stream == "stdout")
