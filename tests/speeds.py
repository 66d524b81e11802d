"""`python -m tests.speeds [ARGUMENTS]` runs every test at three speeds. A test that depends on the machine's speed fails at one
of the three.

The speeds are: the normal speed; pages slowed down by a factor of four, for tests that open pages; and a machine on which two
other programs are busy.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

BUSY = "import signal; signal.alarm(7200)\nwhile True: pass"
"""Exits after two hours, in case this process dies before it kills it."""


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run programs that use all the processor time they get."""
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def run(arguments: list[str], throttle: str, beside: int) -> tuple[int, float]:
    """Return the exit status and the duration in seconds of one run."""
    command = [sys.executable, "-m", "pytest", "--numprocesses", "auto", "--max-worker-restart", "0"]
    command += ["-o", "faulthandler_timeout=300", *arguments]
    began = time.monotonic()
    with busy(beside):
        ended = subprocess.run(command, env={**os.environ, "TEST_STEPGRAD_CPU_THROTTLE": throttle}, check=False)
    return ended.returncode, time.monotonic() - began


def main(arguments: list[str]) -> int:
    """Run at all three speeds, even after a failure. Return 0 if all pass."""
    speeds = {
        "as it is": (arguments, "1", 0),
        "pages four times as slow": (arguments or ["tests/browser"], "4", 0),
        "two busy programs beside": (arguments, "1", 2),
    }
    ends = {}
    for speed, how in speeds.items():
        print(f"\n== {speed}", flush=True)
        ends[speed] = run(*how)
    print()
    for speed, (status, seconds) in ends.items():
        print(f"{speed}: {'passed' if status == 0 else f'FAILED with status {status}'} after {seconds:.0f} s")
    return max(status for status, _ in ends.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
