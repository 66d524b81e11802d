"""Every system call number there is, with nothing and with nonsense: each ends, and nothing is hurt."""

from tests.sandbox.attacks.attack import Attack

NONSENSE = "0x4141414141414141, -1, 1 << 63, id(b'x' * 4096), 0xFFFFFFFF, 8"
LAST = 480
"""Past the newest number that any kernel knows."""

ATTACKS = [
    Attack(
        name=f"number {number}",
        source=f"""
answers = [refusal(kernel, {number}, 0, 0, 0, 0, 0, 0), refusal(kernel, {number}, {NONSENSE})]
os._exit(7)
""",
        ends="exited [0-9]+|crashed SIG[A-Z]+|timed_out wall|interfered",
        limits={"wall_seconds": 0.5},
        long=True,
    )
    for number in (*range(LAST), 511, 512, 547, 1024, 0x0F0000)
]
