"""From which address a request comes: the connection's own, or what a configured proxy says."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address


def address_of(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address under which a client counts; of IPv6 its /64 network, because one client has that many.

    `peer` is the other end of the connection, `forwarded` every X-Forwarded-For header in order. That is believed from the
    right, as far as configured proxies wrote it; of something that is no address, the proxy that passed it on is to blame.
    """
    address = _parse(peer)
    if address is None:
        return peer
    hops = ",".join(forwarded).split(",") if forwarded else []
    while hops and is_within(address, proxies):
        before = _parse(hops.pop().strip())
        if before is None:
            break
        address = before
    return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else str(address)


def is_proxy(peer: str, proxies: Sequence[Network]) -> bool:
    """Whether the other end of a connection is a configured proxy."""
    address = _parse(peer)
    return address is not None and is_within(address, proxies)


def is_within(address: Address, networks: Sequence[Network]) -> bool:
    """Whether `address` is in one of `networks`."""
    return any(address in network for network in networks)


def _parse(text: str) -> Address | None:
    """An address; one of IPv4 that is written in IPv6 is the one of IPv4."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
