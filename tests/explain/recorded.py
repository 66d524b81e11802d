"""Real traces for the tests: snippets recorded in one warm process, each in a fork of its own, as the zygote does it."""

import json
import subprocess
import sys
from pathlib import Path

from app.trace.check import check
from app.trace.chunks import Folding, Trace
from app.trace.codec import decode_chunk, decode_trace, encode_request, encode_trace
from app.trace.ends import Interfered
from app.trace.records import FORMAT, Header, Limits, Request

HEADER = Header(format=FORMAT, stepgrad="0", python="3.11", torch="2.13", device="cpu", seed=0, limits=Limits())

RECORDER = """
import json, os, sys
from app.tracer.entry import preload, run
preload()
for request in json.load(sys.stdin):
    chunks = []
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        pipe = os.fdopen(writer, "wb", buffering=0)
        run(request.encode(), lambda chunk: pipe.write(chunk + b"\\n"))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        chunks = pipe.read().decode().splitlines()
    os.wait()
    print(json.dumps(["chunks", *chunks]), file=sys.__stdout__, flush=True)
"""


def record(sources: list[str]) -> list[Trace]:
    """One checked trace for each snippet."""
    requests = json.dumps([encode_request(Request(source=source)).decode() for source in sources])
    command = [sys.executable, "-W", "ignore", "-c", RECORDER]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, input=requests, capture_output=True, text=True, check=True, timeout=300, cwd=root)
    lines = [json.loads(line)[1:] for line in run.stdout.splitlines() if line.startswith('["chunks"')]
    assert len(lines) == len(sources), run.stderr
    return [fold(source, chunks) for source, chunks in zip(sources, lines, strict=True)]


def fold(source: str, chunks: list[str]) -> Trace:
    folding = Folding(source)
    for chunk in chunks:
        folding.add(decode_chunk(chunk.encode()))
    trace = folding.trace(Interfered(reason="The run said nothing about its end."), HEADER)
    check(trace)
    return decode_trace(encode_trace(trace))
