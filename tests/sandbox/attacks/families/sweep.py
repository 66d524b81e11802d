"""Try every system call number, without arguments and with invalid arguments."""

from tests.sandbox.attacks.attack import Attack

NONSENSE = "0x4141414141414141, -1, 1 << 63, id(b'x' * 4096), 0xFFFFFFFF, 8"
LAST = 480
"""Larger than the highest system call number of any kernel."""

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
] + [
    Attack(
        name=f"random calls, seed {seed}",
        source=f"""
quietly(\"\"\"
import random
from app.sandbox.inside import policy
ending = '''
    exit exit_group pause rt_sigreturn rt_sigsuspend rt_sigtimedwait wait4 waitid poll ppoll select pselect6 epoll_wait epoll_pwait
    epoll_pwait2 close close_range clone munmap mprotect mremap mmap brk madvise sigaltstack set_robust_list rseq arch_prctl alarm
    setitimer rt_sigaction rt_sigprocmask kill tgkill clock_nanosleep nanosleep futex set_tid_address write writev pwritev2
'''.split()
calls = [rule.number for rule in policy.rules(os.uname().machine) if rule.answer != policy.KILL and rule.name not in ending]
some = random.Random({seed})
import mmap
memory = mmap.mmap(-1, 1 << 26)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
def argument():
    number = some.choice((0, 1, 2, 4, -1, -100, 8, 64, 4096, 1 << 16, some.getrandbits(32), some.getrandbits(63)))
    return some.choice((number, address, address + 4096, address + 8))
for _ in range(20_000): refusal(kernel, some.choice(calls), *(argument() for _ in range(6)))
print('done')
\"\"\")
""",
        ends=".*",
        limits={"wall_seconds": 1.5, "cpu_seconds": 2},
        long=True,
    )
    for seed in range(10)
]
