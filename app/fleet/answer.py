"""What a worker says of one run: untrusted bytes, bounded, decoded and checked as those of a child of this machine are."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from app.engine.progress import Counting, Progress
from app.fleet.messages import BEGAN, CHUNK, END, ENDED, FAILED, OUTPUT, PLAIN, Announcement, End, NotBelieved, read
from app.sandbox import Cost, Run
from app.sandbox.ending import is_possible
from app.sandbox.recording import Recording, RecordingFull, Versions
from app.sandbox.run_handle import LARGE_BYTES
from app.trace.chunks import FoldError
from app.trace.codec import MAX_CHUNK_BYTES, TraceDecodeError
from app.trace.ends import Ended, Interfered, OutputTooLarge, TraceTooLarge, WorkerStopped
from app.trace.records import Request

MOST_BEGINNINGS: Final = 2
"""A zygote that died under a run gives it a second chance, as on one machine."""

NOTHING: Final = Cost(wall_seconds=0.0, cpu_seconds=0.0, peak_memory_bytes=0)


class WorkerFailed(Exception):
    """The worker says that it could not run this. The text is its own: for the log, and clipped."""


class Answer:
    """The answer to one request, grown word by word. Raises NotBelieved and WorkerFailed."""

    def __init__(self, request: Request, told: Announcement, on_progress: Callable[[Progress], None]) -> None:
        self._request = request
        self._versions = Versions(
            python=told.python,
            torch=told.torch,
            packages={name: text for name, text in told.packages.items() if name != "torch"},
        )
        self._on_progress = on_progress
        self._beginnings = 0
        self._begin()
        self._end: End | None = None
        self.stopped: Ended | None = None
        """Why its run is to be stopped, and nothing more of it is taken."""

    @property
    def has_ended(self) -> bool:
        """Whether its worker has said how it ended, and has nothing more to do with it."""
        return self._end is not None

    @property
    def is_over(self) -> bool:
        """Whether there is no more to be waited for."""
        return self._end is not None or self.stopped is not None

    def take(self, kind: bytes, payload: bytes) -> None:
        """Take the next word. Whatever comes after the last is not looked at."""
        if self.is_over:
            return
        if kind == FAILED:
            raise WorkerFailed(payload[:PLAIN].decode(errors="replace"))
        if kind == BEGAN and self._beginnings < MOST_BEGINNINGS:
            self._beginnings += 1
            self._begin()
            self._on_progress(Progress())
        elif self._beginnings and kind == CHUNK:
            self._add(payload)
        elif self._beginnings and kind == OUTPUT:
            self._print(payload)
        elif self._beginnings and kind == ENDED:
            self._end = self._believed(read(END, payload, MAX_CHUNK_BYTES))
        else:
            raise NotBelieved(f"a run says {kind[:20]!r} after {self._beginnings} beginnings")

    def _believed(self, end: End) -> End:
        if not is_possible(end.ended, self._request.limits):
            raise NotBelieved(f"the end {end.ended.__struct_config__.tag} is no sandbox's to say, or not with these limits")
        return end

    def _begin(self) -> None:
        self._recording = Recording(self._request)
        self._counting = Counting(self._on_progress)
        self._output = bytearray()

    def _print(self, text: bytes) -> None:
        left = self._request.limits.output_bytes - len(self._output)
        self._output += text[:left]
        if len(text) > left:
            self.stopped = OutputTooLarge(limit_bytes=self._request.limits.output_bytes)

    def _add(self, payload: bytes) -> None:
        try:
            chunk = self._recording.add(payload)
        except RecordingFull:
            self.stopped = TraceTooLarge(limit_bytes=self._request.limits.trace_bytes)
        except (TraceDecodeError, FoldError) as error:
            self.stopped = Interfered(reason=f"The worker sent a recording that cannot be read ({error}).")
        else:
            self._counting.add(chunk)

    async def run(self) -> Run:
        """The run as far as it came: one whose worker fell silent ends as that."""
        if self._end is not None:
            ended, cost = self._end.ended, self._end.cost()
        else:
            ended, cost = self.stopped or WorkerStopped(), NOTHING
        output = bytes(self._output)
        finish = partial(self._recording.trace, ended, output, self._versions)
        is_large = self._recording.size > LARGE_BYTES
        trace = await asyncio.to_thread(finish) if is_large else finish()
        return Run(trace=trace, cost=cost, size=self._recording.size, output=output)
