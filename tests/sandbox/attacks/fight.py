"""Within an arena: a sandbox, the canary beside it, one attack after the other, and what came of each."""

import asyncio
import os
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import msgspec

from app.sandbox import Sandbox, SandboxError
from app.trace.ends import Crashed, Ended, Exited, Interfered, Raised, TimedOut
from app.trace.records import Limits, Request
from tests.sandbox.attacks.arena import Configuration
from tests.sandbox.attacks.attack import BREACH, Attack, Verdict, everything
from tests.sandbox.attacks.canary import Canary
from tests.sandbox.processes import below
from tests.sandbox.test_faults import REFUSING_PROC

GOOD: Final = """
import torch
x = torch.ones(2, requires_grad=True)
(x * x).sum().backward()
print(x.grad.tolist())
"""
PLAIN_GOOD: Final = "step(); print([2.0, 2.0])"
PLAIN_PRINT: Final = "print = lambda *words: say(' '.join(map(str, words)) + chr(10))"


class Fight:
    """A sandbox, the canary beside it, and what both were like before."""

    def __init__(self, sandbox: Sandbox, canary: Canary, *, torch: bool) -> None:
        self._sandbox = sandbox
        self._canary = canary
        self._good = GOOD if torch else PLAIN_GOOD
        self._words = "" if torch else PLAIN_PRINT
        self._said: list[str] = []
        self._before: object = None

    async def settle(self) -> None:
        """Remember what everything is like."""
        await self._run(self._good, Limits())
        self._canary.harm()
        self._before = self._health()

    async def try_out(self, attack: Attack) -> Verdict:
        """The attack, the runs that belong to it, a good run, and a look at everything."""
        self._said = []
        harm: list[str] = []
        clock = asyncio.create_task(_longest_stall())
        limits = Limits(**attack.limits)
        try:
            beside = await self._beside(attack.beside)
            end = await self._run(self._prepared(attack.source), limits)
            if beside is not None and (last := await beside) != "finished":
                harm.append(f"the run beside it ended as {last}")
            if attack.then:
                await self._run(self._prepared(attack.then), limits)
            before, self._said = self._said, []
            if (last := await self._run(self._good, Limits())) != "finished" or "[2.0, 2.0]" not in "".join(self._said):
                harm.append(f"the next run ended as {last} and said {self._said}")
            self._said = before
        except SandboxError as error:
            end = "none"
            harm.append(f"the sandbox failed: {error}")
        harm += await self._aftermath()
        clock.cancel()
        return Verdict(end=end, said="".join(self._said), harm=harm, stall_seconds=await clock)

    async def _aftermath(self) -> list[str]:
        harm = self._canary.harm()
        if any(self._canary.secret in text for text in self._said):
            harm.append("the secret was read")
        patience = 5 if harm or BREACH in "".join(self._said) else 50
        for _ in range(patience):  # what ended is reaped a moment later
            if self._health() == self._before:
                return harm
            await asyncio.sleep(0.02)
        harm.append(f"before: {self._before}; now: {self._health()}")
        await self.settle()
        return harm

    def _prepared(self, source: str) -> str:
        zygote = max((process.pid for process in below(os.getpid()) if process.name.startswith("python")), default=0)
        return f"from tries import *; {self._canary.constants}; ZYGOTE = {zygote}; {self._words}\n{source}"

    async def _beside(self, source: str) -> asyncio.Task[str] | None:
        if not source:
            return None
        ready = asyncio.Event()
        task = asyncio.create_task(
            self._run(self._prepared(source), Limits(), lambda chunk: ready.set() if chunk.outputs else None)
        )
        await asyncio.wait_for(ready.wait(), 10)
        return task

    async def _run(self, source: str, limits: Limits, listen: Any = None) -> str:
        ended = await self._sandbox.run(Request(source=source, limits=limits), on_progress=listen)
        self._said += [output.text for output in ended.trace.outputs]
        match ended.trace.ended:
            case Raised(message=why) | Interfered(reason=why):
                self._said.append(why)
        return told(ended.trace.ended)

    def _health(self) -> object:
        """Which processes there are and how many descriptors and threads they have."""
        family = [
            (process.pid, process.name, process.status("FDSize"), process.status("Threads"))
            for process in below(1)
            if process.pid not in (os.getpid(), self._canary.victim.pid)
        ]
        return family, len(os.listdir("/proc/self/fd"))


def told(end: Ended) -> str:
    """The end in a word or two."""
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
    """Put a bubblewrap first in PATH that may mount no /proc."""
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
    """Answer each line of standard input, the name of an attack, with a line of verdict."""
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
