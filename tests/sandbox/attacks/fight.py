"""Run attacks inside an isolated environment and detect harm: start a sandbox and the targets, attack, and compare."""

import asyncio
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import msgspec

from app.sandbox import Sandbox, SandboxError
from app.trace.codec import decode_chunk
from app.trace.ends import Crashed, Ended, Exited, Interfered, Raised, TimedOut
from app.trace.heads import content_of
from app.trace.records import Limits, Request
from tests.sandbox.attacks.arena import Configuration
from tests.sandbox.attacks.attack import BREACH, Attack, Verdict, everything
from tests.sandbox.attacks.canary import Canary, state
from tests.sandbox.processes import PATIENCE, Process, below
from tests.sandbox.test_faults import REFUSING_PROC
from tests.sandbox.traced import traced

GOOD: Final = """
import torch
x = torch.ones(2, requires_grad=True)
(x * x).sum().backward()
print(x.grad.tolist())
"""
PLAIN_GOOD: Final = "step(); print([2.0, 2.0])"
PLAIN_PRINT: Final = "print = lambda *words: say(' '.join(map(str, words)) + chr(10))"
WALL_SECONDS: Final = 300.0
"""The default time limit of an attack, in seconds. On a busy machine a run may get a twentieth of a processor."""
BESIDE_SECONDS: Final = (0.5, 4.0, 32.0)
"""Durations of the parallel run, in seconds. The next longer one is tried if the parallel run ended before the attack."""
LOOKS: Final = 50
"""A new process was left behind if it is asleep in this many checks in a row."""


class Fight:
    """A sandbox, the targets, and their state before the attack."""

    def __init__(self, sandbox: Sandbox, canary: Canary, *, torch: bool) -> None:
        self._sandbox = sandbox
        self._canary = canary
        self._good = GOOD if torch else PLAIN_GOOD
        self._words = "" if torch else PLAIN_PRINT
        self._said: list[str] = []
        self._before: object = None
        family = below(os.getpid())
        self._bystanders = {(each.pid, each.began) for each in below(1) if each not in family}
        """Processes that existed before the first attack. In a container, the tests themselves are among them."""

    async def settle(self) -> None:
        """Kill processes that an attack left behind, and store the current state."""
        strays = {process.pid for process in self._others()} - {process.pid for process in below(os.getpid())}
        for pid in strays:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        await self._run(self._good, _patient())
        self._canary.harm()
        async with asyncio.timeout(PATIENCE):
            while (before := self._health()) is None or before != self._before:
                self._before = before
                await asyncio.sleep(0.02)

    async def try_out(self, attack: Attack) -> Verdict:
        """Run an attack, the runs that belong to it, and a harmless run. Return the verdict."""
        harm: list[str] = []
        clock = asyncio.create_task(_longest_stall())
        limits = _patient(**attack.limits)
        try:
            end = await self._attacked(attack, limits, harm)
            if attack.then:
                await self._run(self._prepared(attack.then), limits)
            before, self._said = self._said, []
            if (last := await self._run(self._good, _patient())) != "finished" or "[2.0, 2.0]" not in "".join(self._said):
                harm.append(f"the next run ended as {last} and said {self._said}")
            self._said = before
        except SandboxError as error:
            end = "none"
            harm.append(f"the sandbox failed: {error}")
        harm += await self._aftermath()
        clock.cancel()
        return Verdict(end=end, said="".join(self._said), harm=harm, stall_seconds=await clock)

    async def _attacked(self, attack: Attack, limits: Limits, harm: list[str]) -> str:
        """Run an attack, with its parallel run if it has one. Return how the attack ended."""
        for seconds in BESIDE_SECONDS:
            self._said = []
            beside = await self._beside(attack.beside, seconds)
            began = time.monotonic()
            end = await self._run(self._prepared(attack.source), limits)
            has_met = beside is None or (time.monotonic() - began < seconds / 2 and not beside.done())
            if beside is not None and (last := await beside) != "finished":
                harm.append(f"the run beside it ended as {last}")
            if has_met or harm or BREACH in "".join(self._said):
                return end
        raise TimeoutError("the attack takes longer than the parallel run")

    async def _aftermath(self) -> list[str]:
        harm = self._canary.harm()
        if any(self._canary.secret in text for text in self._said):
            harm.append("the secret was read")
        is_decided = bool(harm) or BREACH in "".join(self._said)
        looks, give_up = 5 if is_decided else LOOKS, time.monotonic() + PATIENCE
        while looks and time.monotonic() < give_up:
            if self._health() == self._before:
                return harm
            await asyncio.sleep(0.02)
            looks -= is_decided or self._all_sleep()  # a killed process exists until its parent has waited for it
        harm.append(f"before: {self._before}; now: {self._health()}")
        await self.settle()
        return harm

    def _prepared(self, source: str) -> str:
        zygote = max((process.pid for process in below(os.getpid()) if process.name.startswith("python")), default=0)
        return f"from tries import *; {self._canary.constants}; ZYGOTE = {zygote}; {self._words}\n{source}"

    async def _beside(self, source: str, seconds: float) -> asyncio.Task[str] | None:
        if not source:
            return None
        ready = asyncio.Event()
        prepared = f"BESIDE_SECONDS = {seconds}; {self._prepared(source)}"

        def listen(payload: bytes) -> None:
            if decode_chunk(content_of(payload)).outputs:
                ready.set()

        task = asyncio.create_task(self._run(prepared, _patient(), listen))
        await asyncio.wait_for(ready.wait(), PATIENCE)
        return task

    async def _run(self, source: str, limits: Limits, listen: Any = None) -> str:
        ended = await traced(self._sandbox.run(Request(source=source, limits=limits), on_payload=listen))
        self._said += [output.text for output in ended.trace.outputs]
        match ended.trace.ended:
            case Raised(message=why) | Interfered(reason=why):
                self._said.append(why)
        return told(ended.trace.ended)

    def _others(self) -> list[Process]:
        ours = (os.getpid(), self._canary.victim.pid)
        return [each for each in below(1) if each.pid not in ours and (each.pid, each.began) not in self._bystanders]

    def _health(self) -> object:
        """Return all processes with their numbers of file descriptors and threads. Return None if a process ends during the
        search.
        """
        try:
            family = [
                (process.pid, process.name, process.status("FDSize"), process.status("Threads")) for process in self._others()
            ]
        except (OSError, LookupError):
            return None
        return family, len(os.listdir("/proc/self/fd"))

    def _all_sleep(self) -> bool:
        try:
            return all(state(process.pid) in "ST" for process in self._others())
        except OSError:
            return False


