"""Attacks that use Python to disturb the recorder. Such attacks may affect only their own run."""

from tests.sandbox.attacks.attack import Attack

ANY = (
    "finished|interfered|exited -?[0-9]+|raised .+|out_of_memory|stopped|timed_out (wall|cpu)|crashed SIG[A-Z]+"
    "|output_too_large|trace_too_large"
)


def trick(name: str, source: str, ends: str = ANY, says: str = "", *, long: bool = False) -> Attack:
    """Return an attack that may end in any normal way."""
    clocks = {"cpu_seconds": 2, **({"wall_seconds": 2.0} if ends == ANY else {})}
    return Attack(name=name, source=source, ends=ends, says=says, torch=True, long=long, limits=clocks)


ATTACKS = [
    trick(
        "memory of the recorder overwritten",
        """
import gc
quietly('''
import gc
gc.unfreeze()
for each in gc.get_objects():
    if (type(each).__module__ or '').startswith('app.'): ctypes.memset(id(each) + 16, 0x41, 64)
''')
x = 1
x = 2
""",
        # An instruction that uses the address 0x41… through a stack register raises SIGBUS instead of SIGSEGV.
        "crashed SIG(SEGV|BUS|ABRT)|interfered|exited .*",
    ),
    trick("every object overwritten", "quietly('import gc\\nfor each in gc.get_objects(): ctypes.memset(id(each) + 8, 0, 8)')"),
    trick(
        "code pages unmapped",
        "libc.munmap(ctypes.c_void_p(ctypes.cast(libc.write, ctypes.c_void_p).value & ~4095), 1 << 20)",
        "crashed SIGSEGV",
    ),
    trick(
        "the whole address space without a right",
        "libc.mprotect(ctypes.c_void_p(id(os) & ~4095), ctypes.c_size_t(1 << 24), 0)",
        "crashed SIG(SEGV|BUS)|finished|interfered",
    ),
    trick(
        "a callback of the garbage collector in the recorder's midst",
        "import gc\ngc.callbacks.append(lambda phase, _: 1 / 0)\ngc.set_threshold(1)\nx = [[] for _ in range(1000)]\ny = 2",
    ),
    trick(
        "tracing and profiling of its own",
        """
import sys, threading
sys.settrace(lambda *_: None); sys.setprofile(lambda *_: None)
threading.settrace(lambda *_: None); threading.setprofile(lambda *_: None)
x = 1
sys.setswitchinterval(1e-9)
x = 2
""",
    ),
    trick(
        "a signal in the recorder's midst",
        """
import signal
signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
signal.setitimer(signal.ITIMER_REAL, 1e-5, 1e-5)
for number in range(1000): x = [number]
""",
    ),
    trick(
        "faulthandler that exits",
        "import faulthandler, time\nfaulthandler.dump_traceback_later(0.1, exit=True, file=open('/tmp/x', 'w'))\ntime.sleep(100)",
        "exited 1",
    ),
    trick(
        "handlers at exit and at fork",
        "import atexit, os\natexit.register(lambda: os.write(4, b'x'))\nos.register_at_fork(before=lambda: os.write(4, b'x'))",
        "finished",
    ),
    trick(
        "msgspec and orjson gone",
        """
import msgspec, orjson
msgspec.json.encode = msgspec.json.Encoder = msgspec.structs.replace = orjson.dumps = None
x = 1
""",
    ),
    trick(
        "a thread that writes frames after the end",
        """
import threading
threading.Thread(target=quietly, args=('while True: os.write(4, b"SBX1" + bytes([1, 0, 0, 0, 2]) + b"{}")',), daemon=True).start()
x = 1
""",
        "finished|interfered|trace_too_large",
    ),
    trick(
        "a thread that writes garbage after the end",
        """
import threading
threading.Thread(target=quietly, args=('libc.usleep(2000)\\nwhile True: os.write(4, b"x")',), daemon=True).start()
""",
        "finished|interfered",
    ),
    trick("descriptors exchanged", "os.dup2(4, 1)\nos.dup2(4, 2)\nos.write(1, b'on the wrong pipe')\nx = 1", "interfered"),
    trick("output instead of frames", "os.dup2(1, 4)\nx = 1\nx = 2"),
    trick(
        "the pipe made to refuse",
        "import fcntl\nfcntl.fcntl(4, fcntl.F_SETFL, os.O_NONBLOCK | os.O_DIRECT)\nfor x in range(2000): y = 'x' * 500",
    ),
    trick(
        "packets on the pipe",
        """
import fcntl
fcntl.fcntl(4, fcntl.F_SETFL, os.O_DIRECT)
fcntl.fcntl(1, fcntl.F_SETFL, os.O_DIRECT)
for x in range(200): os.write(1, b'x')
""",
        "finished",
    ),
    trick("the pipes read", "print([refusal(os.read, fd, 10) for fd in (1, 2, 4)])", "finished", "EBADF.*EBADF.*EBADF"),
    trick("standard streams gone", "import sys\nsys.stdout = sys.stderr = None\nos.close(1)\nos.close(2)\nprint('x')\nx = 1"),
    trick("a name of a megabyte", "globals()['x' * (1 << 20)] = 1\nx = 1"),
    trick(
        "a type with a name of a megabyte",
        "x = type('x' * (1 << 20), (), {})()\nraise type('y' * (1 << 20), (Exception,), {})('z' * (1 << 24))",
    ),
    trick("an exception of a hundred megabytes", "raise Exception('x' * 100_000_000)"),
    trick(
        "causes without an end",
        """
error = Exception()
for _ in range(3000):
    after = Exception(); after.__cause__ = error; error = after
raise error
""",
    ),
    trick("a cause that is itself", "error = Exception(); error.__cause__ = error; error.__context__ = error\nraise error"),
    trick("nesting without an end", "x = []\nfor _ in range(5000): x = [x]\ny = {}\nfor _ in range(5000): y = {'k': y}"),
    trick("a container that holds itself", "x = []\nx.append(x)\ny = {'self': x}; y['y'] = y; x.append(y)"),
    trick(
        "a million entries",
        "x = list(range(1_000_000))\ny = dict.fromkeys(x)\nz = {str(each): [each] for each in range(200_000)}\nw = 1",
        long=True,
    ),
    trick(
        "an object that answers everything",
        """
class Odd:
    def __getattribute__(self, name): return Odd()
    def __class__(self): 1 / 0
    __eq__ = __hash__ = __len__ = __iter__ = lambda *_: 1 / 0
x = Odd()
y = [Odd()]
""",
    ),
    trick("lone surrogates", "print('\\ud800')\nx = {'\\ud800': 1}\nraise Exception('\\udfff')"),
    trick(
        "control characters and markup",
        """
print('</script><script>alert(1)</script>\\x00\\x1b]0;x\\x07\\u202e')
raise Exception('<img src=x onerror=alert(1)>')
""",
    ),
    trick("a million short lines", "\n".join(["x = 1"] * 40_000), long=True),
    trick("tensors without an end", "import torch\nx = [torch.ones(1) for _ in range(20_000)]", long=True),
    trick(
        "a graph without an end",
        "import torch\nx = torch.ones(1, requires_grad=True)\nfor _ in range(5000): x = x + 1\nx.backward()",
        long=True,
    ),
    trick(
        "operators of its own",
        """
import torch
library = torch.library.Library('aten', 'IMPL')
library.impl('add.Tensor', lambda *_: 1 / 0, 'CPU')
library.impl('detach', lambda *_: 1 / 0, 'CompositeImplicitAutograd')
x = torch.ones(1) + 1
""",
    ),
    trick(
        "a dispatch key of its own",
        "import torch\ntorch._C._dispatch_tls_set_dispatch_key_excluded('Fake', True)\nx = torch.ones(1) + 1",
    ),
    trick(
        "torch's hooks",
        "import torch\nx = torch.ones(1, requires_grad=True)\nx.register_hook(lambda _: os._exit(3))\nx.sum().backward()",
        "exited 3",
    ),
    trick("modules exchanged", "import sys\nfor name in list(sys.modules): sys.modules[name] = None\nx = 1\nimport json"),
    trick("recursion in the recorder's midst", "import sys\nsys.setrecursionlimit(50)\nx = 1\ndef f(): return f()\nf()"),
    trick(
        "the stack used up",
        """
import threading
threading.stack_size(32768)
t = threading.Thread(target=exec, args=('import sys\\nsys.setrecursionlimit(10**6)\\ndef f(): f()\\nf()',)); t.start(); t.join()
""",
    ),
    trick("time turned back", "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 1 / 0\nx = 1"),
    trick("a debugger", "import pdb\npdb.set_trace()\nx = 1"),
    trick("a question nobody answers", "input('Your name? ')", "raised EOFError"),
]
