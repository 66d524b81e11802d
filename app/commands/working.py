"""The process of a worker: its sandbox, its HTTP server, and its graceful stop."""

import os
import platform
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from app import __version__
from app.asgi import living, prepare
from app.commands.serving import Server, StopTimeouts, listen, log_to_stderr, log_unknown_variables
from app.compose.local_pool import pool
from app.compose.settings import Settings
from app.engine import CanaryMonitor, Queue, Terms
from app.fleet import Announcement, Worker
from app.fleet.messages import MOST_PLACES, RELEASE, Device
from app.sandbox import SandboxUnavailable
from app.sandbox.gpus import device_count, device_nodes
from app.sandbox.packages import packages_of
from app.sandbox.tiers import Tier

NOTICE_SECONDS: Final = 2.0
"""Minimum time for which a stopping worker still accepts runs, so that a proxy can notice the stop."""


def work(settings: Settings, queue: Queue) -> int:
    """Serve until stopped; return the exit code. Raises SandboxError and CommandError if the worker cannot start."""
    nodes = device_nodes() if queue == "gpu" else ()
    if queue == "gpu" and not nodes:
        raise SandboxUnavailable("--queue gpu runs snippets on a GPU, but this machine has no /dev/nvidia0.")
    log_to_stderr()
    log_unknown_variables()
    name = f"{socket.gethostname()[:40]}-{os.getpid()}"
    options = {
        "ssl_certfile": settings.tls_certificate,
        "ssl_keyfile": settings.tls_key,
        "ssl_ca_certs": settings.tls_authority,
        "ssl_cert_reqs": ssl.CERT_REQUIRED,
    }
    with listen(settings.host, settings.port) as listener:
        _notice_silence(listener)
        app = worker_app(settings, nodes, name)
        timeouts = StopTimeouts(max(NOTICE_SECONDS, settings.notice_seconds), settings.drain_seconds)
        line = f"The worker {name} accepts runs at"
        return Server(app, listener, timeouts, line, **(options if settings.tls_certificate else {})).serve_until_stopped()


def _notice_silence(listener: socket.socket) -> None:
    """Close the connections of a web, and thereby end the runs of the web, after 5 s without contact.

    Accepted connections inherit these socket options of the listener on Linux (tcp(7)).
    """
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in ((socket.TCP_KEEPIDLE, 2), (socket.TCP_KEEPINTVL, 1), (socket.TCP_KEEPCNT, 3)):
        listener.setsockopt(socket.IPPROTO_TCP, option, value)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 5000)  # for unacknowledged data


def worker_app(settings: Settings, nodes: tuple[str, ...], name: str) -> Starlette:
    """The ASGI application of a worker."""
    app = Starlette(routes=routes(), lifespan=partial(living, services=partial(_worker, settings, nodes, name)))
    prepare(app)
    return app


def routes() -> list[BaseRoute]:
    """The routes of a worker. All paths except /metrics begin with the release."""
    return [
        Route(f"/{RELEASE}/health", _health),
        Route("/metrics", _metrics),
        Route(f"/{RELEASE}/run", _Run(), methods=["POST"]),
    ]


async def _health(request: Request) -> Response:
    worker: Worker = request.app.state.services
    return worker.health(is_leaving=request.app.state.is_leaving)


async def _metrics(request: Request) -> Response:
    worker: Worker = request.app.state.services
    return worker.metrics()


class _Run:
    """The route `run`, as plain ASGI, so that the worker notices a disconnect."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        worker: Worker = scope["app"].state.services
        await worker.run(scope, receive, send)


@asynccontextmanager
async def _worker(settings: Settings, nodes: tuple[str, ...], name: str) -> AsyncIterator[Worker]:
    # The default is the strictest tier, because the snippets come from visitors of the web.
    terms = Terms(needed=settings.accept_tier or Tier.A, address="a fleet", limits=settings.limits.limits())
    slots = max(1, settings.gpu_runs) * device_count(nodes) if nodes else settings.runs_in_flight
    async with pool(settings, nodes, slots, terms) as (engine, monitor):
        packages = packages_of(settings.imports).versions
        device: Device = "cuda:0" if nodes else "cpu"
        yield Worker(engine, partial(announcement, name, slots, monitor, packages, device), settings.body_bytes)


def announcement(name: str, slots: int, monitor: CanaryMonitor, packages: dict[str, str], device: Device) -> Announcement:
    """The worker's current announcement. Raises SandboxUnavailable while the canary refuses runs."""
    tier = monitor.standing.tier
    if monitor.refusal or tier is None:
        raise SandboxUnavailable(monitor.refusal or "No snippet can be run safely here.")
    return Announcement(
        worker=name,
        stepgrad=__version__,
        python=platform.python_version(),
        torch=version("torch"),
        packages=packages,
        device=device,
        places=min(slots, MOST_PLACES),
        tier=tier,
        layers=sorted(monitor.standing.layers),
        canary_age_seconds=monitor.age_seconds,
    )
