"""Attacks that exceed the memory limit, or use memory that the limit does not count."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

FULL = "raised MemoryError|out_of_memory"

ATTACKS = [
    Attack(
        number=4,
        name="a list that grows",
        source="kept = [bytearray(1 << 20) for _ in range(400)]\nprint('BREACH')",
        ends=FULL,
        limits={"memory_bytes": 128 << 20},
        held_by=frozenset({Layer.LIMITS}),
    ),
    Attack(
        number=5, name="a tensor of 4 TB", source="import torch\ntorch.empty(10**12)\nprint('BREACH')", ends=FULL, torch=True
    ),
    Attack(
        number=6,
        name="tensors that are written to",
        source="import torch\nkept = [torch.ones(16 << 20) for _ in range(8)]\nprint('BREACH')",
        ends=FULL,
        limits={"memory_bytes": 256 << 20},
        torch=True,
    ),
    Attack(
        number=7,
        name="files in memory",
        source="""
held = 0
for _ in range(20):
    why = refusal(lambda: os.write(os.memfd_create('x'), bytes(8 << 20)))
    held += not why
print('memfd:', why)
if held: print('BREACH', held * 8, 'MB')
""",
        says="memfd: EPERM",
        limits={"memory_bytes": 128 << 20},
        held_by=frozenset({Layer.SECCOMP}),
    ),
    Attack(
        name="memory in pipes",
        source="""
held = 0
while not (why := refusal(lambda: (ends := os.pipe(), os.set_blocking(ends[1], False)))): held += 1
print('pipes:', held, why)
if held > 100: print('BREACH')
""",
        says="EMFILE",
        held_by=frozenset({Layer.LIMITS}),
    ),
    Attack(
        name="memory that may not be swapped",
        source="attempt('mlockall', lambda: kernel(151 if os.uname().machine == 'x86_64' else 230, 2))",
        says="mlockall: EPERM",
    ),
]
