"""The canary, a snippet that attacks its own sandbox in an ordinary run. The results prove the layers of the sandbox."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from app.sandbox.errors import SandboxDied
from app.sandbox.inside.layers import Layer
from app.sandbox.inside.seal import GPU_OPEN_FILES, OPEN_FILES
from app.sandbox.jail import environment_of
from app.sandbox.run import Run
from app.sandbox.sandbox import Sandbox
from app.sandbox.sandbox_settings import SandboxSettings
from app.trace.ends import Crashed
from app.trace.records import Limits, Request

SNIPPET: Final = Path(__file__).with_name("canary.py.txt").read_text("utf-8")

QUESTIONS: Final = (
    "sockets",
    "programs",
    "processes",
    "signals",
    "shared memory",
    "files to write",
    "files to read",
    "other processes",
    "descriptors",
    "environment",
    "users",
    "capabilities",
    "limits",
    "raised limits",
    "outer sandbox",
    "alone",
    "own tmp",
    "closed paths",
)
"""The questions that the canary answers, in the order of its answers. "namespaces" comes last, because the attempt kills the
run."""

PROOFS: Final = {
    Layer.BUBBLEWRAP: {"outer sandbox"},
    Layer.NAMESPACES: {"alone", "own tmp"},
    Layer.LIMITS: {"limits", "raised limits"},
    Layer.PRIVILEGES: {"users", "capabilities"},
    Layer.LANDLOCK: {"closed paths"},
    Layer.SECCOMP: {"sockets", "programs", "processes", "shared memory", "namespaces"},
}
"""The questions whose answer "holds" proves a layer, because no other layer causes this answer."""

WHATEVER_HOLDS: Final = frozenset((*QUESTIONS, "namespaces")) - {"outer sandbox", "alone", "own tmp", "closed paths"}
"""The questions that must have the answer "holds" in every tier, regardless of the layer."""

PATIENCE_SECONDS: Final = 30.0
"""Wall-clock limit of the canary. The limit is high, because a late answer on a busy machine is also valid."""

TRIES: Final = 3
"""Maximum number of runs of the canary until one gives a valid result. Without a valid result, no layer counts as proved."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of a canary."""

    layers: frozenset[Layer]
    """The proved layers."""
    open: tuple[str, ...]
    """The questions that must have the answer "holds" in every tier, but have another answer."""


NOTHING: Final = Finding(layers=frozenset(), open=(*QUESTIONS, "namespaces"))


async def ask(sandbox: Sandbox, limits: Limits) -> Finding:
    """Run the canary in `sandbox` with `limits`. Raises SandboxUnavailable if no snippet can run."""
    request = Request(
        source=_source(limits, sandbox.settings), limits=msgspec.structs.replace(limits, wall_seconds=PATIENCE_SECONDS)
    )
    for _ in range(TRIES):
        try:
            run = await sandbox.run(request, for_visitor=False)
        except SandboxDied:
            continue
        finding = judge(run)
        if finding is not NOTHING:
            return finding
    return NOTHING


def judge(run: Run) -> Finding:
    """The sandbox layers that, according to the canary's answers, are active.

    The answers are untrusted, so an unexpected answer proves no layer.
    """
    lines = run.output.decode(errors="replace").split("\n")
    answers = dict(line.rpartition(" ")[::2] for line in lines[: len(QUESTIONS)])
    rest = lines[len(QUESTIONS) :]
    ended = run.ended
    if isinstance(ended, Crashed) and ended.name == "SIGSYS" and rest == ["namespaces tried", ""]:
        answers["namespaces"] = "holds"  # the kernel reports SIGSYS, which only seccomp causes
    elif run.kind == "finished" and rest in (["namespaces tried", f"namespaces {word}", ""] for word in ("holds", "open")):
        answers["namespaces"] = rest[1].rpartition(" ")[2]
    if tuple(answers) != (*QUESTIONS, "namespaces") or not set(answers.values()) <= {"holds", "open"}:
        return NOTHING
    held = {question for question, answer in answers.items() if answer == "holds"}
    return Finding(
        layers=frozenset(layer for layer, proofs in PROOFS.items() if proofs <= held),
        open=tuple(question for question in answers if question in WHATEVER_HOLDS - held),
    )


def _source(limits: Limits, settings: SandboxSettings) -> str:
    highest = {
        # The limit includes the address space of torch, which is unknown here, so the canary only checks that a limit exists.
        "RLIMIT_DATA" if settings.gpus else "RLIMIT_AS": 1 << 40,
        "RLIMIT_NPROC": limits.threads,
        "RLIMIT_FSIZE": limits.tmp_bytes,
        "RLIMIT_NOFILE": GPU_OPEN_FILES if settings.gpus else OPEN_FILES,
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": limits.cpu_seconds,
    }
    names = sorted(
        {*environment_of(settings), "PWD", "TORCHINDUCTOR_CACHE_DIR"}
    )  # bubblewrap sets PWD; torch sets the other variable
    return f"ENVIRONMENT = {names!r}\nTMP_BYTES = {limits.tmp_bytes}\nLIMITS = {highest!r}\n{SNIPPET}"
