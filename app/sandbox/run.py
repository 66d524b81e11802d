"""An ended run with its undecoded recording."""

from dataclasses import dataclass
from typing import NamedTuple

from app import __version__
from app.trace.ends import Crashed, Ended
from app.trace.records import FORMAT, Header, Request
from app.trace.stored import Outline


class Versions(NamedTuple):
    """The versions in the header of a run."""

    python: str
    torch: str
    packages: dict[str, str]
    """Packages that snippets may import in addition to torch and the standard library, by import name."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The resources that a run used, as measured by the server's clock and by the kernel."""

    wall_seconds: float
    cpu_seconds: float
    peak_memory_bytes: int
    """Maximum resident set, including pages shared with the zygote."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """An ended run. `decoded_run.trace_of` decodes the payloads."""

    outline: Outline
    reported: str
    """The kind of the end that the run reported; empty without such a report.

    The reported end counts only if the outline has no end.
    """
    payloads: bytes
    """The payloads (`app.trace.heads`), joined."""
    output: bytes
    """Output that bypassed the tracer. This output becomes the last output of the trace."""
    cost: Cost

    @property
    def ended(self) -> Ended | None:
        """The end that the server determined; None if the reported end counts."""
        return self.outline.ended

    @property
    def kind(self) -> str:
        """The preliminary kind of the end. The decoder may find that the payloads are forged."""
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
    """Return the end that counts: the end `found` by the decoder, unless the server `decided` that SIGSYS killed the run, which
    a forgery must not hide."""
    return decided if isinstance(decided, Crashed) and decided.name == "SIGSYS" else found
