"""The public URL of this server, from the setting or else from the URL of the request."""

import socket
from dataclasses import dataclass
from typing import Final

from fastapi import Request

from app.networks import is_loopback
from app.web.edge.addresses import Host, Network, scheme_of

PROBES: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses reserved for documentation (RFC 5737, RFC 3849), as destinations of sockets that send nothing.

The kernel selects a source address for these destinations without sending a packet.
"""


@dataclass(frozen=True, kw_only=True)
class PublicAddress:
    """The settings that determine the public URL."""

    setting: str
    """The configured URL without a trailing slash; empty: use the URL of the request."""
    proxies: tuple[Network, ...]
    """Proxies that may report the scheme https."""
    is_open: bool
    """Whether the server listens on more than loopback."""

    def of(self, request: Request) -> str | None:
        """The public URL of the server; None if the URL is unknown because the request names a loopback host."""
        if self.setting:
            return self.setting
        host = _host(request)
        return None if is_loopback(host.name) else f"{self._scheme(request)}://{host}"

    def reached(self, request: Request) -> str:
        """The public URL, or else the base URL of this request, which may work only on this machine."""
        return self.of(request) or f"{self._scheme(request)}://{_host(request)}"

    def nearby(self, request: Request) -> list[str]:
        """URLs at which other machines of the network could reach the server if the server listened on these addresses."""
        port = _host(request).port
        return [f"http://{address}{port}" for address in addresses_of_this_machine()]

    def _scheme(self, request: Request) -> str:
        peer = request.client.host if request.client is not None else ""
        return scheme_of(peer, request.headers, self.proxies, request.url.scheme)


def _host(request: Request) -> Host:
    """The host that the request names in its Host header. The middleware has already refused an invalid Host header."""
    host = Host.parse(request.headers["host"])
    assert host is not None
    return host


def addresses_of_this_machine() -> list[str]:
    """The addresses of this machine on its networks, in URL form; none without a network."""
    found = []
    for family, probe in PROBES:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probing:
                probing.connect((probe, 9))
                address = probing.getsockname()[0]
        except OSError:
            continue
        if not is_loopback(address):
            found.append(f"[{address}]" if family is socket.AF_INET6 else address)
    return found
