"""Interpret the BPF program of a seccomp filter, so that tests can evaluate the filter of any machine type."""

import operator
import struct

INSTRUCTION = struct.Struct("HBBI")
LOAD, JUMP, RETURN, AND = 0x20, 0x05, 0x06, 0x54
JUMPS = {0x15: operator.eq, 0x25: operator.gt, 0x35: operator.ge, 0x45: operator.and_}


def verdict(program: bytes, machine: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Return the filter's action for a system call. Raises AssertionError if the kernel would reject the program."""
    call = struct.pack(
        "=IIQ6Q", number & 0xFFFFFFFF, machine, 0, *(value & (1 << 64) - 1 for value in (*arguments, *[0] * 6)[:6])
    )
    instructions = list(INSTRUCTION.iter_unpack(program))
    assert len(instructions) <= 4096
    accumulator, position = 0, 0
    while True:
        code, on_true, on_false, k = instructions[position]
        position += 1
        if code == LOAD:
            assert k % 4 == 0 and k < len(call)
            (accumulator,) = struct.unpack_from("=I", call, k)
        elif code == AND:
            accumulator &= k
        elif code == JUMP:
            position += k
        elif code in JUMPS:
            position += on_true if JUMPS[code](accumulator, k) else on_false
        else:
            assert code == RETURN, f"{code:#x} is no instruction of a filter"
            return int(k)
