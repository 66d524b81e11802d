"""An explainer: a separate process without torch that runs one task after another and sends each result in frames."""

import ast
import hashlib
import os
import signal
import sys
import traceback
import unicodedata  # noqa: F401 - the parser imports this module for a name outside ASCII, when the seal forbids files
import zlib
from collections.abc import Callable
from typing import Final

import msgspec

from app.explain import Document, Part, explain, explanations
from app.explain.corrected.gradients import corrected_gradients
from app.explain.tried.judge import Question, judge
from app.explainers import protocol
from app.explainers.explanation import Account, Explanation
from app.explainers.seal import seal
from app.questions import asked as asked_question
from app.questions.posed import posed
from app.questions.run_end import ending
from app.report.transcript import transcript
from app.sandbox.decoded_run import recorded
from app.sandbox.inside.protocol import frame
from app.trace.chunks import Trace
from app.trace.codec import decode_trace, encode_tables
from app.trace.decoding import TraceDecodeError
from app.trace.index import Index
from app.trace.pieces import pieces
from app.trace.stored import Outline, stored
from app.words import read_all

CPU_SECONDS: Final = 10
"""Limit of processor time of one task.

This limit is the last resort, because `app.explain` counts its work and stops at a limit.
"""

GROWN_BYTES: Final = 96 << 20
"""Memory above which a process ends after its task, because Python returns little memory to the system."""

MOST_EXPLAINED_BYTES: Final = 16 << 20
"""Maximum bytes of all findings about one recording. A finder that exceeds this limit counts as unfinished."""

PACKING_LEVEL: Final = 5


def main(parent: int) -> None:
    """Process tasks until the server closes the pipe."""
    ast.unparse(ast.Name("_"))  # PYTHON 3.14: the first call imports a module, which the seal forbids later
    read_all()
    memory = os.open("/proc/self/status", os.O_RDONLY)
    seal(parent)
    _send(protocol.READY)
    while task := _read(protocol.TASK.size):
        kind, count = protocol.TASK.unpack(task)
        inputs = [_read(*protocol.LENGTH.unpack(_read(protocol.LENGTH.size))) for _ in range(count)]
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # the default action of the timer's signal ends this process
        try:
            WORK[kind](*inputs)
            last, payload = protocol.DONE, b""
        except TraceDecodeError as error:
            last, payload = protocol.UNREADABLE, str(error).encode()
        except MemoryError:
            return
        except Exception as error:  # the report omits the message, which may contain parts of the snippet
            where = "".join(traceback.format_tb(error.__traceback__))[-4000:]
            last, payload = protocol.FAILED, f"{where}{type(error).__name__}".encode(errors="replace")
        signal.setitimer(signal.ITIMER_PROF, 0)
        has_grown = _peak_bytes(memory) > GROWN_BYTES
        if has_grown:  # sent before the last frame, so that the server sends this process no further task
            _send(protocol.LEAVING)
        _send(last, payload)
        if has_grown:
            return


def _peak_bytes(status: int) -> int:
    """The peak memory of this process.

    `ru_maxrss` would include the peak of the server, because a process inherits this value across exec (getrusage(2)).
    """
    return int(os.pread(status, 8192, 0).partition(b"VmHWM:")[2].split(None, 1)[0]) << 10


def _record(outline: bytes, output: bytes, payloads: bytes, _: bytes) -> None:
    _send_recording(msgspec.json.decode(outline, type=Outline), output, payloads)


def _record_and_explain(outline: bytes, output: bytes, payloads: bytes, explained: bytes) -> None:
    known = msgspec.json.decode(outline, type=Outline)
    trace, tables = _send_recording(known, output, payloads)
    if explained and hashlib.sha256(stored(known, tables, trace.ended)).hexdigest().encode() in explained.split():
        return
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    _send_parts(trace)


def _send_recording(outline: Outline, output: bytes, payloads: bytes) -> tuple[Trace, list[bytes]]:
    trace = recorded(outline, output, payloads)
    tables = list(encode_tables(trace))
    for part in tables:
        _send_some(part)
    _send(protocol.RECORDED, msgspec.json.encode(Account(ended=trace.ended, steps=len(trace.steps))))
    return trace, tables


def _explain(recording: bytes) -> None:
    _send_parts(decode_trace(recording))


def _send_parts(trace: Trace) -> None:
    left = MOST_EXPLAINED_BYTES
    for part in explanations(trace):
        encoded = msgspec.json.encode(part)
        if len(encoded) > min(left, protocol.MOST_FRAME):
            encoded = msgspec.json.encode(Part(is_finished=False))
        left -= len(encoded)
        _send(protocol.PART, encoded)


def _pack(recording: bytes) -> None:
    packing = zlib.compressobj(PACKING_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for piece in pieces(recording):
        _send_some(packing.compress(piece + b"\n"))
    _send_some(packing.flush())


def _compare(wrong: bytes, preserved: bytes, again: bytes) -> None:
    _send_some(msgspec.json.encode(corrected_gradients(decode_trace(wrong), decode_trace(preserved), decode_trace(again))))


def _judge(recording: bytes, fixed: bytes, again: bytes, question: bytes) -> None:
    asked = msgspec.json.decode(question, type=Question)
    original = Document(trace=decode_trace(recording), findings=asked.findings)
    once_more = decode_trace(again) if again else None
    verdict = judge(original, asked.findings[asked.finding], explain(decode_trace(fixed)), asked.corrected, once_more)
    _send_some(msgspec.json.encode(verdict))


def _ask(recording: bytes, question: bytes) -> None:
    asked = msgspec.json.decode(question, type=asked_question.Question)
    _send_some(msgspec.json.encode(posed(Index(decode_trace(recording)), asked)))


def _end(recording: bytes) -> None:
    _send_some(msgspec.json.encode(ending(Index(decode_trace(recording)))))


def _transcribe(recording: bytes, explanation: bytes, language: bytes) -> None:
    said = msgspec.json.decode(explanation, type=Explanation)
    document = Document(
        trace=decode_trace(recording), findings=said.findings, unfinished=said.unfinished, end_arguments=said.end_arguments
    )
    lines = transcript(document, language.decode(), most_characters=protocol.MOST_CHARACTERS)
    _send_some("\n".join(lines).encode(errors="backslashreplace"))


WORK: Final[dict[int, Callable[..., None]]] = {
    protocol.RECORD: _record,
    protocol.RECORD_AND_EXPLAIN: _record_and_explain,
    protocol.EXPLAIN: _explain,
    protocol.PACK: _pack,
    protocol.COMPARE: _compare,
    protocol.JUDGE: _judge,
    protocol.ASK: _ask,
    protocol.TRANSCRIBE: _transcribe,
    protocol.END: _end,
}


def _read(size: int) -> bytes:
    """Read `size` bytes from the server; empty if the server has closed the pipe."""
    return sys.stdin.buffer.read(size)


def _send_some(content: bytes) -> None:
    for start in range(0, len(content), protocol.SOME_BYTES):
        _send(protocol.SOME, content[start : start + protocol.SOME_BYTES])


def _send(kind: int, payload: bytes = b"") -> None:
    unsent = memoryview(frame(kind, payload))
    while unsent:
        unsent = unsent[os.write(1, unsent) :]
