"""The machine code that handles `abort` on ARM, decoded by hand, because most machines cannot execute it (Arm ARM, C6.2)."""

import struct

from app.sandbox.inside import abort, protocol
from tests.sandbox.test_policy import NUMBERS

SVC, RET = 0xD4000001, 0xD65F03C0


def test_the_handler_for_arm_writes_the_frame_behind_its_code() -> None:
    code = abort._CODE["aarch64"]
    *loads, call, end = (word for (word,) in struct.iter_unpack("<I", code))
    assert (call, end) == (SVC, RET)
    registers = {}
    for place, word in enumerate(loads):
        number = word >> 5 & 0xFFFF
        if word >> 21 == 0b11010010100:  # movz, 64 bits wide
            registers[word & 31] = number
        else:
            assert word >> 21 == 0b00010000000, "adr, a multiple of 4 forward"
            registers[word & 31] = 4 * (place + number)
    assert registers == {8: NUMBERS["aarch64"]["write"], 0: protocol.RESULT_FD, 1: len(code), 2: len(abort._WORDS)}