def _patient(**limits: Any) -> Limits:
    return Limits(**{"wall_seconds": WALL_SECONDS, **limits})


def told(end: Ended) -> str:
    """Return a short description of how a run ended, such as "raised ValueError"."""
    kind = type(end).__struct_config__.tag
    match end:
        case Raised():
            return f"{kind} {end.type}"
        case TimedOut():
            return f"{kind} {end.clock}"
        case Crashed():
            return f"{kind} {end.name}"
        case Exited():
            return f"{kind} {end.code}"
        case _:
            return str(kind)


def _refuse_proc() -> None:
    """Put a program in front of bubblewrap in PATH that prevents it from mounting /proc."""
    wrapper = Path("/tmp/bin/bwrap")
    wrapper.parent.mkdir()
    wrapper.write_text(REFUSING_PROC.format(bwrap=shutil.which("bwrap")))
    wrapper.chmod(0o755)
    os.environ["PATH"] = f"{wrapper.parent}:{os.environ['PATH']}"


async def _longest_stall() -> float:
    longest = 0.0
    loop = asyncio.get_running_loop()
    try:
        while True:
            before = loop.time()
            await asyncio.sleep(0.01)
            longest = max(longest, loop.time() - before - 0.01)
    except asyncio.CancelledError:
        return longest


async def serve(configuration: Configuration) -> None:
    """Read the names of attacks from stdin, one per line, and print a verdict for each."""
    attacks = everything()
    if configuration.bound_proc:
        _refuse_proc()
    async with Canary.perched() as canary, Sandbox(configuration.settings()) as sandbox:
        fight = Fight(sandbox, canary, torch=configuration.torch)
        await fight.settle()
        print("ready", flush=True)
        while name := (await asyncio.to_thread(sys.stdin.readline)).strip():
            print(msgspec.json.encode(asdict(await fight.try_out(attacks[name]))).decode(), flush=True)


if __name__ == "__main__":
    asyncio.run(serve(msgspec.json.decode(sys.argv[1], type=Configuration)))
