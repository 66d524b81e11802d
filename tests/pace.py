"""Measure how fast this machine is. Tests derive time limits from this measurement."""

import json
import time

_TEXT = json.dumps([{"id": number, "value": [[1, 0.5]]} for number in range(12_000)])


def reading_seconds() -> float:
    """Return the processor time in seconds for decoding 420 KB of JSON, the minimum of five measurements."""
    return min(_read() for _ in range(5))


def _read() -> float:
    began = time.thread_time()
    json.loads(_TEXT)
    return time.thread_time() - began
