"""Capture output that C code or `os.write` sends to stdout and stderr."""

from pathlib import Path

from tests import scripts

BUFFERED = """
import ctypes, os
from app.tracer import adapter
libc = ctypes.CDLL(None)
adapter.buffer_lines_of_c()
libc.puts(b"one")
os.write(1, b"two\\n")
libc.printf(b"three")
adapter.flush_streams_of_c()
os.write(1, b" four\\n")
os._exit(0)
"""


def test_lines_of_c_come_as_they_end(tmp_path: Path) -> None:
    assert scripts.said_by(tmp_path, BUFFERED) == "one\ntwo\nthree four\n"


PATCHED = """
import os
from app.tracer import adapter
taken = []
before = os.write
undo = adapter.patch_write(lambda fd, written: taken.append((fd, written)))
assert os.write(1, b"one") == 3 and os.write(2, memoryview(bytearray(b"two"))) == 3
reader, writer = os.pipe()
assert os.write(writer, b"three") == 5 and os.read(reader, 9) == b"three"
kept = os.dup(1)
os.dup2(writer, 1)
assert os.write(1, b"four") == 4 and os.read(reader, 9) == b"four"
os.dup2(kept, 1)
for wrong in ((1, "text"), ("1", b""), (1,)):
    try:
        os.write(*wrong)
    except TypeError:
        continue
    raise AssertionError(wrong)
undo()
assert os.write is before and taken == [(1, b"one"), (2, b"two")], taken
"""


def test_patch_write(tmp_path: Path) -> None:
    assert scripts.said_by(tmp_path, PATCHED) == ""
