"""Attacks on a run's user id, capabilities, namespaces and environment."""

from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        name="who it is",
        source="""
print((os.getpid(), os.getppid()), 0 in (*os.getresuid(), *os.getresgid()), set(os.getgroups()) <= {os.getgid(), 65534})
if 0 in (*os.getresuid(), *os.getresgid()): print('BREACH')
""",
        says=r"^\(1, 0\) False True",
    ),
    Attack(
        name="what it may become",
        source="""
data = (ctypes.c_uint32 * 6)()
print(libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), data), list(data))
if any(data): print('BREACH')
""",
        says=r"^0 \[0, 0, 0, 0, 0, 0\]",
    ),
    Attack(
        name="set-uid programs and programs of its own in /tmp",
        source="flags = os.statvfs('/tmp').f_flag\nprint(bool(flags & os.ST_NOSUID), bool(flags & os.ST_NOEXEC))",
        says="^True True",
    ),
    Attack(
        name="the server's code",
        source="""
import app
places = [os.path.join(place, 'sandbox/sandbox.py') for place in app.__path__]
for path in (*places, '/opt/stepgrad/project/app/sandbox/supervisor.py', '/opt/stepgrad/project/pyproject.toml'):
    attempt(path, open, path)
""",
        says="sandbox.py: E.*supervisor.py: E.*pyproject.toml: E",
    ),
    Attack(
        name="its own code changed for the next run",
        source="""
import app
for place in app.__path__: attempt(place, open, os.path.join(place, '__init__.py'), 'a')
""",
        says="(EROFS|EACCES)",
    ),
]
