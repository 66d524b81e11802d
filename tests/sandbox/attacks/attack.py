"""The definition of an attack: a snippet, its required result, and the sandbox layers that stop it."""

import importlib
import pkgutil
import re
from dataclasses import dataclass, field
from typing import Any, Final

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks import families

BREACH: Final = "BREACH"
"""Printed by an attack that succeeded."""

NONE: Final[frozenset[Layer]] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Attack:
    """An attack. `number` is the attack's row in the table from which the sandbox was designed; None if the attack was found
    later."""

    name: str
    number: int | None = None
    source: str
    """The code of the attack. It can use everything in within/tries.py, and FILE, PORT, ABSTRACT, VICTIM, ZYGOTE, SERVER
    (canary.py).
    """
    ends: str = "finished"
    """The required end with all layers: a regular expression for `Verdict.end`."""
    says: str = ""
    """A regular expression for the output with all layers. It states how the attack is refused, so that the right layer answers
    first.
    """
    held_by: frozenset[Layer] = NONE
    """Layers each of which stops the attack alone; without all of them it succeeds. Empty if the kernel, the server or Python
    stops it.
    """
    limits: dict[str, Any] = field(default_factory=dict)
    """Limits that differ from a visitor's, so that clocks run out sooner."""
    beside: str = ""
    """The code of a concurrent run, which must finish."""
    then: str = ""
    """The code of a run after the attack, which must find no trace of the attack."""
    open_on_floor: str = ""
    """The reason why the attack succeeds without namespaces."""
    torch: bool = False
    """Whether the attack needs the real tracer."""
    slow: bool = False
    """Whether a clock has to run out; `make test` runs such attacks only once."""
    long: bool = False
    """Whether only `make test-long` runs the attack."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of an attack."""

    end: str
    """Such as "finished", "raised MemoryError", "timed_out cpu", "crashed SIGSYS", "exited 42"."""
    said: str
    """The output of the attack and of the run after it."""
    harm: list[str]
    """Targets on the host that were touched, and changes of the sandbox."""
    stall_seconds: float
    """The longest time in which the server did not respond."""

    @property
    def contained(self) -> bool:
        """Whether the attack achieved nothing."""
        return not self.harm and BREACH not in self.said

    def is_as_said(self, attack: Attack) -> bool:
        """Whether the attack ended and was refused exactly as required."""
        return bool(re.fullmatch(attack.ends, self.end) and re.search(attack.says, self.said, re.DOTALL))


def everything() -> dict[str, Attack]:
    """Return every attack of every family, by "family/name"."""
    found: dict[str, Attack] = {}
    for module in pkgutil.iter_modules(families.__path__):
        family = importlib.import_module(f"{families.__name__}.{module.name}")
        for attack in family.ATTACKS:
            found[f"{module.name}/{attack.name}"] = attack
    return found
