"""Counts and limits per IP network. Every address belongs to one or more networks.

An IPv6 address counts for its /64 and, with larger limits, for its /56 and /48, because one customer may own such a
network.
"""

from collections import Counter
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Final

TIMES: Final = {56: 4, 48: 16}
"""The multiple of the limit of one address, by prefix length."""


@lru_cache(4096)
def networks_of(address: str) -> tuple[tuple[str, int], ...]:
    """Each network of `address`, narrowest first, with its multiple of the limit of one address.

    An IPv6 address is given as its /64. Any other `address` counts only for itself.
    """
    if not address.endswith("/64"):
        return ((address, 1),)
    network = ip_network(address)
    return ((address, 1), *((str(network.supernet(new_prefix=length)), times) for length, times in TIMES.items()))


def widest_of(address: str) -> str:
    """The widest network of `address`. All addresses in this network share one turn in the queue."""
    return networks_of(address)[-1][0]


class NetworkCounts:
    """Counts runs, streams or other things per network. Networks with a count of 0 are dropped."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()

    def reached(self, address: str, most: int) -> int:
        """0 if no network of `address` is full, given the limit `most` of one address; else the count of the full network."""
        return next((self._of[name] for name, times in networks_of(address) if self._of[name] >= most * times), 0)

    def add(self, address: str) -> None:
        """Count one more."""
        self._of.update(name for name, _ in networks_of(address))

    def remove(self, address: str) -> None:
        """Count one less."""
        for name, _ in networks_of(address):
            self._of[name] -= 1
            if not self._of[name]:
                del self._of[name]


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address without brackets or port, is a loopback name or address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
