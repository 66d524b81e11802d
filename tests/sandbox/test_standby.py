"""A standby child, forked before a run is requested, makes runs faster. Results, limits and visible data are the same."""

import ast
import asyncio
import os
import signal
from dataclasses import replace

import pytest

from app.sandbox import Sandbox, SandboxSettings
from app.trace.records import Request
from tests.sandbox.conftest import PATIENT, PLAIN, run
from tests.sandbox.processes import PATIENCE, Process, family, until_below, until_gone, until_one_stands_by
from tests.sandbox.test_lifetime import descriptors, start
from tests.sandbox.traced import Traced, traced


async def until_another_stands_by(before: Process) -> Process:
    """Wait for the next standby child, and return it."""
    await until_gone({before.pid})
    return await until_one_stands_by()


async def until_it_waits(standing: Process) -> None:
    """Wait until the standby child has warmed up: it is asleep in ten checks in a row."""
    asleep = 0
    async with asyncio.timeout(PATIENCE):
        while asleep < 10:
            asleep = asleep + 1 if standing.status("State").startswith("S") else 0
            await asyncio.sleep(0.01)


async def test_a_run_takes_the_child_that_stood_by_and_another_takes_its_place(sandbox: Sandbox) -> None:
    first = await until_one_stands_by()
    task = await start(sandbox)
    *_, its_run = await until_below(4)
    assert (its_run.pid, its_run.began) == (first.pid, first.began)
    second = await until_one_stands_by()
    assert second.pid != first.pid and second.parent == first.parent
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_gone({first.pid})
    assert await until_one_stands_by() == second, "it waits for as long as nobody asks"


async def test_it_holds_nothing_of_the_zygote(sandbox: Sandbox) -> None:
    await until_it_waits(waiting := await until_one_stands_by())
    assert waiting.oom_score_adj() == 1000 or os.geteuid() != 0
    assert waiting.namespace("pid") != Process(waiting.parent, 0, "", "").namespace("pid")
    kinds = descriptors(waiting.pid)
    assert kinds in ([], ["/dev/null", "/dev/null", "pipe", "socket"]), kinds


@pytest.mark.parametrize("times", [1, 3])
async def test_one_that_is_killed_costs_no_run(sandbox: Sandbox, times: int) -> None:
    for _ in range(times):
        waiting = await until_one_stands_by()
        os.kill(waiting.pid, signal.SIGKILL)
        ended = await run(sandbox, "step(); say('here')")
        assert [output.text for output in ended.trace.outputs] == ["here"]
        await until_another_stands_by(waiting)
    assert len(family(os.getpid())) == 4, "bubblewrap twice, the zygote, and one"


async def test_one_that_has_a_thread_beside_it_gets_no_run() -> None:
    # Capabilities, Landlock and the filter apply to one thread. A second, unsealed thread could act on behalf of the snippet.
    async with Sandbox(replace(PLAIN, tracer="entries.threading_standby")) as sandbox:
        waiting = await until_one_stands_by()
        await until_gone({waiting.pid})
        for _ in range(2):
            ended = await run(sandbox, "import threading; step(); say(threading.active_count())")
            assert [output.text for output in ended.trace.outputs] == ["1"]


FOUND = """
import gc, os, random, resource, signal, sys, threading, torch
import numpy as np
limits = [name for name in dir(resource) if name.startswith("RLIMIT_") and name != "RLIMIT_AS"]

def is_open(fd):
    try:
        return bool(os.fstat(fd))
    except OSError:
        return False

y = torch.ones(2, requires_grad=True) * 2
found = {
    "numbers": [torch.rand(2).tolist(), random.random(), float(np.random.rand()), torch.initial_seed()],
    "node": y.grad_fn._sequence_nr(),
    "limits": {name: resource.getrlimit(getattr(resource, name)) for name in limits},
    "process": [os.getpid(), os.getppid(), os.getpgid(0), os.getuid(), os.getpriority(os.PRIO_PROCESS, 0), os.getcwd()],
    "threads": [threading.active_count(), torch.get_num_threads()],
    "files": [os.listdir("/tmp"), [fd for fd in range(64) if is_open(fd)]],
    "signals": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "modules": sorted(sys.modules),
    "python": [sys.gettrace() is None, sys.argv, sys.path, hash("stepgrad"), gc.isenabled(), gc.get_threshold(), len(gc.callbacks)],
    "torch": [torch.is_grad_enabled(), str(torch.get_default_dtype()), len(torch.nn.modules.module._global_forward_hooks)],
}
print(repr(found))
print(os.urandom(8).hex(), resource.getrlimit(resource.RLIMIT_AS)[0])
"""


async def test_a_run_finds_the_same_whether_its_child_stood_by_or_not() -> None:
    async with Sandbox(SandboxSettings()) as sandbox:

        async def found() -> Traced:
            return await traced(sandbox.run(Request(source=FOUND, limits=PATIENT)))

        await until_it_waits(await until_one_stands_by())
        stood_by, forked = await asyncio.gather(found(), found())
    told = ["".join(output.text for output in each.trace.outputs).splitlines() for each in (stood_by, forked)]
    (one, its_own), (other, others_own) = told
    assert ast.literal_eval(one) == ast.literal_eval(other)
    assert its_own.split()[0] != others_own.split()[0], "random bytes are each run's own"
    # Memory that the warm-up mapped does not count against the run's limit.
    memory = [int(each.split()[1]) for each in (its_own, others_own)]
    assert abs(memory[0] - memory[1]) < 16 << 20
    assert [node.sequence_nr for node in stood_by.trace.nodes] == [node.sequence_nr for node in forked.trace.nodes]
