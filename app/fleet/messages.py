"""What workers tell: of themselves, and of a run. Read as a stranger's bytes, with strict types and bounds."""

from typing import Annotated, Final, TypeVar

import msgspec

from app.sandbox import Cost, Layer
from app.sandbox.tiers import Tier
from app.trace.ends import Ended

BEGAN, CHUNK, OUTPUT, ENDED, FAILED = b"began", b"chunk", b"output", b"ended", b"failed"
"""The kinds of a run's words. It begins (again, where a zygote died under it); a chunk of its recording, as it was written; what
went around the tracer; how it ended; that it could not be run."""

PROTOCOL: Final = 1
"""Of what web and workers say to each other. Those of two protocols refuse each other; `README.md` says when it goes up."""

OUTPUT_BYTES: Final = 256 << 10
"""Of one word of output."""

MOST_PLACES: Final = 256
"""Of one worker: what it says beyond that is not believed."""

PLAIN: Final = 1000
"""Characters of a sentence for operators."""

Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]

Version = Annotated[str, msgspec.Meta(pattern=r"\A[0-9A-Za-z.+_-]{1,64}\Z")]
"""Of a program or a package, or the name of a package: the page shows it."""


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """What every release tells of itself, in whatever protocol it goes on."""

    stepgrad: Version
    protocol: int
    format: int
    """Of its recordings."""


class Announcement(Release, frozen=True, kw_only=True):
    """What a worker tells of itself every half second. What a later release tells besides is not read."""

    python: Version
    torch: Version
    packages: Annotated[dict[Version, Version], msgspec.Meta(max_length=200)]
    """What runs may import besides the standard library, torch included."""
    tier: Tier | None
    layers: Annotated[list[Layer], msgspec.Meta(max_length=len(Layer))]
    canary_age_seconds: Seconds
    zygotes: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    """How many it has started."""
    refusal: Annotated[str, msgspec.Meta(max_length=PLAIN)] = ""
    """Why it takes no runs, for operators."""


class End(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended, and what it cost. What a later release tells besides is not read."""

    ended: Ended
    wall_seconds: Seconds
    cpu_seconds: Seconds
    peak_memory_bytes: Annotated[int, msgspec.Meta(ge=0, le=2**53)]

    def cost(self) -> Cost:
        """What the sandbox says of a run."""
        return Cost(wall_seconds=self.wall_seconds, cpu_seconds=self.cpu_seconds, peak_memory_bytes=self.peak_memory_bytes)


RELEASE: Final = msgspec.json.Decoder(Release)
ANNOUNCEMENT: Final = msgspec.json.Decoder(Announcement)
END: Final = msgspec.json.Decoder(End)

T = TypeVar("T")


class NotBelieved(Exception):
    """A worker said what none of ours says. The text is for the log."""


def read(decoder: msgspec.json.Decoder[T], payload: bytes, most_bytes: int) -> T:
    """What `payload` says. Raises NotBelieved, and nothing else, whatever the bytes are."""
    if len(payload) > most_bytes:
        raise NotBelieved(f"{len(payload)} bytes, where at most {most_bytes} are read")
    try:
        return decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotBelieved(str(error)[:PLAIN]) from error
