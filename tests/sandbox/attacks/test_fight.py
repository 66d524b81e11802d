"""After an attack, only processes that the attack started are killed. In a container, the processes of the tests run next to
the attack.
"""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import msgspec

from app.sandbox import Sandbox
from tests.sandbox.attacks.arena import ROOT, Configuration, _as_nobody, _inside, _wall
from tests.sandbox.attacks.canary import Canary
from tests.sandbox.attacks.fight import Fight
from tests.sandbox.processes import PATIENCE, below

SHELL = """
sleep 1000 &
"$@" || exit $?
kill -0 $! && echo "the bystander lives"
"""
"""A process that starts the fight and another child."""


def test_settling_ends_what_an_attack_left_and_nobody_else() -> None:
    configuration = json.dumps(asdict(Configuration(torch=False)), default=sorted)
    fight = [str(_inside(Path(sys.executable))), "-m", "tests.sandbox.attacks.test_fight", configuration]
    command = _as_nobody([*_wall(), "/bin/sh", "-c", SHELL, "sh", *fight])
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout) == (0, "the stray is gone\nthe bystander lives\n"), ended.stderr


async def settle(configuration: Configuration) -> None:
    """Call `settle` while a process remains whose parent has died, as after a successful attack."""
    async with Canary.perched() as canary, Sandbox(configuration.settings()) as sandbox:
        fight = Fight(sandbox, canary, torch=configuration.torch)
        await fight.settle()
        left = await asyncio.create_subprocess_exec(
            "sh", "-c", "setsid sleep 2000 >/dev/null & echo $!", stdout=asyncio.subprocess.PIPE
        )
        said, _ = await left.communicate()
        assert int(said) in {each.pid for each in below(1)} - {each.pid for each in below(os.getpid())}
        await fight.settle()
        assert int(said) not in {each.pid for each in below(1)}
        print("the stray is gone", flush=True)


if __name__ == "__main__":
    asyncio.run(settle(msgspec.json.decode(sys.argv[1], type=Configuration)))
