"""Unusual ends of a program, and source text that is not valid."""

from tests.sandbox.attacks.attack import Attack

ATTACKS = [
    Attack(number=17, name="exit as if all were well", source="os._exit(0)", ends="exited 0"),
    Attack(number=18, name="exit with a status", source="os._exit(42)", ends="exited 42"),
    Attack(name="exit with the sandbox's own status", source="os._exit(97)", ends="exited 97"),
    Attack(number=19, name="segmentation fault", source="ctypes.string_at(0)", ends="crashed SIGSEGV"),
    Attack(number=20, name="abort", source="os.abort()", ends="crashed SIGABRT"),
    Attack(
        number=22,
        name="a deep expression",
        source="compile('(' * 100_000 + ')' * 100_000, '', 'eval')",
        ends="raised (Syntax|Memory)Error",
    ),
    Attack(
        number=23,
        name="a source that explodes",
        source="compile('-' * 3_000_000 + '1', '', 'eval')",
        ends="raised (Memory|Recursion)Error|out_of_memory|crashed SIGSEGV",
    ),
    Attack(number=104, name="10 MB of source", source="#" * 10_000_000, ends="interfered"),
    Attack(number=105, name="a source with NUL", source="print(1)\0", ends="raised (Syntax|Value)Error|interfered"),
]
