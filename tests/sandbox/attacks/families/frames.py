"""Attacks on the pipe between the recorder and the server: the snippet writes forged records to the pipe."""

from app.sandbox.inside.protocol import HEADER, MAGIC, MAX_FRAME, READY, SETUP_FAILED, TRACE, frame
from app.trace.heads import Head
from tests.sandbox.attacks.attack import Attack


def chunk(content: bytes, end: str = "") -> bytes:
    """Return a chunk with a valid header, so that the server passes it to the decoder."""
    return frame(TRACE, Head(end=end).payload(content))


TRUE = """chunk(b'{"ended": {"kind": "finished"}}', "finished")"""
"""A chunk whose header is correct for the attacking run."""
FINISHED = chunk(b'{"ended": {"kind": "finished"}}', "finished")
HALF = HEADER.pack(MAGIC, TRACE, 1000) + b"{"


def told(name: str, piece: bytes, number: int | None = None, after: str = "libc.pause()", ends: str = "interfered") -> Attack:
    """Return an attack that writes `piece` directly to the pipe."""
    return Attack(number=number, name=name, source=f"os.write(4, {piece!r})\n{after}", ends=ends)


def forged(name: str, content: bytes, number: int | None = None, end: str = "") -> Attack:
    """Return an attack that writes a chunk which the decoder rejects after the run."""
    return told(name, chunk(content, end), number, "os._exit(0)")


ATTACKS = [
    Attack(number=78, name="the pipe closed", source="os.close(4)\nprint(1)\nprint(2)", ends="interfered"),
    told("no head", frame(TRACE, b"{}")),
    told("a head of less than was counted", chunk(b"{}") + frame(TRACE, Head(statements=1).payload(b"{}")) + chunk(b"{}")),
    told("a head of more than there is", frame(TRACE, Head(statements=2**32 - 1).payload(b"{}"))),
    told("a head that lies", frame(TRACE, Head(statements=1).payload(b"{}")), None, "os._exit(0)"),
    told("garbage", b"hello, this is not a frame at all", 79),
    Attack(
        number=80,
        name="a forged result is one's own",
        source=f"os.write(4, {TRUE}), os._exit(0)",
        ends="finished",
    ),
    Attack(  # one statement, because the recorder would send a chunk before the next statement
        name="an end that hides another",
        source=f"os.write(4, {TRUE}), refusal(kernel, 'ptrace', 0, 0, 0, 0), os._exit(0)",
        ends="crashed SIGSYS",
    ),
    told("a failed setup", frame(SETUP_FAILED, b"no namespaces"), 81, "os._exit(97)"),
    forged("depth", b"[" * 100_000, 82),
    forged("depth in a foreign field", b'{"evil": ' + b"[" * 100_000),
    Attack(
        number=83,
        name="half a frame and sleep",
        source=f"os.write(4, {HALF!r})\nlibc.pause()",
        ends="timed_out wall",
        limits={"wall_seconds": 0.5},
        slow=True,
    ),
    told("half a frame and exit", HALF, None, "os._exit(0)"),
    told("the largest length", HEADER.pack(MAGIC, TRACE, 0xFFFFFFFF)),
    told("more than a frame may hold", HEADER.pack(MAGIC, TRACE, MAX_FRAME + 1)),
    Attack(
        number=84,
        name="endless frames",
        source="forever(os.write, 4, chunk(b'{}') * 1000)",
        ends="trace_too_large",
        limits={"trace_bytes": 1 << 20},
    ),
    Attack(
        name="half a million records",
        source="""
quietly('''
import json
for start in range(0, 10**7, 5000):
    outputs = [{'id': number, 'tick': 0, 'stream': 'stdout', 'text': ''} for number in range(start, start + 5000)]
    content = json.dumps({'outputs': outputs}).encode()
    payload = len(content).to_bytes(4, 'big') + bytes(17) + content
    piece = b'SBX1' + bytes([1]) + len(payload).to_bytes(4, 'big') + payload
    while piece: piece = piece[os.write(4, piece):]
''')
""",
        ends="interfered|trace_too_large",
        limits={"cpu_seconds": 30},
        long=True,
    ),
    told("another magic", HEADER.pack(b"SBX2", TRACE, 0)),
    told("ready again", frame(READY, b"")),
    told("an unknown kind", frame(77, b"{}")),
    forged("a crash of its own making", b'{"ended": {"kind": "crashed", "signal": 999, "name": "<img>"}}', end="finished"),
    forged("no JSON", b"\xff\xfe"),
    forged("not a chunk", b"[]"),
    forged("a field that is not ours", b'{"evil": 1}'),
    forged("a second header", b'{"header": null, "steps": [{"id": 7, "kind": "statement", "began": 0}]}'),
    forged("a wrong type", b'{"steps": 1}'),
    forged("an endless number", b'{"steps": [{"id": ' + b"9" * 10_000 + b"}]}"),
    forged("not a number", b'{"steps": [{"id": NaN}]}'),
    forged("a lone surrogate", b'{"outputs": [{"id": 0, "tick": 0, "stream": "stdout", "text": "\\ud800"}]}'),
    forged("an infinite tick", b'{"steps": [{"id": 0, "kind": "statement", "began": 1e400}]}'),
    forged("the same field twice", b'{"steps": [], "steps": 7}'),
    told("bytes after the end", FINISHED + b"x" * 20, None, "os._exit(0)"),
    told("a frame after the end", FINISHED + chunk(b"{}"), None, "os._exit(0)"),
    told("two ends", FINISHED + FINISHED, None, "os._exit(0)"),
]
