"""The messages of workers about themselves and their runs. The web checks the types and sizes of these untrusted messages."""

from typing import Annotated, Final, Literal, TypeVar

import msgspec

from app.sandbox import Cost, Layer
from app.sandbox.tiers import Tier
from app.trace.ends import Ended
from app.trace.records import FORMAT

BEGAN, CHUNK, OUTPUT, ENDED, FAILED = range(5)
"""The kinds of frames in the response to a run.

BEGAN: an Announcement, when the run begins, and again after the death of its zygote. CHUNK: an unchanged payload of the
recording. OUTPUT: output that bypassed the tracer. ENDED: an End. FAILED: the reason why the worker could not execute the run.
"""

PROTOCOL: Final = 3
"""The version of the protocol between webs and workers. `README.md` lists the reasons to increment this version."""

RELEASE: Final = f"{PROTOCOL}.{FORMAT}"
"""The first part of each path, so that a worker responds with 404 to a web of another protocol or format."""

WORKERS: Final = "Stepgrad-Workers"
"""The header in which a proxy sends the number of available workers."""
TIER: Final = "Stepgrad-Tier"
"""The header in which a web sends the required tier."""
RUN: Final = "Stepgrad-Run"
"""The header in which a web sends the name that a run has in logs."""

OUTPUT_BYTES: Final = 256 << 10
"""Maximum bytes in one frame of output."""

ANNOUNCED_BYTES: Final = 64 << 10
"""Maximum bytes of an announcement, and of an end."""

MOST_PACKAGES: Final = 200
"""Maximum number of packages of one worker, and of all workers together."""

MOST_PLACES: Final = 256
"""Maximum number of slots of one worker."""

PLAIN: Final = 1000
"""Maximum characters of a sentence for operators."""

Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]

Version = Annotated[str, msgspec.Meta(pattern=r"\A[0-9A-Za-z.+_-]{1,64}\Z")]
"""A version, or the name of a package. The page shows these texts."""


Device = Literal["cpu", "cuda:0"]
"""A torch device."""


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's state. The decoder ignores fields of later releases."""

    worker: Version
    """The worker's name in logs: host name and process id."""
    stepgrad: Version
    python: Version
    torch: Version
    packages: Annotated[dict[Version, Version], msgspec.Meta(max_length=MOST_PACKAGES)]
    """Packages that runs may import in addition to the standard library, torch included."""
    device: Device
    """The torch device that runs on this worker can use: `cpu` or `cuda:0`."""
    places: Annotated[int, msgspec.Meta(ge=1, le=MOST_PLACES)]
    """Number of slots."""
    tier: Tier
    layers: Annotated[list[Layer], msgspec.Meta(max_length=len(Layer))]
    canary_age_seconds: Seconds


class End(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a run and its costs. The decoder ignores fields of later releases."""

    ended: Ended | None
    """The end that the worker determined; None if the end that the run itself reported is valid."""
    wall_seconds: Seconds
    cpu_seconds: Seconds
    peak_memory_bytes: Annotated[int, msgspec.Meta(ge=0, le=2**53)]

    def cost(self) -> Cost:
        """The cost of the run, as the `Cost` of the sandbox."""
        return Cost(wall_seconds=self.wall_seconds, cpu_seconds=self.cpu_seconds, peak_memory_bytes=self.peak_memory_bytes)


ANNOUNCEMENT: Final = msgspec.json.Decoder(Announcement)
END: Final = msgspec.json.Decoder(End)

T = TypeVar("T")


class NotBelieved(Exception):
    """A worker sent an invalid response. The text of the error is only for the log."""


def read(decoder: msgspec.json.Decoder[T], payload: bytes, most_bytes: int) -> T:
    """Decode `payload`. Raises NotBelieved for invalid bytes."""
    if len(payload) > most_bytes:
        raise NotBelieved(f"{len(payload)} bytes; the limit is {most_bytes}")
    try:
        return decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotBelieved(str(error)[:PLAIN]) from error
