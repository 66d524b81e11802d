"""Leave out layers of the sandbox to show that each works.

An attack that two layers can stop fails if either is present, and succeeds without both.
"""

from typing import Final

import pytest

from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.arena import Arenas, Configuration
from tests.sandbox.attacks.attack import everything

HELD: Final = {name: attack for name, attack in everything().items() if attack.held_by}

CONTROL: Final = ("files/", "network/", "others/", "signals/")
"""The families for which `make test` verifies that attacks succeed without any layer."""


def cases(kind: str) -> list[object]:
    """Return sandbox layers to disable, each with an attack to try without them.

    The cases are sorted so that each arena is opened once.
    """
    made: list[tuple[tuple[Layer, ...], str]] = []
    for name, attack in HELD.items():
        held_by = sorted(attack.held_by)
        one_by_one: list[tuple[Layer, ...]] = [(layer,) for layer in held_by] if len(held_by) > 1 else []
        left_out = {"one": one_by_one, "those": [tuple(held_by)], "all": [tuple(Layer)]}
        if kind == "all" and Layer.PRIVILEGES in held_by:
            continue  # only namespaces give a run a privilege that it could misuse
        for without in left_out[kind]:
            made.append((without, name))
    return [
        pytest.param(
            Configuration(without=frozenset(without), torch=False),
            name,
            id=f"{'+'.join(without)}: {name}",
            marks=[pytest.mark.long] if kind == "all" and not name.startswith(CONTROL) else [],
        )
        for without, name in sorted(made)
    ]


@pytest.mark.sweep
@pytest.mark.parametrize(("configuration", "name"), cases("one"))
def test_without_one_layer_the_others_hold(arenas: Arenas, configuration: Configuration, name: str) -> None:
    verdict = arenas.attack(configuration, name)
    assert verdict.contained, verdict


@pytest.mark.sweep
@pytest.mark.parametrize(("configuration", "name"), cases("those"))
def test_without_the_layers_that_hold_it_an_attack_succeeds(arenas: Arenas, configuration: Configuration, name: str) -> None:
    verdict = arenas.attack(configuration, name)
    assert not verdict.contained, verdict


@pytest.mark.sweep
@pytest.mark.parametrize(("configuration", "name"), cases("all"))
def test_without_any_layer_every_such_attack_succeeds(arenas: Arenas, configuration: Configuration, name: str) -> None:
    """Verifies that the other tests can fail: they would notice a successful attack."""
    verdict = arenas.attack(configuration, name)
    assert not verdict.contained, verdict


@pytest.mark.parametrize("name", ["clocks/a loop", "clocks/a regular expression without an end", "clocks/sleep"])
def test_the_servers_clock_needs_no_layer(arenas: Arenas, name: str) -> None:
    without = frozenset(Layer)
    verdict = arenas.attack(Configuration(without=without, torch=False), name)
    assert verdict.contained, verdict
    assert verdict.end == "timed_out wall"
