"""What an attack is: a snippet, what must come of it, and which layers of the sandbox hold it."""

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
    """One attack. `number` is its row in the table that the sandbox was designed by; None: found later."""

    name: str
    number: int | None = None
    source: str
    """Executed with everything of within/tries.py in reach, and FILE, PORT, ABSTRACT, VICTIM, ZYGOTE, SERVER (canary.py)."""
    ends: str = "finished"
    """The required result with all layers: an expression for its end as in `Verdict.end`."""
    says: str = ""
    """An expression for its output there: how it was refused, so that the right layer answers first."""
    held_by: frozenset[Layer] = NONE
    """Each of these holds it without the others, and nothing else does. Empty: the kernel, the server or Python holds it, too."""
    limits: dict[str, Any] = field(default_factory=dict)
    """Other limits than a visitor's, so that clocks run out soon."""
    beside: str = ""
    """Another run at the same time, which must finish."""
    then: str = ""
    """A run after it, which may find nothing of it."""
    open_on_floor: str = ""
    """Why it is not held where there are no namespaces."""
    torch: bool = False
    """Whether it needs the real tracer."""
    slow: bool = False
    """Whether a clock has to run out: once is enough in `make test`."""
    long: bool = False
    """Whether it is left to `make test-long` everywhere."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of an attack."""

    end: str
    """Like "finished", "raised MemoryError", "timed_out cpu", "crashed SIGSYS", "exited 42"."""
    said: str
    """Its output, and that of the run after it."""
    harm: list[str]
    """What of the host was touched, and what of the sandbox is not as it was."""
    stall_seconds: float
    """The longest time in which the server did not answer."""

    @property
    def contained(self) -> bool:
        """Whether it got nothing."""
        return not self.harm and BREACH not in self.said

    def is_as_said(self, attack: Attack) -> bool:
        """Whether it ended and was refused exactly as the attack requires."""
        return bool(re.fullmatch(attack.ends, self.end) and re.search(attack.says, self.said, re.DOTALL))


def everything() -> dict[str, Attack]:
    """Every attack of every family, by "family/name"."""
    found: dict[str, Attack] = {}
    for module in pkgutil.iter_modules(families.__path__):
        family = importlib.import_module(f"{families.__name__}.{module.name}")
        for attack in family.ATTACKS:
            found[f"{module.name}/{attack.name}"] = attack
    return found
