"""Attacks that start processes, threads or other programs."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        number=1,
        name="fork bomb",
        source="made = forked(40)\nif made > 8: print('BREACH', made)",
        says="fork: EPERM",
        limits={"threads": 8},
        held_by=frozenset({Layer.SECCOMP, Layer.LIMITS}),
    ),
    Attack(
        number=2,
        name="fork bomb that tries again",
        source="forever(os.fork)",
        ends="timed_out cpu",
        limits={"cpu_seconds": 1},
        slow=True,
    ),
    Attack(
        number=3,
        name="threads",
        source="""
import threading
end, made = threading.Event(), 0
try:
    for made in range(100): threading.Thread(target=end.wait, daemon=True).start()
except RuntimeError as error: print(error)
if made > 15: print('BREACH', made)
""",
        says="can't start new thread",
        limits={"threads": 16},
        held_by=frozenset({Layer.LIMITS}),
    ),
    Attack(
        number=39,
        name="another program",
        source="""
import subprocess, sys
for what, call in {
    'execv': lambda: os.execv(sys.executable, [sys.executable, '-c', 'print("BREACH execv")']),
    'posix_spawn': lambda: os.posix_spawn(sys.executable, [sys.executable, '-c', ''], {}),
    'subprocess': lambda: subprocess.run([sys.executable, '-c', '']),
    'popen': lambda: os.popen('true').read(),
    'multiprocessing': lambda: __import__('multiprocessing').Process(target=print).start(),
}.items(): attempt(what, call)
print('system:', os.system('true'))
""",
        says="execv: EPERM.*posix_spawn: EPERM.*subprocess: EPERM.*popen: EPERM.*multiprocessing: EPERM.*system: (-1|32512)",
    ),
    Attack(
        name="the interpreter over again",
        source="import sys\nattempt('execv', os.execv, sys.executable, [sys.executable, '-c', 'print(\"BREACH execv\")'])",
        says="execv: EPERM",
        held_by=frozenset({Layer.SECCOMP, Layer.LANDLOCK}),
    ),
    Attack(
        number=40,
        name="a program in memory",
        source="""
import sys
try:
    fd = os.memfd_create('program', 0)
    os.sendfile(fd, os.open(sys.executable, os.O_RDONLY), 0, 1 << 30)
    os.execve(fd, ['python', '-c', 'print("BREACH execve")'], {**os.environ, 'PYTHONHOME': sys.base_prefix})
except OSError as error: print('memfd:', error.errno)
""",
        says="memfd: 1$",
        held_by=frozenset({Layer.SECCOMP, Layer.LANDLOCK}),
    ),
    Attack(
        number=94,
        name="things that outlive the snippet",
        source="""
import atexit, threading, time
threading.Thread(target=time.sleep, args=(100,)).start()
atexit.register(time.sleep, 100)
class Slow:
    def __del__(self): time.sleep(100)
slow = Slow()
import sys; sys.slow = slow
""",
    ),
    Attack(
        name="a child that outlives the run",
        source="""
try: child = os.fork()
except OSError: child = 1
if child == 0:
    os.setsid()
    libc.sleep(1000)
os._exit(7)
""",
        ends="exited 7",
        held_by=frozenset({Layer.SECCOMP, Layer.NAMESPACES}),
    ),
]
