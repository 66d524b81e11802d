"""Define an attack on the sandbox: a snippet, the required result, and the layers that must stop the attack."""

import importlib
import pkgutil
import re
from dataclasses import dataclass, field
from typing import Any, Final

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks import families

BREACH: Final = "BREACH"
"""A successful attack prints this."""

NONE: Final[frozenset[Layer]] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Attack:
    """An attack on the sandbox.

    `number` is its row in the table of threats from which the sandbox was designed; None if it was added later.
    """

    name: str
    number: int | None = None
    source: str
    """The attack's code. It can use the functions of within/tries.py and the constants of canary.py: FILE, PORT, ABSTRACT,
    VICTIM, ZYGOTE, SERVER.
    """
    ends: str = "finished"
    """A regular expression for the required `Verdict.end` with all layers."""
    says: str = ""
    """A regular expression for the required output with all layers.

    It describes the error of the layer that must stop the attack first.
    """
    held_by: frozenset[Layer] = NONE
    """Layers that can each stop the attack alone. Without all of them, the attack succeeds.

    Empty if the kernel, the server or Python stops the attack.
    """
    limits: dict[str, Any] = field(default_factory=dict)
    """Limits of the run. Short timeouts make the tests faster."""
    beside: str = ""
    """Code of a run at the same time. It must finish normally."""
    then: str = ""
    """Code of a run after the attack. It must find no trace of the attack."""
    open_on_floor: str = ""
    """Why the attack succeeds in a sandbox without namespaces. Empty if it does not."""
    torch: bool = False
    """Whether the attack needs the real tracer."""
    slow: bool = False
    """Whether the attack takes until a timeout. `make test` runs such attacks only once."""
    long: bool = False
    """Whether only `make test-long` runs the attack."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of an attack."""

    end: str
    """How the run ended, for example "finished", "raised MemoryError", "timed_out cpu", "crashed SIGSYS" or "exited 42"."""
    said: str
    """The output of the attack and of the run after it."""
    harm: list[str]
    """The canary's targets that the attack touched, and changes of the sandbox's processes."""
    stall_seconds: float
    """The longest time during which the server did not respond."""

    @property
    def contained(self) -> bool:
        """Whether the attack did no harm."""
        return not self.harm and BREACH not in self.said

    def is_as_said(self, attack: Attack) -> bool:
        """Whether the end and the output are the required ones."""
        return bool(re.fullmatch(attack.ends, self.end) and re.search(attack.says, self.said, re.DOTALL))


def everything() -> dict[str, Attack]:
    """Return all attacks of all families, by "family/name"."""
    found: dict[str, Attack] = {}
    for module in pkgutil.iter_modules(families.__path__):
        family = importlib.import_module(f"{families.__name__}.{module.name}")
        for attack in family.ATTACKS:
            found[f"{module.name}/{attack.name}"] = attack
    return found
