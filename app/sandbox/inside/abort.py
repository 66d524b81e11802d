"""Lets a run report that it called libc's `abort`, which the kernel cannot show for PID 1.

Inside a namespace, SIGABRT does not reach PID 1 without a handler, and `abort` then executes a forbidden instruction, which the
kernel reports as SIGSEGV. Therefore this module installs a handler. The handler is machine code, because Python code must not
run in a signal handler of C. The handler writes one empty frame and returns; then libc continues.
"""

import ctypes
import mmap
import platform
import signal
from typing import Final

from app.sandbox.inside import protocol

_WORDS: Final = protocol.frame(protocol.ABORTED, b"")

_CODE: Final = {
    "x86_64": bytes.fromhex(
        "b801000000"  # mov eax, 1: write
        f"bf{protocol.RESULT_FD:02x}000000"  # mov edi, RESULT_FD
        "488d3508000000"  # lea rsi, [rip + 8]: the bytes after the code
        f"ba{len(_WORDS):02x}000000"  # mov edx, len(_WORDS)
        "0f05c3"  # syscall; ret
    ),
    "aarch64": b"".join(
        word.to_bytes(4, "little")
        for word in (
            0xD2800808,  # mov x8, 64: write
            0xD2800000 | protocol.RESULT_FD << 5,  # mov x0, RESULT_FD
            0x10000081,  # adr x1, 16: the bytes after the code
            0xD2800002 | len(_WORDS) << 5,  # mov x2, len(_WORDS)
            0xD4000001,  # svc 0
            0xD65F03C0,  # ret
        )
    ),
}


class AbortHandler:
    """The machine code of the handler of SIGABRT. The zygote creates it once, for all runs."""

    def __init__(self) -> None:
        code = _CODE.get(platform.machine(), b"")
        self._page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._page.write(code + _WORDS)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._page)) if code else None
        libc = ctypes.CDLL(None)
        libc.mprotect(ctypes.c_void_p(self._address), ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ | mmap.PROT_EXEC)
        self._signal = libc.signal

    def install(self) -> None:
        """Install the handler in this process.

        Python does not know about this handler, so for a snippet SIGABRT looks unhandled.
        """
        self._signal(ctypes.c_int(signal.SIGABRT), ctypes.c_void_p(self._address))
