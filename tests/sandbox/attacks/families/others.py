"""Attacks on other runs and on the server."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        number=106,
        name="the server's token and its memory",
        source="""
for pid in (SERVER, VICTIM, ZYGOTE):
    try: print(open(f'/proc/{pid}/environ').read())
    except OSError as error: print('environ', error.errno)
    for name, mode in (('mem', 'r+b'), ('mem', 'rb'), ('maps', 'rb'), ('task', None)):
        why = refusal(open, f'/proc/{pid}/{name}', mode) if mode else refusal(os.listdir, f'/proc/{pid}/{name}')
        print(name, why or 'BREACH')
""",
        says="^environ 2.mem ENOENT.mem ENOENT.maps ENOENT",
        held_by=frozenset({Layer.BUBBLEWRAP, Layer.NAMESPACES, Layer.LANDLOCK}),
    ),
    Attack(
        number=107,
        name="the run beside it",
        beside="""
import time
refusal(lambda: open('/tmp/note', 'w').write('mine'))
refusal(os.chmod, '/tmp/note', 0o666)
print('ready')
time.sleep(BESIDE_SECONDS)
if os.path.exists('/tmp/note'): assert open('/tmp/note').read() == 'mine'
""",
        source="""
if os.path.exists('/tmp/note'): print('BREACH', refusal(lambda: open('/tmp/note', 'w').write('yours')))
quietly('''
for pid in range(1, 2000):
    if pid != os.getpid():
        if not refusal(os.kill, pid, 12): print('BREACH', pid)
        for name in ('mem', 'cmdline', 'cwd/note', 'root/tmp/note', 'fd/4'):
            if not refusal(open, f'/proc/{pid}/{name}', 'rb'): print('BREACH', pid, name)
''')
print('looked')
""",
        says="looked",
        held_by=frozenset({Layer.NAMESPACES, Layer.LANDLOCK}),
    ),
    Attack(
        name="no thread left for others",
        beside="""
import threading, time
end = threading.Event()
try:
    for _ in range(62): threading.Thread(target=end.wait, daemon=True).start()
except RuntimeError as error: print(error)
print('ready')
time.sleep(BESIDE_SECONDS)
""",
        source="""
import threading
try:
    for _ in range(8): threading.Thread(target=print, daemon=True).start()
    print('started')
except RuntimeError as error: print('BREACH', error)
""",
        says="started",
        open_on_floor="without a user namespace RLIMIT_NPROC counts the threads of all runs together",
    ),
]
