"""Helper functions for the code of attacks, which runs inside the sandbox. The functions print an error, or that the attack
succeeded.
"""

import ctypes
import errno
import gc
import os
import platform
from collections.abc import Callable
from typing import Any, NoReturn

from app.trace.heads import Head

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

# System call numbers from unistd_64.h and asm-generic/unistd.h, independent of the policy under test.
_NUMBERS = """
    add_key 248 217  bpf 321 280  chroot 161 51  clone 56 220  clone3 435 435  fanotify_init 300 262  fcntl 72 25
    inotify_init1 294 26  io_uring_setup 425 425  ioctl 16 29  kexec_load 246 104  keyctl 250 219  kcmp 312 272
    landlock_create_ruleset 444 444  linkat 265 37  memfd_create 319 279  memfd_secret 447 447  mknodat 259 33  mount 165 40
    mq_open 240 180  msgget 68 186  name_to_handle_at 303 264  open_by_handle_at 304 265  open_tree 428 428
    perf_event_open 298 241  personality 135 92  pidfd_getfd 438 438  pidfd_open 434 434  pivot_root 155 41  prctl 157 167
    prlimit64 302 261  process_madvise 440 440  process_vm_readv 310 270  process_vm_writev 311 271  ptrace 101 117
    quotactl 179 60  request_key 249 218  rt_sigqueueinfo 129 138  sched_setaffinity 203 122  seccomp 317 277
    sched_setattr 314 274  semget 64 190  setns 308 268  setuid 105 146  setsid 112 157  shmget 29 194  splice 275 76
    symlinkat 266 36  syslog 103 116  tgkill 234 131  tkill 200 130  umount2 166 39  unshare 272 97  userfaultfd 323 282
    vmsplice 278 75  fsopen 430 430  timer_create 222 107  timerfd_create 283 85  signalfd4 289 74  getpid 39 172
    execveat 322 281  capset 126 91  setrlimit 160 164  io_setup 206 0  set_mempolicy 238 237  pkey_alloc 330 289
    cachestat 451 451  futex_waitv 449 449  mseal 462 462  map_shadow_stack 453 453  process_mrelease 448 448
    landlock_restrict_self 446 446  mbind 237 235  swapon 167 224  reboot 169 142  sethostname 170 161  iopl 172 -
    futex 202 98  madvise 28 233  mincore 27 232  sysinfo 99 179
    modify_ldt 154 -  arch_prctl 158 -  remap_file_pages 216 234  statmount 457 457  listmount 458 458
"""
_WORDS = _NUMBERS.split()
_COLUMN = {"x86_64": 1, "aarch64": 2}[platform.machine()]
NUMBER = {_WORDS[at]: int(_WORDS[at + _COLUMN]) for at in range(0, len(_WORDS), 3) if _WORDS[at + _COLUMN] != "-"}


def attempt(what: str, call: Callable[..., object], *arguments: object) -> object:
    """Call a function, and print its error or that it succeeded."""
    try:
        result = call(*arguments)
    except BaseException as error:
        print(f"{what}: {_name(error)}", flush=True)
        return None
    print(f"BREACH {what}: {str(result)[:200]}", flush=True)
    return result


def refusal(call: Callable[..., object], *arguments: object) -> str:
    """Return the name of the error that a call raised; "" if it succeeded."""
    try:
        call(*arguments)
    except BaseException as error:
        return _name(error)
    return ""


def kernel(name: str | int, *arguments: Any) -> int:
    """Make a system call by name or number, without the wrapper functions of Python and libc. Raises OSError."""
    number = NUMBER[name] if isinstance(name, str) else name
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = int(libc.syscall(ctypes.c_long(number), *words))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def forever(call: Callable[..., object], *arguments: object) -> NoReturn:
    """Call a function in an endless loop whose lines are not recorded."""
    while True:
        refusal(call, *arguments)


def quietly(source: str, **names: object) -> None:
    """Execute code under another file name. The recorder ignores such code and its variables."""
    exec(compile(source, "quietly.py", "exec"), {**globals(), **names})


def forked(count: int) -> int:
    """Fork up to `count` children, and return their number. The children end with the pid namespace or after a few seconds."""
    for made in range(count):
        try:
            pid = os.fork()
        except OSError as error:
            print(f"fork: {_name(error)}")
            return made
        if pid == 0:
            libc.sleep(3)
            os._exit(0)
    return count


def _name(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, str(error.errno))
    return type(error).__name__


def chunk(content: bytes, end: str = "") -> bytes:
    """Return a forged chunk with the header that the recorder would write next."""
    heads: list[Head] = [each._head for each in gc.get_objects() if type(each).__name__ == "Tables"] or [Head()]
    payload = heads[0]._replace(end=end).payload(content)
    return b"SBX1" + bytes([1]) + len(payload).to_bytes(4, "big") + payload
