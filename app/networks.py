"""Where an address counts: of IPv6 in its /64 and, with larger bounds, in the /56 and the /48 that one customer may have."""

from collections import Counter
from functools import lru_cache
from ipaddress import ip_network
from typing import Final

TIMES: Final = {56: 4, 48: 16}
"""By the length of a prefix: how many times the bound of one address such a network has."""


@lru_cache(4096)
def networks_of(address: str) -> tuple[tuple[str, int], ...]:
    """Each network in which `address` counts, the narrowest first, with how many times the bound of one address it has.

    An address of IPv6 is given as its /64. Everything else counts alone.
    """
    if not address.endswith("/64"):
        return ((address, 1),)
    network = ip_network(address)
    return ((address, 1), *((str(network.supernet(new_prefix=length)), times) for length, times in TIMES.items()))


def widest_of(address: str) -> str:
    """The network that has one turn among all others."""
    return networks_of(address)[-1][0]


class NetworkCounts:
    """How many of something each network has. It holds no network that has none."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()

    def reached(self, address: str, most: int) -> int:
        """0 where `address` may have one more, if one address may have `most`; else how many its full network has."""
        return next((self._of[name] for name, times in networks_of(address) if self._of[name] >= most * times), 0)

    def add(self, address: str) -> None:
        """It has one more."""
        self._of.update(name for name, _ in networks_of(address))

    def remove(self, address: str) -> None:
        """It has one less."""
        for name, _ in networks_of(address):
            self._of[name] -= 1
            if not self._of[name]:
                del self._of[name]
