"""A worker's response to one run: untrusted bytes, with the same limits as the output of a child process."""

from collections.abc import Callable
from typing import Final

from app.engine.progress import Counting, Progress
from app.fleet.messages import (
    ANNOUNCED_BYTES,
    ANNOUNCEMENT,
    BEGAN,
    CHUNK,
    END,
    ENDED,
    FAILED,
    OUTPUT,
    OUTPUT_BYTES,
    PLAIN,
    Announcement,
    End,
    NotBelieved,
    read,
)
from app.sandbox import Cost, Run
from app.sandbox.ending import is_possible
from app.sandbox.payloads import Payloads, RecordingFull
from app.sandbox.run import Versions, outline
from app.sandbox.tiers import Tier
from app.trace.ends import Ended, Interfered, OutputTooLarge, TraceTooLarge, WorkerStopped
from app.trace.heads import HeadError
from app.trace.records import Request

MOST_BEGINNINGS: Final = 2
"""Maximum number of beginnings of a run: a run begins again if its zygote dies, as on one machine."""

LATE_SECONDS: Final = 60.0
"""Maximum seconds between the wall-clock limit of a run and its end, on a busy machine."""

NOTHING: Final = Cost(wall_seconds=0.0, cpu_seconds=0.0, peak_memory_bytes=0)


class WorkerFailed(Exception):
    """The worker could not execute the run. The text comes from the worker. The text is clipped and only for the log."""


class Answer:
    """The response to one request, built frame by frame. Raises NotBelieved and WorkerFailed."""

    def __init__(self, request: Request, needed: Tier, on_progress: Callable[[Progress], None]) -> None:
        self._request = request
        self._needed = needed
        self._on_progress = on_progress
        self._beginnings = 0
        self._end: End | None = None
        self.worker: Announcement | None = None
        """The worker that executes the run; None before the run has begun."""
        self.stopped: Ended | None = None
        """The end that the web gave the run; None while the web reads the response."""

    @property
    def is_over(self) -> bool:
        """Whether the web waits for no more frames."""
        return self._end is not None or self.stopped is not None

    def take(self, kind: int, payload: bytes) -> None:
        """Process the next frame of the response. Frames after the end of the run are ignored."""
        if self.is_over:
            return
        if kind == FAILED:
            raise WorkerFailed(payload[:PLAIN].decode(errors="replace"))
        if kind == BEGAN and self._beginnings < MOST_BEGINNINGS:
            self._beginnings += 1
            self._begin(read(ANNOUNCEMENT, payload, ANNOUNCED_BYTES))
            self._on_progress(Progress())
        elif self._beginnings and kind == CHUNK:
            self._add(payload)
        elif self._beginnings and kind == OUTPUT:
            self._print(payload)
        elif self._beginnings and kind == ENDED:
            self._end = self._believed(read(END, payload, ANNOUNCED_BYTES))
        else:
            raise NotBelieved(f"frame of kind {kind} after {self._beginnings} beginnings")

    def _believed(self, end: End) -> End:
        if end.ended is None:
            if not self._payloads.head.end:
                raise NotBelieved("the worker refers to the end that the run reported, but the run reported none")
        elif not is_possible(end.ended, self._request.limits):
            raise NotBelieved(f"the end {end.ended.__struct_config__.tag} is not possible with these limits")
        if end.wall_seconds > self._request.limits.wall_seconds + LATE_SECONDS:
            raise NotBelieved(f"a run of {end.wall_seconds} s")
        return end

    def _begin(self, worker: Announcement) -> None:
        if not worker.tier.is_enough_for(self._needed):
            raise NotBelieved(
                f"the worker {worker.worker} isolates runs at tier {worker.tier}, but tier {self._needed} is required"
            )
        self.worker = worker
        self._payloads = Payloads(self._request.limits)
        self._counting = Counting(self._on_progress)
        self._output = bytearray()
        self._prints = 0

    def _print(self, text: bytes) -> None:
        self._prints += 1
        if not text or self._prints > 1 + self._request.limits.output_bytes // OUTPUT_BYTES:
            raise NotBelieved(f"output in {self._prints} frames; the last frame has {len(text)} bytes")
        left = self._request.limits.output_bytes - len(self._output)
        self._output += text[:left]
        if len(text) > left:
            self.stopped = OutputTooLarge(limit_bytes=self._request.limits.output_bytes)

    def _add(self, payload: bytes) -> None:
        try:
            self._counting.add(self._payloads.add(payload))
        except RecordingFull:
            self.stopped = TraceTooLarge(limit_bytes=self._request.limits.trace_bytes)
        except HeadError as error:
            self.stopped = Interfered(reason=f"The worker sent an unreadable recording ({error}).")

    def run(self) -> Run:
        """The run, as far as the response describes it. Its end is WorkerStopped if the response stopped early."""
        assert self.worker is not None
        ended = self._end.ended if self._end is not None else self.stopped or WorkerStopped()
        packages = {name: version for name, version in self.worker.packages.items() if name != "torch"}
        versions = Versions(python=self.worker.python, torch=self.worker.torch, packages=packages)
        return Run(
            outline=outline(self._request, versions, self.worker.device, ended),
            reported=self._payloads.head.end,
            payloads=bytes(self._payloads.recorded),
            output=bytes(self._output),
            cost=NOTHING if self._end is None else self._end.cost(),
        )
