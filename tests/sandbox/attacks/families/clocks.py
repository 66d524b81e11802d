"""Attacks that never end. The server's timeout stops them, and the kernel's CPU limit is a second defence."""

from tests.sandbox.attacks.attack import Attack

UNRECORDED = {"statements": 10**9, "steps": 10**9, "trace_bytes": 1 << 30}
WALL = {"wall_seconds": 0.5, **UNRECORDED}
CPU = {"wall_seconds": 300.0, "cpu_seconds": 1, **UNRECORDED}

ATTACKS = [
    Attack(number=8, name="a loop", source="while True: pass", ends="timed_out wall", limits=WALL, slow=True),
    Attack(
        number=9,
        name="a loop that the server does not stop",
        source="sum(iter(int, 1))",
        ends="timed_out cpu",
        limits=CPU,
        slow=True,
    ),
    Attack(
        number=10,
        name="threads that burn",
        source="""
import threading, torch
for _ in range(2): threading.Thread(target=sum, args=(iter(int, 1),)).start()
torch.set_num_threads(4)
x = torch.rand(500, 500)
while True: x = x @ x
""",
        ends="timed_out wall",
        limits=WALL,
        slow=True,
        torch=True,
    ),
    Attack(
        number=11,
        name="every signal ignored",
        source="""
import signal
for number in range(1, 65): refusal(signal.signal, number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
sum(iter(int, 1))
""",
        ends="timed_out cpu",
        limits=CPU,
        slow=True,
    ),
    Attack(number=12, name="sleep", source="import time\ntime.sleep(10**6)", ends="timed_out wall", limits=WALL, slow=True),
    Attack(
        number=13,
        name="stopping itself",
        source="import signal\nprint(refusal(os.kill, os.getpid(), signal.SIGSTOP) or 'unharmed')",
        says="EPERM|unharmed",
    ),
    Attack(
        number=21,
        name="recursion without a limit",
        source="import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
        ends="timed_out cpu|stopped|out_of_memory|raised MemoryError|crashed SIGSEGV",
        limits={"cpu_seconds": 1, "wall_seconds": 300.0, "memory_bytes": 256 << 20},
        slow=True,
    ),
    Attack(
        number=95,
        name="an exception that never tells what it is",
        source="class Endless(Exception):\n    def __str__(self): return sum(iter(int, 1))\nraise Endless",
        ends="timed_out wall",
        limits=WALL,
        slow=True,
    ),
    Attack(
        number=96,
        name="a regular expression without an end",
        source="import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
        ends="timed_out wall",
        limits=WALL,
        slow=True,
    ),
    Attack(
        number=97,
        name="a number too long to print",
        source="import sys\nsys.set_int_max_str_digits(0)\nprint(1 << 100_000_000)",
        ends="timed_out wall",
        limits=WALL,
        slow=True,
    ),
]
