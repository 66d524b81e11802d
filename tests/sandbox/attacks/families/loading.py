"""Attacks with torch's functions that start programs, load libraries, open sockets or share memory."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(
        number=91,
        name="a pickle that runs a program",
        source="""
import io, sys, torch
class Evil:
    def __reduce__(self): return os.system, ('true',)
written = io.BytesIO()
torch.save(Evil(), written)
written.seek(0)
status = torch.load(written, weights_only=False)
print(status)
if status == 0: print('BREACH')
""",
        says="^(-1|32512|32256)$",
        torch=True,
    ),
    Attack(
        number=92,
        name="a library of its own",
        source="""
import glob, torch
library = next(iter(glob.glob('/usr/lib/*-linux-gnu/libm.so.6')))
refusal(lambda: open('/tmp/libm.so', 'wb').write(open(library, 'rb').read()))
attempt('load_library', torch.ops.load_library, '/tmp/libm.so')
""",
        says="load_library: OSError",
        torch=True,
    ),
    Attack(
        name="a library of its own, past torch",
        source="""
import glob
library = next(iter(glob.glob('/usr/lib/*-linux-gnu/libm.so.6')))
refusal(lambda: open('/tmp/libm.so', 'wb').write(open(library, 'rb').read()))
attempt('CDLL', ctypes.CDLL, '/tmp/libm.so')
""",
        says="CDLL: OSError",
        held_by=frozenset({Layer.NAMESPACES, Layer.LANDLOCK}),
    ),
    Attack(
        number=93,
        name="an extension in C++",
        source="""
from torch.utils import cpp_extension
attempt('load_inline', cpp_extension.load_inline, 'mine', 'int one() { return 1; }', functions=['one']) if 0 else None
print(refusal(lambda: cpp_extension.load_inline('mine', 'int one() { return 1; }', functions=['one'])) or 'BREACH')
""",
        says="RuntimeError|EPERM|ENOENT|ModuleNotFoundError|SubprocessError|CalledProcessError",
        torch=True,
    ),
]
