"""Idle connections by address, and which of them to close when there are too many."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from app.web.addresses import Network

C = TypeVar("C", bound=Hashable)


class Idle(Generic[C]):
    """Connections that are silent, send a request or leave an answer lying, by address and in the order in which they began to.

    A connection with a response in progress is not idle, so event streams do not count. Every method takes constant time,
    whatever the number of connections.
    """

    def __init__(self) -> None:
        self._of: dict[str, dict[C, None]] = {}
        """Those of each address, the longest idle first."""
        self._addresses: defaultdict[int, dict[str, None]] = defaultdict(dict)
        """The addresses that have so many."""
        self._highest = 0
        """How many the address has that has most."""

    def add(self, connection: C, address: str) -> None:
        """`connection` becomes the latest of `address`."""
        self.discard(connection, address)
        row = self._of.setdefault(address, {})
        row[connection] = None
        self._count(address, len(row) - 1, len(row))

    def discard(self, connection: C, address: str) -> None:
        """Remove `connection` if it is listed."""
        row = self._of.get(address, {})
        if connection in row:
            del row[connection]
            self._count(address, len(row) + 1, len(row))

    def number(self, address: str) -> int:
        """How many `address` has."""
        return len(self._of.get(address, ()))

    def longest(self, address: str) -> C:
        """The longest idle of `address`, which has one."""
        return next(iter(self._of[address]))

    def longest_where_most(self) -> C | None:
        """The longest idle of an address that has most of all; None when there is none at all."""
        return self.longest(next(iter(self._addresses[self._highest]))) if self._highest else None

    def _count(self, address: str, before: int, after: int) -> None:
        """`address` has one more, or one less."""
        if before:
            del self._addresses[before][address]
            if not self._addresses[before]:
                del self._addresses[before]
        if after:
            self._addresses[after][address] = None
            self._highest = max(self._highest, after)
        else:
            del self._of[address]
        if self._highest not in self._addresses:
            self._highest = after  # it was the only address with that many


class Connections(Generic[C]):
    """Every bound on the connections of one server, and those of them that are idle."""

    def __init__(self, most: int, most_idle_of_one_address: int, proxies: Sequence[Network] = ()) -> None:
        self.most = most
        self.most_idle_of_one_address = most_idle_of_one_address
        self.proxies = proxies
        """What comes from them is many clients', which they have to bound themselves."""
        self.idle: Idle[C] = Idle()
