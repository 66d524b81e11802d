"""Attacks with unusual arguments for allowed system calls."""

import platform

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        name="memory, in every way that it can be asked for",
        source="""
quietly('''
import mmap
take = libc.mmap; take.restype = ctypes.c_void_p
for flags in [1 << bit for bit in range(3, 32)]:
    for kind in (1, 2):
        take(None, ctypes.c_size_t(1 << 16), 3, flags | kind | 0x20, -1, ctypes.c_long(0))
for place in (0, 4096, 1 << 47, 1 << 56): take(ctypes.c_void_p(place), ctypes.c_size_t(4096), 7, 0x32, -1, ctypes.c_long(0))
for advice in (*range(0, 30), 100, 101, 102, 103):
    page = take(None, ctypes.c_size_t(1 << 21), 3, 0x22, -1, ctypes.c_long(0))
    libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(1 << 21), advice)
for fd in (0, 1, 4): attempt(f'map {fd}', mmap.mmap, fd, 4096)
''')
""",
        says="map 0: .*map 1: .*map 4: ",
    ),
    Attack(
        name="poison for memory",
        source="print([libc.madvise(ctypes.c_void_p(id(os) & ~4095), ctypes.c_size_t(4096), advice) for advice in (100, 101)])",
        says="-1, -1",
    ),
    Attack(
        name="locks on what all can read",
        source="""
import fcntl
library = os.open('/etc/ld.so.cache', os.O_RDONLY)
attempt('flock', fcntl.flock, library, fcntl.LOCK_EX | fcntl.LOCK_NB)
attempt('lease', fcntl.fcntl, library, 1024, fcntl.F_RDLCK)
""",
        says="flock: ENOSYS.*lease: EPERM",
    ),
    Attack(
        name="waiting for others",
        source="""
attempt('wait', os.waitpid, -1, os.WNOHANG)
attempt('pid', os.waitpid, VICTIM, os.WNOHANG)
attempt('id', os.waitid, os.P_ALL, 0, os.WEXITED | os.WNOHANG)
""",
        says="wait: ECHILD.*pid: ECHILD.*id: ECHILD",
    ),
    Attack(
        name="questions about others",
        source="""
for what, call in {
    'priority': lambda: os.getpriority(os.PRIO_PROCESS, VICTIM), 'group': lambda: os.getpgid(VICTIM),
    'session': lambda: os.getsid(VICTIM),
    'affinity': lambda: os.sched_getaffinity(VICTIM), 'scheduler': lambda: os.sched_getscheduler(VICTIM),
    'limits': lambda: kernel('prlimit64', VICTIM, 7, None, (ctypes.c_ulong * 2)()),
}.items(): attempt(what, call)
""",
        says="priority: ESRCH.*group: ESRCH.*session: ESRCH.*affinity: ESRCH.*scheduler: ESRCH.*limits: EPERM",
        held_by=frozenset({Layer.NAMESPACES, Layer.BUBBLEWRAP}),
        open_on_floor="without a pid namespace the kernel tells how others are scheduled",
    ),
    Attack(
        name="deep directories",
        source="""
quietly('''
made = 0
os.chdir('/tmp')
while not (why := refusal(os.mkdir, 'd' * 200)) and made < 1000: os.chdir('d' * 200); made += 1
print(made, why)
if made > 256: print('BREACH')
''')
""",
        says="ENOSPC",
    ),
    Attack(
        name="odd names in /tmp",
        source="""
for name in (b'\\xff\\xfe', b'\\n', b'a' * 255, b'..x', b'\\x1b[2J'): open(b'/tmp/' + name, 'w').close()
print(len(os.listdir(b'/tmp')))
""",
        then="print(os.listdir(b'/tmp'))",
        says=r"5.*\[\]",
    ),
    Attack(
        name="a file that is deleted and goes on growing",
        source="""
import mmap
first, second = (os.open(path, os.O_CREAT | os.O_RDWR) for path in ('/tmp/x', '/tmp/y'))
os.unlink('/tmp/x')
print(refusal(lambda: [os.pwrite(first, bytes(1 << 19), place << 19) for place in range(100)]), flush=True)
os.ftruncate(second, 2 << 20)
mmap.mmap(second, 2 << 20)[:] = b'x' * (2 << 20)
print('BREACH')
""",
        ends="crashed SIGBUS",
        says="^EFBIG",
        limits={"tmp_bytes": 2 << 20},
    ),
    Attack(
        name="pipes to and from what is open",
        source="""
attempt('sendfile', lambda: os.sendfile(4, os.open('/dev/zero', 0), None, 1 << 20))
ends = os.pipe()
attempt('splice', lambda: kernel('splice', ends[0], 0, 4, 0, 100, 0))
attempt('vmsplice', lambda: kernel('vmsplice', 4, (ctypes.c_long * 2)(), 1, 0))
""",
        ends="finished|interfered",
    ),
    Attack(
        name="a handler for SIGSYS",
        source="""
import signal
signal.signal(signal.SIGSYS, lambda *_: print('BREACH caught'))
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGSYS})
attempt('ptrace', kernel, 'ptrace', 0, 0, 0, 0)
""",
        ends="crashed SIGSYS",
        held_by=frozenset({Layer.SECCOMP}),
    ),
    Attack(
        name="a killed call in another thread",
        source="""
import threading
thread = threading.Thread(target=kernel, args=('personality', 0xFFFFFFFF))
thread.start()
thread.join()
print('BREACH')
""",
        ends="crashed SIGSYS",
        held_by=frozenset({Layer.SECCOMP}),
    ),
    Attack(
        name="the filter is on every thread",
        source="""
import threading
def look(): print('socket', refusal(__import__('socket').socket), 'fork', refusal(os.fork), 'passwd', refusal(open, '/etc/passwd'))
threads = [threading.Thread(target=look) for _ in range(3)]
for each in threads: each.start(); each.join()
""",
        says="socket EPERM fork EPERM passwd ENOENT",
    ),
    Attack(
        name="its own memory through proc",
        source="""
attempt('mem', open, '/proc/self/mem', 'r+b')
attempt('oom', open, '/proc/self/oom_score_adj', 'w')
attempt('clear', open, '/proc/self/clear_refs', 'w')
""",
        says="mem: E.*oom: E.*clear: E",
        held_by=frozenset({Layer.NAMESPACES, Layer.LANDLOCK, Layer.PRIVILEGES}),
    ),
]

if platform.machine() == "x86_64":
    ATTACKS += [
        Attack(
            name=f"vsyscall {number}",
            # passes three arguments, because without one the kernel would write to the address in its register
            source=f"""
three = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
print(three(0xFFFFFFFFFF600000 + {number} * 1024)(None, None, None))
""",
            ends="finished|crashed SIG(SEGV|SYS)",
        )
        for number in range(4)
    ]
