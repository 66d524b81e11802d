"""The pipe on which the recording leaves: what a snippet can tell the server in the recorder's name."""

from app.sandbox.inside.protocol import HEADER, MAGIC, MAX_FRAME, READY, SETUP_FAILED, TRACE, frame
from tests.sandbox.attacks.attack import Attack

FINISHED = frame(TRACE, b'{"ended": {"kind": "finished"}}')
HALF = HEADER.pack(MAGIC, TRACE, 1000) + b"{"


def told(name: str, piece: bytes, number: int | None = None, after: str = "libc.pause()", ends: str = "interfered") -> Attack:
    """`piece` on the pipe, past the recorder."""
    return Attack(number=number, name=name, source=f"os.write(4, {piece!r})\n{after}", ends=ends)


ATTACKS = [
    Attack(number=78, name="the pipe closed", source="os.close(4)\nprint(1)\nprint(2)", ends="interfered"),
    told("garbage", b"hello, this is not a frame at all", 79),
    Attack(
        number=80,
        name="a forged result is one's own",
        source=f"os.write(4, {FINISHED!r}), os._exit(0)",
        ends="finished",
    ),
    Attack(  # one statement: at the next one, what the recorder sends would arrive after the end
        name="an end that hides another",
        source=f"os.write(4, {FINISHED!r}), refusal(kernel, 'ptrace', 0, 0, 0, 0), os._exit(0)",
        ends="crashed SIGSYS",
    ),
    told("a failed setup", frame(SETUP_FAILED, b"no namespaces"), 81, "os._exit(97)"),
    told("depth", frame(TRACE, b"[" * 100_000), 82),
    told("depth in a foreign field", frame(TRACE, b'{"evil": ' + b"[" * 100_000)),
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
        source=f"forever(os.write, 4, {frame(TRACE, b'{}')!r} * 1000)",
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
    payload = json.dumps({'outputs': outputs}).encode()
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
    told("a crash of its own making", frame(TRACE, b'{"ended": {"kind": "crashed", "signal": 999, "name": "<img>"}}')),
    told("no JSON", frame(TRACE, b"\xff\xfe")),
    told("not a chunk", frame(TRACE, b"[]")),
    told("a field that is not ours", frame(TRACE, b'{"evil": 1}')),
    told("a second header", frame(TRACE, b'{"header": null, "steps": [{"id": 7, "kind": "statement", "began": 0}]}')),
    told("a wrong type", frame(TRACE, b'{"steps": 1}')),
    told("an endless number", frame(TRACE, b'{"steps": [{"id": ' + b"9" * 10_000 + b"}]}")),
    told("not a number", frame(TRACE, b'{"steps": [{"id": NaN}]}')),
    told("a lone surrogate", frame(TRACE, b'{"outputs": [{"id": 0, "tick": 0, "stream": "stdout", "text": "\\ud800"}]}')),
    told("an infinite tick", frame(TRACE, b'{"steps": [{"id": 0, "kind": "statement", "began": 1e400}]}')),
    told("the same field twice", frame(TRACE, b'{"steps": [], "steps": 7}')),
    told("bytes after the end", FINISHED + b"x" * 20, None, "os._exit(0)"),
    told("a frame after the end", FINISHED + frame(TRACE, b"{}"), None, "os._exit(0)"),
    told("two ends", FINISHED + FINISHED, None, "os._exit(0)"),
]
