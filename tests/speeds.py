"""Run all tests at three speeds, to find tests that depend on the speed of the machine: `python -m tests.speeds [ARGUMENTS]`.

The speeds are normal; with scripts of pages slowed down by a factor of four; and with two other programs that use the
processor.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

BUSY = "import signal; signal.alarm(7200)\nwhile True: pass"
"""A program that uses the processor. It exits after two hours in case this process dies first."""


@contextmanager
def busy(count: int) -> Iterator[None]:
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def run(arguments: list[str], throttle: str, beside: int) -> tuple[int, float]:
    """Run the tests. Return the exit status and the duration in seconds."""
    command = [sys.executable, "-m", "pytest", "--numprocesses", "auto", "--max-worker-restart", "0"]
    command += ["-o", "faulthandler_timeout=300", *arguments]
    began = time.monotonic()
    with busy(beside):
        ended = subprocess.run(command, env={**os.environ, "TEST_STEPGRAD_CPU_THROTTLE": throttle}, check=False)
    return ended.returncode, time.monotonic() - began


def main(arguments: list[str]) -> int:
    """Return 0 if all tests pass at every speed."""
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
