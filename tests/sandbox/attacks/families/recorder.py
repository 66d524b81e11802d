"""Attacks on the recorder, which runs in the same process as the snippet and shares all its objects."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        number=85,
        name="open descriptors",
        source="print([fd for fd in range(4096) if not refusal(os.fstat, fd)], os.fstat(0).st_rdev == os.makedev(1, 3))",
        says=r"^\[0, 1, 2, 4\] True",
    ),
    Attack(
        number=86,
        name="a walk over every object",
        source="""
quietly('''
import gc, socket
gc.unfreeze()
objects = gc.get_objects()
for each in [each for each in objects if type(each) is socket.socket]:
    for call in (lambda: each.send(b'{}'), lambda: socket.send_fds(each, [b'{}'], [0]), lambda: each.recv(10)):
        attempt('control', call)
print(len(objects) > 1000, any(type(each) is dict and 'STEPGRAD_SECRET' in each for each in objects))
''')
""",
        says="control: .*True False",
    ),
    Attack(
        number=87,
        name="the recorder's own modules replaced",
        source="""
import sys, gc
for name, module in list(sys.modules.items()):
    if name.startswith(('app.', 'msgspec', 'orjson', 'json')):
        for key in list(vars(module)):
            if not key.startswith('__'): setattr(module, key, None)
x = 1
x = 2
""",
        ends="interfered|finished|exited 0",
    ),
    Attack(
        number=88,
        name="tracing off and the built-ins gone",
        source="import builtins, sys\nsys.settrace(None)\ndel builtins.isinstance, builtins.len, builtins.list\nx = 1",
        ends="interfered|finished",
    ),
    Attack(
        number=89,
        name="torch and Python replaced, for the next run",
        source="""
import builtins, json, sys, torch
torch.Tensor.backward = torch.ones = json.dumps = None
builtins.mine = sys.mine = torch.mine = 1
torch.set_default_dtype(torch.float64)
""",
        then="""
import builtins, json, sys, torch
found = [hasattr(each, 'mine') for each in (builtins, sys, torch)]
if any(found) or json.dumps is None or torch.ones(1).dtype != torch.float32: print('BREACH', found)
""",
        torch=True,
        ends="finished|interfered",
    ),
    Attack(
        number=90,
        name="libc and libtorch overwritten",
        source="""
import torch
def overwrite(address):
    page = address & ~4095
    if libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(8192), 7): return 'refused'
    ctypes.memset(address, 0xC3, 1)
    return 'overwritten'
print(overwrite(ctypes.cast(libc.rand, ctypes.c_void_p).value))
print(overwrite(ctypes.cast(ctypes.CDLL(torch._C.__file__).PyInit__C, ctypes.c_void_p).value))
""",
        then="import random, torch\nprint(libc.rand() != libc.rand())",
        says="overwritten.*overwritten.*True",
        torch=True,
    ),
    Attack(
        number=98,
        name="its limits raised",
        source="""
import resource
for name in ('AS', 'CPU', 'NPROC', 'FSIZE', 'NOFILE', 'CORE'):
    number = getattr(resource, f'RLIMIT_{name}')
    soft, hard = resource.getrlimit(number)
    if hard == -1: print('BREACH', name)
    attempt(name, resource.setrlimit, number, (hard + 1, hard + 1))
    attempt(name, resource.prlimit, 0, number, (hard + 1, hard + 1))
""",
        says="AS: .*CPU: .*NPROC: .*FSIZE: .*NOFILE: .*CORE: ",
    ),
    Attack(
        number=99,
        name="larger pipes, owners of signals, leases",
        source="""
import fcntl
for what, arguments in {
    'F_SETPIPE_SZ': (1, 1031, 1 << 20), 'F_SETOWN': (1, 8, VICTIM), 'F_SETOWN_EX': (1, 15, bytes(8)), 'F_SETSIG': (1, 10, 9),
    'F_SETLEASE': (0, 1024, 0), 'F_NOTIFY': (0, 1026, 1), 'F_ADD_SEALS': (1, 1033, 1),
}.items(): attempt(what, fcntl.fcntl, *arguments)
""",
        says="SETPIPE_SZ: EPERM.*SETOWN: EPERM.*SETOWN_EX: EPERM.*SETSIG: EPERM.*SETLEASE: EPERM.*NOTIFY: EPERM.*SEALS: EPERM",
        held_by=frozenset({Layer.SECCOMP}),
    ),
    Attack(
        number=100,
        name="typing into a terminal",
        source="""
import fcntl
for fd in (0, 1, 2, 4): attempt(f'TIOCSTI {fd}', fcntl.ioctl, fd, 0x5412, b'x')
attempt('TIOCLINUX', fcntl.ioctl, 1, 0x541C, b'x')
""",
        says="0: ENOTTY.*1: ENOTTY.*2: ENOTTY.*4: ENOTTY.*TIOCLINUX: ENOTTY",
    ),
    Attack(
        number=103,
        name="memory shared with others",
        source="""
if refusal(open, '/proc/self/maps'): print('no maps')
else:
    shared = [line for line in open('/proc/self/maps') if line.split()[1][1] == 'w' and line.split()[1][3] == 's']
    print('maps'); print('BREACH' if shared else 'nothing shared', shared)
""",
        says="no maps",
    ),
]
