"""The FastAPI application: assembles routes, middleware and handlers."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cache, partial

from fastapi import FastAPI

from app import __version__
from app.asgi import living, prepare
from app.web import api
from app.web.edge import clients, errors, middleware
from app.web.edge.cross_origin import ReadAcrossOrigins
from app.web.lectures import lecture_pages
from app.web.lectures import lecture_routes as lectures
from app.web.links import embed, exports, sharing
from app.web.operations import health, openapi
from app.web.pages import course, notices, pages
from app.web.pages.assets import Assets
from app.web.rooms import room_routes as rooms
from app.web.rooms import room_variants
from app.web.services import Services

DESCRIPTION = (
    "Runs a PyTorch snippet in a sandbox and returns a step-by-step recording of the run. "
    "Every error has the shape {error, message, hint}."
)


@dataclass(frozen=True, kw_only=True)
class Access:
    """Host names and origins that may access the server."""

    hosts: frozenset[str] = frozenset()
    """Host names that requests may name, in addition to those of loopback."""
    ancestors: tuple[str, ...] = ()
    """Origins whose pages may embed recordings in frames."""
    readers: frozenset[str] = frozenset()
    """Origins that may read links by script; `*` for all."""


def create_app(
    services: Callable[[], AbstractAsyncContextManager[Services]], body_bytes: int, access: Access, reload: bool = False
) -> FastAPI:
    """Create the application.

    `services` have the same lifetime as the application. With `reload`, static files are read again for each page.
    """

    app = FastAPI(
        title="Stepgrad",
        version=__version__,
        description=DESCRIPTION,
        lifespan=partial(living, services=services),
        docs_url=None,  # FastAPI's docs load scripts from a CDN, which the Content-Security-Policy forbids
        redoc_url=None,
        redirect_slashes=False,
        exception_handlers=dict.fromkeys(errors.HANDLED, pages.answer_with_page),
    )
    prepare(app)
    app.state.assets = Assets.read()
    app.state.reload = reload
    app.include_router(api.router)
    app.include_router(sharing.router)
    app.include_router(exports.router)
    app.include_router(lectures.router)
    app.include_router(lecture_pages.router)
    app.include_router(pages.router)
    app.include_router(course.router)
    app.include_router(embed.router)
    app.include_router(rooms.router)
    app.include_router(room_variants.router)
    app.include_router(health.router)
    app.include_router(notices.router)
    app.openapi = cache(partial(openapi.openapi, app))  # type: ignore[method-assign]
    app.add_middleware(middleware.HeadAsGet)  # innermost first
    app.add_middleware(clients.KnowClients, tell=pages.problem_page)
    app.add_middleware(middleware.RefuseWhileStopping, tell=pages.problem_page)
    app.add_middleware(middleware.CatchBugs)
    app.add_middleware(ReadAcrossOrigins, origins=access.readers)
    app.add_middleware(middleware.SameSiteOnly, hosts=access.hosts)
    app.add_middleware(middleware.SecurityHeaders, ancestors=access.ancestors)
    app.add_middleware(middleware.BodyLimit, max_bytes=body_bytes)
    app.add_middleware(middleware.CountAnswers)
    return app
