"""Idle connections by address, and the choice of the connection to close above the limit."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from app.web.edge.addresses import Network

C = TypeVar("C", bound=Hashable)


class Idle(Generic[C]):
    """Idle connections (silent, sending a request, or not reading a response), by address, longest idle first.

    A connection with a response in progress is not idle, so event streams do not count. Every method takes constant time,
    regardless of the number of connections.
    """

    def __init__(self) -> None:
        self._of: dict[str, dict[C, None]] = {}
        """Connections of each address, longest idle first."""
        self._addresses: defaultdict[int, dict[str, None]] = defaultdict(dict)
        """The addresses that have each number of idle connections."""
        self._highest = 0
        """The largest number of idle connections of one address."""

    def add(self, connection: C, address: str) -> None:
        """Add `connection` as the connection of `address` that became idle last."""
        self.discard(connection, address)
        row = self._of.setdefault(address, {})
        row[connection] = None
        self._count(address, len(row) - 1, len(row))

    def discard(self, connection: C, address: str) -> None:
        """Remove `connection` if it is among the idle connections."""
        row = self._of.get(address, {})
        if connection in row:
            del row[connection]
            self._count(address, len(row) + 1, len(row))

    def number(self, address: str) -> int:
        """The number of connections of `address`."""
        return len(self._of.get(address, ()))

    def longest(self, address: str) -> C:
        """The longest idle connection of `address`. The address must have an idle connection."""
        return next(iter(self._of[address]))

    def longest_where_most(self) -> C | None:
        """The longest idle connection of an address with the most idle connections; None if no connection is idle."""
        return self.longest(next(iter(self._addresses[self._highest]))) if self._highest else None

    def _count(self, address: str, before: int, after: int) -> None:
        """Adjust the counts after the number of connections of `address` has changed by one."""
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
            self._highest = after  # no other address had this number


class Connections(Generic[C]):
    """The limits on connections of one server, and its idle connections."""

    def __init__(self, most: int, most_idle_of_one_address: int, proxies: Sequence[Network] = ()) -> None:
        self.most = most
        self.most_idle_of_one_address = most_idle_of_one_address
        self.proxies = proxies
        """A proxy's connections carry many clients, which the proxy must limit itself."""
        self.idle: Idle[C] = Idle()
