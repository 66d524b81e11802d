"""A run that ended, with its undecoded recording."""

from dataclasses import dataclass
from typing import NamedTuple

from app import __version__
from app.trace.ends import Crashed, Ended
from app.trace.records import FORMAT, Header, Request
from app.trace.stored import Outline


class Versions(NamedTuple):
    """The settings of a run, as its header has them."""

    python: str
    torch: str
    packages: dict[str, str]
    """Packages that snippets may import in addition to torch and the standard library, by import name."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a run used, by the clock of the server and the account of the kernel."""

    wall_seconds: float
    cpu_seconds: float
    peak_memory_bytes: int
    """Largest resident set, pages shared with the zygote included."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that ended. `decoded_run.trace_of` decodes it."""

    outline: Outline
    reported: str
    """The kind of the end that the run reported; empty if it reported none. It counts where the outline has no end."""
    payloads: bytes
    """Its payloads (`app.trace.heads`), joined."""
    output: bytes
    """Output that bypassed the tracer. It becomes the last text of the trace."""
    cost: Cost

    @property
    def ended(self) -> Ended | None:
        """The end that the server decided."""
        return self.outline.ended

    @property
    def kind(self) -> str:
        """The kind of its end, until the payloads are decoded: they may turn out to be forged."""
        return self.reported if self.ended is None else str(self.ended.__struct_config__.tag)


def outline(request: Request, versions: Versions, device: str, ended: Ended | None) -> Outline:
    """The parts of a recording that the server determines."""
    header = Header(
        format=FORMAT,
        stepgrad=__version__,
        python=versions.python,
        torch=versions.torch,
        packages=versions.packages,
        device=device,
        seed=request.seed,
        limits=request.limits,
        stand_in=request.stand_in,
        keep_saved=request.keep_saved,
    )
    return Outline(source=request.source, header=header, ended=ended)


def overruled(decided: Ended | None, found: Ended) -> Ended:
    """The end `found` that decoding gave, unless the server `decided` SIGSYS, which no forgery may hide."""
    return decided if isinstance(decided, Crashed) and decided.name == "SIGSYS" else found
