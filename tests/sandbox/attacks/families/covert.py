"""Covert channels: concurrent runs try to communicate through shared resources that neither can write."""

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import Attack

SECCOMP = frozenset({Layer.SECCOMP})
FLOCK = "struct.pack('hhqqi4x', {kind}, 0, 0, 1, 0)"

ATTACKS = [
    Attack(
        name="a lock on a file that all can read",
        beside=f"""
import fcntl, struct, time
for command in (6, 37):
    refusal(fcntl.fcntl, os.open(ctypes.__file__, os.O_RDONLY), command, {FLOCK.format(kind=0)})
print('ready')
time.sleep(BESIDE_SECONDS)
""",
        source=f"""
import fcntl, struct
for command in (5, 36):
    asked = []
    why = refusal(lambda: asked.append(fcntl.fcntl(os.open(ctypes.__file__, os.O_RDONLY), command, {FLOCK.format(kind=1)})))
    print(command, why, 'BREACH' if asked and struct.unpack('hhqqi4x', asked[0])[0] != 2 else '')
""",
        says="5 ENOLCK.*36 ENOLCK",
        held_by=SECCOMP,
    ),
    Attack(
        name="waiting on a page that all have mapped",
        beside="""
import threading, time
page = ctypes.cast(libc.getppid, ctypes.c_void_p).value & ~4095
word = ctypes.c_int.from_address(page).value
for operation in (0, 9):
    wait = (kernel, 'futex', ctypes.c_void_p(page), operation, word, None, 0, -1)
    threading.Thread(target=forever, args=wait, daemon=True).start()
time.sleep(0.1)
print('ready')
time.sleep(BESIDE_SECONDS)
""",
        source="""
page = ctypes.cast(libc.getppid, ctypes.c_void_p).value & ~4095
for _ in range(50):
    woken = kernel('futex', ctypes.c_void_p(page), 1, 100, 0, 0, 0)
    if woken: break
    libc.usleep(2000)
print('woke', woken, 'BREACH' if woken else '')
""",
        says="woke 0",
        held_by=SECCOMP,
    ),
    Attack(
        name="flags of a file that the zygote opened",
        beside="""
import fcntl, time
for fd in (0, 1, 2, 4): refusal(fcntl.fcntl, fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK | os.O_APPEND)
print('ready')
time.sleep(BESIDE_SECONDS)
""",
        source="""
import fcntl
flags = [fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_NONBLOCK | os.O_APPEND) for fd in (0, 1, 2, 4)]
print(flags, 'BREACH' if any(flags) else '')
""",
        says=r"^\[0, 0, 0, 0\]",
    ),
    Attack(
        name="what is in the page cache, without waiting",
        source="""
fd = os.open(ctypes.__file__, os.O_RDONLY)
attempt('preadv2', os.preadv, fd, [bytearray(1)], 0, os.RWF_NOWAIT)
attempt('mincore', lambda: kernel('mincore', ctypes.c_void_p(id(os) & ~4095), 4096, ctypes.create_string_buffer(1)))
attempt('cachestat', lambda: kernel('cachestat', fd, (ctypes.c_ulong * 2)(), (ctypes.c_ulong * 5)(), 0))
""",
        says="preadv2: EOPNOTSUPP|preadv2: ENOTSUP.mincore: ENOSYS.cachestat: ENOSYS",
        held_by=SECCOMP,
    ),
    Attack(
        name="the page cache emptied",
        source="""
fd = os.open(ctypes.__file__, os.O_RDONLY)
attempt('fadvise', os.posix_fadvise, fd, 0, 0, os.POSIX_FADV_DONTNEED)
for advice in (12, 20, 21):
    attempt(advice, lambda: kernel('madvise', ctypes.c_void_p(id(os) & ~4095), 4096, advice))
""",
        says="fadvise: E.*12: EINVAL.*20: EINVAL.*21: EINVAL",
        held_by=SECCOMP,
    ),
    Attack(
        name="load, memory and processes of the machine",
        source="""
attempt('load', os.getloadavg)
attempt('sysinfo', lambda: kernel('sysinfo', ctypes.create_string_buffer(512)))
""",
        says="load: OSError.sysinfo: EPERM",
        held_by=SECCOMP,
    ),
]
