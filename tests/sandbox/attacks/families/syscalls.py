"""Attacks with system calls that no snippet needs, without Python's wrapper functions."""

import platform

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import NONE, Attack

KILLED = "crashed SIGSYS"
BY_FILTER = frozenset({Layer.SECCOMP})
BY_RIGHTS = frozenset({Layer.SECCOMP, Layer.PRIVILEGES})
BY_LIMITS = frozenset({Layer.SECCOMP, Layer.LIMITS})
BY_ALL = frozenset({*BY_RIGHTS, Layer.LANDLOCK})


def call(number: int | None, name: str, arguments: str, held_by: frozenset[Layer] = NONE, ends: str = KILLED) -> Attack:
    """Return an attack with one system call. `ends` is SIGSYS or the expected errno."""
    killed = ends == KILLED
    what = name.split(maxsplit=1)[0]
    return Attack(
        number=number,
        name=name,
        source=f"attempt({what!r}, kernel, {what!r}, {arguments})",
        ends=ends if killed else "finished",
        says="" if killed else f"^{what}: {ends}",
        held_by=held_by,
    )


ATTACKS = [
    call(41, "unshare a user namespace", "0x10000000"),
    call(42, "unshare a mount namespace", "0x20000", BY_RIGHTS),
    call(43, "ptrace", "0, 0, 0, 0", BY_FILTER),
    call(44, "bpf", "0, bytes(128), 128"),
    call(45, "io_uring_setup", "8, bytes(256)", BY_LIMITS, "EPERM"),
    call(46, "keyctl", "0, -3, 1", BY_FILTER),
    call(47, "add_key", "b'user', b'mine', b'x', 1, -3", BY_FILTER),
    call(48, "userfaultfd", "1"),
    call(49, "perf_event_open", "bytes(128), 0, -1, -1, 0"),
    call(50, "process_vm_readv", "VICTIM, (ctypes.c_long * 2)(), 1, (ctypes.c_long * 2)(), 1, 0"),
    call(51, "setns", "0, 0x20000"),
    call(52, "mount", "b'none', b'/tmp', b'tmpfs', 0, None", BY_ALL),
    call(53, "chroot", "b'/usr'", BY_RIGHTS),
    call(54, "pivot_root", "b'/tmp', b'/tmp'"),
    call(55, "clone with a user namespace", "0x10000011, 0, 0, 0, 0"),
    call(56, "clone3", "(ctypes.c_ulong * 11)(), 88", ends="ENOSYS"),
    call(57, "memfd_secret", "0"),
    call(58, "open_by_handle_at", "-100, (ctypes.c_int * 34)(8, 1), 0"),
    call(59, "pidfd_open", "os.getpid(), 0", BY_FILTER, "EPERM"),
    call(60, "shmget", "0, 1 << 20, 0o1600", BY_FILTER, "EPERM"),
    call(61, "msgget", "0, 0o1600", BY_FILTER, "EPERM"),
    call(62, "mq_open", "b'mine', 0o102, 0o600, None", frozenset({*BY_LIMITS, Layer.LANDLOCK}), "EPERM"),
    call(63, "setuid", "0"),
    call(64, "personality", "0x40000", BY_FILTER),
    call(65, "kexec_load", "0, 0, 0, 0"),
    call(66, "quotactl", "0x800002 << 8, b'/dev/null', 0, bytes(256)"),
    call(67, "landlock_create_ruleset", "(ctypes.c_ulong * 3)(1, 0, 0), 8, 0", BY_FILTER, "ENOSYS"),
    call(68, "prlimit64 of another", "VICTIM, 7, (ctypes.c_ulong * 2)(8, 8), None", ends="EPERM"),
    call(69, "sched_setaffinity", "0, 8, (ctypes.c_ulong * 1)(1)", BY_FILTER, "EPERM"),
    call(70, "fanotify_init", "0x200, 0", ends="EPERM"),
    call(71, "inotify_init1", "0", BY_FILTER, "ENOSYS"),
    call(72, "symlinkat", "b'/etc', -100, b'/tmp/etc'", ends="ENOSYS"),
    call(73, "mknodat of a device", "-100, b'/tmp/node', 0o20666, 0x103", ends="EPERM"),
    call(74, "syslog", "2, bytes(100), 100", ends="EPERM"),
    call(101, "umount2 of the cover of proc", "b'/proc', 2", BY_ALL),
    call(None, "seccomp", "1, 0, None", ends="EPERM"),
    call(None, "process_vm_writev", "VICTIM, (ctypes.c_long * 2)(), 1, (ctypes.c_long * 2)(), 1, 0"),
    call(None, "pidfd_getfd", "1, 0, 0"),
    call(None, "process_madvise", "1, (ctypes.c_long * 2)(), 1, 20, 0"),
    call(None, "kcmp", "1, VICTIM, 0, 0, 0"),
    call(None, "request_key", "b'user', b'mine', b'x', -3"),
    call(None, "open_tree", "-100, b'/', 1"),
    call(None, "fsopen", "b'tmpfs', 0", BY_RIGHTS),
    call(None, "name_to_handle_at", "-100, b'/tmp', (ctypes.c_int * 34)(128), (ctypes.c_int * 1)(), 0"),
    call(None, "swapon", "b'/tmp/x', 0"),
    call(None, "reboot", "0xFEE1DEAD, 672274793, 0x89ABCDEF, 0"),
    call(None, "sethostname", "b'mine', 4", BY_RIGHTS, "EPERM"),
    call(None, "capset", "(ctypes.c_int * 2)(0x20080522, 0), bytes([255] * 24)"),
    call(None, "semget", "0, 1, 0o1600", BY_FILTER, "EPERM"),
    call(None, "timer_create", "0, None, (ctypes.c_int * 1)()", BY_FILTER, "ENOSYS"),
    call(None, "timerfd_create", "0, 0", BY_FILTER, "ENOSYS"),
    call(None, "signalfd4", "-1, bytes(8), 8, 0", BY_FILTER, "ENOSYS"),
    call(None, "io_setup", "8, (ctypes.c_ulong * 1)()", BY_FILTER, "ENOSYS"),
    call(None, "pkey_alloc", "0, 0", ends="ENOSYS"),
    call(None, "futex_waitv", "None, 0, 0, None, 0", ends="ENOSYS"),
    call(None, "statmount", "(ctypes.c_ulong * 3)(24, 1, 2), bytes(4096), 4096, 0", ends="ENOSYS"),
    call(None, "listmount", "(ctypes.c_ulong * 3)(24, 0xFFFFFFFFFFFFFFFF, 0), bytes(800), 100, 0", BY_FILTER, "ENOSYS"),
    call(None, "landlock_restrict_self", "-1, 0", ends="ENOSYS"),
    call(None, "map_shadow_stack", "0, 4096, 1", ends="ENOSYS"),
    call(None, "execveat of a descriptor", "os.open('/usr/lib', 0), b'', (ctypes.c_long * 1)(), None, 0x1000", ends="EPERM"),
    call(None, "vmsplice", "1, (ctypes.c_long * 2)(), 1, 0", BY_FILTER, "EPERM"),
    call(None, "setsid", "", ends="EPERM"),
]

