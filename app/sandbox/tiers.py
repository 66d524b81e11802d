"""Tiers of isolation: the isolation of runs on this machine, and the minimum tier for an address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from app.sandbox.canary import Finding, ask
from app.sandbox.errors import LayerUnavailable, SandboxUnavailable, remedy
from app.sandbox.inside.layers import Layer
from app.sandbox.packages import packages_of
from app.sandbox.sandbox import Sandbox
from app.sandbox.sandbox_settings import SandboxSettings
from app.trace.records import Limits, Request


class Tier(StrEnum):
    """The tiers, best first. Below tier B the server does not start."""

    A = "A"
    """All layers: safe to serve the public."""
    A_MINUS = "A-"
    """No Landlock, as in Docker Desktop. Only one of the 107 tested attacks works: the attack that lists Stepgrad's files."""
    B = "B"
    """No namespaces, as in a plain container. Runs see that the container's files exist, but not their contents."""

    def is_enough_for(self, needed: "Tier") -> bool:
        """Whether this tier is `needed` or better."""
        return list(Tier).index(self) <= list(Tier).index(needed)


NEEDS: Final = {
    Tier.A: frozenset(Layer),
    Tier.A_MINUS: frozenset(Layer) - {Layer.LANDLOCK},
    Tier.B: frozenset(Layer) - {Layer.BUBBLEWRAP, Layer.NAMESPACES},
}

GOES_WITH: Final = {
    Layer.BUBBLEWRAP: frozenset(
        {Layer.BUBBLEWRAP, Layer.NAMESPACES}
    ),  # without bubblewrap, runs also cannot create user namespaces
    Layer.NAMESPACES: frozenset({Layer.NAMESPACES}),
    Layer.LANDLOCK: frozenset({Layer.LANDLOCK}),
}
"""For each layer that may be unavailable, the layers to omit at the next start."""

IMPORTING: Final = """import os
try:
    import NAME
except BaseException as error:
    os.writev(1, [f"{type(error).__name__}: {error}".encode(errors="replace")])
    raise
"""
"""A snippet that imports NAME.

The snippet writes an error by `writev`, which the recorder does not watch, so the server can read the error.
"""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The isolation of runs: the layers that the start installed and the canary proved."""

    tier: Tier | None
    layers: frozenset[Layer]
    reasons: Mapping[Layer, str]
    """Why a layer is not available, for layers that the start omitted."""
    open: tuple[str, ...] = ()
    """Questions of the canary without the answer "holds"."""

    @property
    def missing(self) -> list[Layer]:
        """The missing layers, outermost first."""
        return [layer for layer in Layer if layer not in self.layers]

    def is_enough_for(self, needed: Tier) -> bool:
        """Whether this tier is `needed` or better."""
        return self.tier is not None and self.tier.is_enough_for(needed)

    def shortfall(self, needed: Tier, address: str) -> str:
        """One sentence for an operator, with the layers that `address` requires but this machine lacks, and a remedy."""
        always = [layer for layer in self.missing if all(layer in needs for needs in NEEDS.values())]
        missing = [layer for layer in self.missing if self.tier is None or layer in NEEDS[needed]]
        reasons = "; ".join(dict.fromkeys(self.reasons[layer] for layer in missing if layer in self.reasons))
        remedies = dict.fromkeys(remedy(layer) for layer in always or missing)
        lacks = f"without {', '.join(missing)}" if missing else f"and the canary reached {', '.join(self.open)}"
        why = f" ({reasons})" if reasons else ""
        if not missing:
            return f"No snippet can be run safely here, {lacks}: check what changed on this machine."
        if self.tier is None:
            joined = "; and ".join(remedies) if always else ", or ".join(remedies)  # without `always`, one remedy gives a tier
            return f"No snippet can be run safely here, {lacks}{why}: {joined}."
        return (
            f"Runs are isolated at tier {self.tier} here, {lacks}{why}, but serving {address} needs tier {needed}: "
            f"{'; and '.join(remedies)}; or accept this tier with STEPGRAD_ACCEPT_TIER={self.tier}."
        )


def standing(layers: frozenset[Layer], reasons: Mapping[Layer, str], finding: Finding) -> Standing:
    """The isolation after a start with `layers` and the canary's `finding`.

    A layer counts if the start installed the layer and the canary proved it.
    """
    proved = layers & finding.layers
    tier = next((tier for tier, needs in NEEDS.items() if needs <= proved and not finding.open), None)
    return Standing(tier=tier, layers=proved, reasons=reasons, open=finding.open)


async def start(settings: SandboxSettings) -> tuple[Sandbox, dict[Layer, str]]:
    """Start a sandbox with all available layers; return the sandbox, and the reason for each unavailable layer.

    Raises SandboxUnavailable if the available layers do not suffice for any tier.
    """
    reasons: dict[Layer, str] = {}
    while True:
        sandbox = Sandbox(settings)
        try:
            await sandbox.start()
        except LayerUnavailable as error:
            await sandbox.close()
            if error.layer in settings.without:
                raise
            for layer in GOES_WITH.get(error.layer, frozenset({error.layer})) - settings.without:
                reasons[layer] = error.why
            settings = replace(settings, without=settings.without | reasons.keys())
            if not any(needs.isdisjoint(settings.without) for needs in NEEDS.values()):
                nothing = Standing(tier=None, layers=frozenset(Layer) - settings.without, reasons=reasons)
                raise SandboxUnavailable(nothing.shortfall(Tier.B, "")) from error
        except BaseException:
            await sandbox.close()
            raise
        else:
            return sandbox, reasons


async def examine(sandbox: Sandbox, reasons: Mapping[Layer, str], limits: Limits) -> Standing:
    """Run the canary in `sandbox`, and return the isolation. Raises SandboxUnavailable if no snippet can run."""
    return standing(frozenset(Layer) - sandbox.settings.without, reasons, await ask(sandbox, limits))


async def check_imports(sandbox: Sandbox, limits: Limits) -> None:
    """Import each listed package in a separate run, as a visitor would. Raises SandboxUnavailable if an import fails."""
    for name in packages_of(sandbox.settings.packages).extra:
        run = await sandbox.run(Request(source=IMPORTING.replace("NAME", name), limits=limits), for_visitor=False)
        if run.kind == "finished":
            continue
        why = run.output.decode(errors="replace")[:500] if run.kind == "raised" else run.kind.replace("_", " ")
        raise SandboxUnavailable(
            f"The Python package {name} in STEPGRAD_IMPORTS cannot be imported in a run ({why}): remove it from the list."
        )
