"""Attacks on files of the host, on /proc and on the run's own /tmp."""

import re

from app.sandbox.inside.layers import Layer
from app.sandbox.jail import ENVIRONMENT
from tests.sandbox.attacks.attack import Attack

READ = """
for path in {paths}:
    if not os.path.isdir(path): attempt(path, lambda: open(path, 'rb').read(10))
    else: attempt(path, os.listdir, path)
"""

ATTACKS = [
    Attack(
        name="a package that is installed and not listed",
        source="""
import sortedcontainers, sys
print(*sortedcontainers.SortedList([2, 1]))
beside = os.path.dirname(os.path.dirname(sortedcontainers.__file__))
sys.path.insert(0, beside)
sys.path_importer_cache.clear()
attempt('import', __import__, 'annotated_types')
attempt('open', lambda: open(beside + '/annotated_types/__init__.py').read(20))
""",
        says="^1 2\nimport: (ModuleNotFoundError|PermissionError|EACCES)\nopen: (ENOENT|EACCES)",
        held_by=frozenset({Layer.BUBBLEWRAP, Layer.LANDLOCK}),
    ),
    Attack(
        number=27,
        name="proc of everybody",
        source="""
for pid in {*filter(str.isdecimal, os.listdir('/proc') if not refusal(os.listdir, '/proc') else ()), str(VICTIM), str(ZYGOTE), '1'}:
    if pid != str(os.getpid()):
        for name in ('cmdline', 'environ', 'maps', 'mem', 'status', 'root', 'cwd', 'fd'):
            why = refusal(lambda: open(f'/proc/{pid}/{name}', 'rb').read(1))
            if why in ('', 'EISDIR', 'EIO'): print('BREACH', pid, name)
attempt('proc', lambda: os.listdir('/proc') or os.stat('/proc/self'))
""",
        says="proc: EACCES",
        held_by=frozenset({Layer.NAMESPACES, Layer.LANDLOCK}),
    ),
    Attack(
        number=28,
        name="the environment",
        source="""
print(sorted({name: text for name, text in os.environ.items() if name not in ('PWD', 'TORCHINDUCTOR_CACHE_DIR')}.items()))
print(os.environ.get('STEPGRAD_SECRET', 'none'))
""",
        says=re.escape(str(sorted(ENVIRONMENT.items()))) + ".none",
    ),
    Attack(
        number=29,
        name="files of the host",
        source=READ.format(
            paths="('/etc/passwd', '/etc/shadow', '/etc/hostname', '/root', '/home', '/var', '/run', '/sys/kernel', FILE)"
        ),
        says="/etc/passwd: ENOENT.*/home: ENOENT.*secret: ENOENT",
        held_by=frozenset({Layer.BUBBLEWRAP, Layer.LANDLOCK}),
    ),
    Attack(
        number=30,
        name="writing outside /tmp",
        source="""
import msgspec
lib = os.path.dirname(msgspec.__file__)
for path in ('/x', '/dev/x', '/dev/shm/x', '/usr/lib/x', '/etc/x', lib + '/x', lib + '/__init__.py', os.path.dirname(FILE) + '/x'):
    attempt(path, open, path, 'ab')
attempt('FILE', os.truncate, FILE, 0)
attempt('FILE', os.unlink, FILE)
attempt('mkdir', os.mkdir, '/dev/shm/y')
attempt('chmod', os.chmod, FILE, 0)
""",
        says="/x: EROFS|/x: EACCES",
        held_by=frozenset({Layer.BUBBLEWRAP, Layer.LANDLOCK}),
    ),
    Attack(
        number=31,
        name="more than /tmp may hold",
        source="""
held = 0
while not (why := refusal(lambda: open(f'/tmp/{held}', 'wb').write(bytes(1 << 20)))) and held < 10: held += 1
print(held, why)
if held > 2: print('BREACH')
""",
        says="ENOSPC",
        limits={"tmp_bytes": 2 << 20},
        held_by=frozenset({Layer.NAMESPACES, Layer.LANDLOCK}),
    ),
    Attack(
        number=32,
        name="more files than /tmp may hold",
        source="""
quietly('''
held = 0
while not (why := refusal(lambda: open(f'/tmp/{held}', 'w').close())) and held < 1000: held += 1
print(held, why)
if held > 256: print('BREACH')
''')
""",
        says="ENOSPC",
        held_by=frozenset({Layer.NAMESPACES, Layer.LANDLOCK}),
    ),
    Attack(
        number=33,
        name="a sparse file of 1 TB",
        source="attempt('truncate', lambda: os.truncate(os.open('/tmp/big', os.O_CREAT | os.O_RDWR), 1 << 40))",
        says="truncate: EFBIG",
        held_by=frozenset({Layer.LIMITS}),
    ),
    Attack(
        number=77,
        name="links, pipes and devices",
        source="""
attempt('symlink', os.symlink, '/', '/tmp/link')
attempt('fifo', os.mkfifo, '/tmp/pipe')
attempt('node', os.mknod, '/tmp/node', 0o20666, os.makedev(1, 1))
attempt('socket', os.mknod, '/tmp/socket', 0o140666)
open('/tmp/file', 'w').close()
attempt('link', os.link, '/tmp/file', '/tmp/other')
""",
        says="symlink: ENOSYS.*fifo: EPERM.*node: EPERM.*link: ENOSYS",
    ),
    Attack(
        name="a symbolic link, past Python",
        source="attempt('symlink', lambda: kernel('symlinkat', b'/', -100, b'/tmp/link'))",
        says="symlink: ENOSYS",
        held_by=frozenset({Layer.SECCOMP, Layer.LANDLOCK}),
    ),
    Attack(
        name="a pipe with a name, past Python",
        source="attempt('fifo', lambda: kernel('mknodat', -100, b'/tmp/pipe', 0o10600, 0))",
        says="fifo: EPERM",
        held_by=frozenset({Layer.SECCOMP, Layer.LANDLOCK}),
    ),
    Attack(
        number=102,
        name="a note for the next run",
        source="refusal(lambda: open('/tmp/note', 'w').write('mine'))\nrefusal(os.chmod, '/tmp/note', 0o666)",
        then="if os.path.exists('/tmp/note'): print('BREACH')\nprint(refusal(os.listdir, '/tmp') or os.listdir('/tmp'))",
        says=r"\[\]",
        held_by=frozenset({Layer.NAMESPACES, Layer.LANDLOCK}),
    ),
]