if platform.machine() == "x86_64":
    ATTACKS += [
        Attack(number=75, name="a number of x32", source="attempt('x32', kernel, 0x40000000 | 39)", ends=KILLED),
        Attack(
            number=76,
            name="int 0x80",
            source="""
import mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')  # mov eax, 20 (getpid of i386); int 0x80; ret
start = ctypes.addressof(ctypes.c_char.from_buffer(code))
print('BREACH', ctypes.CFUNCTYPE(ctypes.c_int)(start)())
""",
            ends=KILLED,
            held_by=BY_FILTER,
        ),
        call(None, "iopl", "3"),
        call(None, "modify_ldt", "0, bytes(16), 16", BY_FILTER),
        Attack(
            name="a far jump into 32 bits",
            source="""
import mmap, struct
low = libc.mmap; low.restype = ctypes.c_void_p
place = low(ctypes.c_void_p(0x10000000), ctypes.c_size_t(4096), 7, 0x62 | 0x40, -1, ctypes.c_long(0))
# 32-bit code: mov eax, 1 (exit of i386); mov ebx, 55; int 0x80
ctypes.memmove(place + 64, b'\\xb8\\x01\\x00\\x00\\x00\\xbb\\x37\\x00\\x00\\x00\\xcd\\x80', 12)
ctypes.memmove(place + 128, struct.pack('<IH', place + 64, 0x23), 6)
ctypes.memmove(place, b'\\xff\\x2c\\x25' + struct.pack('<I', place + 128), 7)  # ljmp *[place + 128]
ctypes.CFUNCTYPE(None)(place)()
""",
            ends=KILLED,
        ),
    ]
