"""Attacks that print more than the server accepts."""

from tests.sandbox.attacks.attack import Attack

UNRECORDED = {"statements": 10**9, "steps": 10**9}

ATTACKS = [
    Attack(number=14, name="endless print", source="while True: print('x' * 1000)", ends="output_too_large", limits=UNRECORDED),
    Attack(
        number=15,
        name="endless write",
        source="while True: os.write(2, b'x' * 4096)",
        ends="output_too_large",
        limits=UNRECORDED,
    ),
    Attack(number=16, name="one print of 300 MB", source="print('x' * 300_000_000)", ends="output_too_large|out_of_memory"),
    Attack(
        name="written to whatever is open",
        source="for fd in range(64): refusal(os.write, fd, b'x' * (1 << 20))\nprint('on')",
        ends="output_too_large",
    ),
]
