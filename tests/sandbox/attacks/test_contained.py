"""Run every attack against the real sandbox in all its configurations. No attack may do harm."""

from collections.abc import Iterator
from typing import Final

import pytest

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.arena import Arenas, Configuration
from tests.sandbox.attacks.attack import everything

ATTACKS: Final = everything()

CONFIGURATIONS: Final = {
    "full": Configuration(),
    "clone": Configuration(method="clone"),
    "double": Configuration(method="double"),
    "bound proc": Configuration(bound_proc=True),
    "floor": Configuration(without=frozenset({Layer.BUBBLEWRAP, Layer.NAMESPACES})),
}
"""`floor` is the weakest supported sandbox: a container that does not allow user namespaces."""

STARTED: Final = ("ends", "others", "processes", "signals")
QUICK: Final = {
    "clone": (),
    "double": STARTED,
    "bound proc": ("files", "others"),
    "floor": ("files", "memory", "network", "recorder", *STARTED),
}
"""The families with attacks that may end differently in this configuration. `make test-long` runs all families."""

SWEPT: Final = ("full", "floor")
"""The configurations for the attacks that try every system call number."""


def cases() -> Iterator[object]:
    """Yield every attack with every configuration."""
    for what, configuration in CONFIGURATIONS.items():
        for name, attack in ATTACKS.items():
            if name.startswith("sweep/") and what not in SWEPT:
                continue
            late = attack.long or (what != "full" and (attack.slow or name.partition("/")[0] not in QUICK[what]))
            marks = [pytest.mark.long] if late else []
            if what == "floor" and attack.open_on_floor:
                marks.append(pytest.mark.xfail(reason=attack.open_on_floor))
            yield pytest.param(configuration, name, id=f"{what}: {name}", marks=marks)


@pytest.mark.sweep
@pytest.mark.parametrize(("configuration", "name"), list(cases()))
def test_attack(arenas: Arenas, configuration: Configuration, name: str) -> None:
    verdict = arenas.attack(configuration, name)
    assert verdict.contained, verdict
    if configuration.without:  # another layer stops the attack first
        return
    assert verdict.is_as_said(ATTACKS[name]), verdict


def test_the_whole_table_is_here() -> None:
    numbers = sorted(attack.number for attack in ATTACKS.values() if attack.number is not None)
    assert numbers == list(range(1, 108))
