"""Attacks that send signals to other processes."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

HELD_BY = frozenset({Layer.SECCOMP, Layer.NAMESPACES, Layer.LANDLOCK})

ATTACKS = [
    Attack(number=24, name="everybody", source="attempt('kill', os.kill, -1, 9)", says="kill: EPERM", held_by=HELD_BY),
    Attack(
        number=25,
        name="the parent",
        source="attempt('kill', os.kill, os.getppid() or 0x7fffff, 9)",
        says="kill: EPERM",
        held_by=HELD_BY,
    ),
    Attack(
        number=26,
        name="every number",
        source="""
reached = [pid for pid in range(1, 4000) if pid != os.getpid() and not refusal(os.kill, pid, 10)]
print(reached, refusal(os.kill, 2, 10))
if reached: print('BREACH', reached)
""",
        says="EPERM",
        held_by=HELD_BY,
    ),
    Attack(
        name="the victim, by every call that can",
        source="""
import signal
for what, call in {
    'kill': lambda: os.kill(VICTIM, 10),
    'tkill': lambda: kernel('tkill', VICTIM, 10),
    'tgkill': lambda: kernel('tgkill', VICTIM, VICTIM, 10),
    'rt_sigqueueinfo': lambda: kernel('rt_sigqueueinfo', VICTIM, 10, bytes(128)),
    'pidfd_open': lambda: signal.pidfd_send_signal(os.pidfd_open(VICTIM), 10),
    'killpg': lambda: os.killpg(VICTIM, 10),
}.items(): attempt(what, call)
""",
        says="kill: EPERM.*tkill: EPERM.*tgkill: EPERM.*rt_sigqueueinfo: EPERM.*pidfd_open: EPERM.*killpg: EPERM",
        held_by=frozenset({*HELD_BY, Layer.BUBBLEWRAP}),
    ),
]
