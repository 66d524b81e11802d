"""The client address of a request, from its connection or a configured proxy. `address_of` is the key of all rate limits."""

import re
from collections.abc import Collection, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?P<port>:[0-9]{1,5})?")

FORWARDING: Final = frozenset(
    (
        *("forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for"),
        *("x-envoy-external-address", "true-client-ip", "cf-connecting-ip", "fastly-client-ip", "fly-client-ip"),
    )
)
"""Headers that proxies add to a request, in lower case, except the headers that begin with X-Forwarded-."""

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address


class Origin(NamedTuple):
    """The address from which a request comes, as far as the server can know."""

    address: Address | None
    is_certain: bool
    """Whether all proxies between the client and the server are configured, and reported the client's address."""


def origin_of(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> Origin:
    """Find the origin of a request. `peer` is the other end of the connection, `forwarded` every X-Forwarded-For header in
    order.

    The headers are trusted from right to left, up to the first entry that no configured proxy wrote. If an entry is not a valid
    address, the origin is the proxy that forwarded the request.
    """
    address = _parse(peer)
    if address is None or not is_within(address, proxies):
        return Origin(address, not forwarded)
    hops = ",".join(forwarded).split(",") if forwarded else []
    while hops and is_within(address, proxies):
        before = _parse(_without_port(hops.pop().strip()))
        if before is None:
            return Origin(address, is_certain=False)
        address = before
    return Origin(address, is_certain=True)


def address_of(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address that identifies a client in rate limits.

    For IPv6 this is the /64, which may belong to one client. See `origin_of`.
    """
    address = origin_of(peer, forwarded, proxies).address
    if address is None:
        return peer
    return str(ip_network((int(address), 64), strict=False)) if isinstance(address, IPv6Address) else str(address)


def is_from(peer: str, forwarded: Sequence[str], proxies: Sequence[Network], networks: Sequence[Network]) -> bool:
    """Whether a request certainly comes from one of `networks`."""
    address, is_certain = origin_of(peer, forwarded, proxies)
    return is_certain and address is not None and is_within(address, networks)


def hides_its_client(headers: Collection[str]) -> bool:
    """True if these header names, in lower case, show a proxy that sent no X-Forwarded-For."""
    return "x-forwarded-for" not in headers and any(name in FORWARDING or name.startswith("x-forwarded-") for name in headers)


def is_proxy(peer: str, proxies: Sequence[Network]) -> bool:
    """Whether the other end of a connection is a configured proxy."""
    address = _parse(peer)
    return address is not None and is_within(address, proxies)


def scheme_of(peer: str, headers: Mapping[str, str], proxies: Sequence[Network], default: str) -> str:
    """The scheme of a request, from a configured proxy, else the `default` of the connection."""
    forwarded = headers.get("x-forwarded-proto", "") if is_proxy(peer, proxies) else ""
    return forwarded if forwarded in ("http", "https") else default


def is_within(address: Address, networks: Sequence[Network]) -> bool:
    """Whether `address` is in one of `networks`."""
    return any(address in network for network in networks)


class Host(NamedTuple):
    """A Host header (RFC 9110, 7.2)."""

    name: str
    """A host name or an address, without brackets, in lower case."""
    port: str
    """The port with its colon, such as ":8000"; empty without a port."""

    @classmethod
    def parse(cls, text: str) -> "Host | None":
        """Parse a Host header.

        None for any form other than host[:port]. Such a header is not accepted, and not repeated in a response.
        """
        found = _HOST.fullmatch(text)
        if found is None:
            return None
        return cls((found["address"] or found["name"].removesuffix(".")).lower(), found["port"] or "")

    def __str__(self) -> str:
        """The host as in a URL."""
        return f"[{self.name}]{self.port}" if ":" in self.name else f"{self.name}{self.port}"


def _parse(text: str) -> Address | None:
    """Parse an address. An IPv4-mapped IPv6 address becomes an IPv4 address. The zone of an IPv6 address (`%eth0`) is dropped."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _without_port(hop: str) -> str:
    """Remove the brackets and the port of an entry. Some proxies write 192.0.2.7:4711 or [2001:db8::1]:4711."""
    if hop.startswith("["):
        address, bracket, port = hop[1:].partition("]")
        return address if bracket and (not port or _is_port(port)) else ""
    address, colon, port = hop.partition(":")
    return address if colon and _is_port(colon + port) else hop


def _is_port(text: str) -> bool:
    digits = text[1:]
    return text.startswith(":") and digits.isascii() and digits.isdigit() and len(digits) <= 5
