"""Health checks: a public status, and details for operators."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Request, Response

from app.sandbox import Layer
from app.trace.records import FORMAT
from app.web.edge.clients import client_of
from app.web.edge.errors import Problem
from app.web.edge.prefix import API
from app.web.models import Error, Health
from app.web.operations.openapi import RETRY_AFTER, error
from app.web.services import Services, services_of

router = APIRouter()


def for_operators() -> Problem:
    """The client is not an operator."""
    hint = "The operator's networks are set in STEPGRAD_OPERATORS."
    return Problem(403, "operators_only", "Only operators of this server may see this.", hint)


UP = "The server accepts runs. Only operators get the fields from `running` on."
DOWN: dict[str, Any] = {
    "description": "The server accepts no runs, or has too many requests.",
    "model": Health | Error,
    "headers": RETRY_AFTER,
}


@router.get(f"{API}/health", response_model=Health, response_description=UP, responses={503: DOWN})
async def health(request: Request) -> Response:
    """The status of this server: the versions, and whether the server accepts runs; 503 if the server does not accept runs.

    If only the store is unavailable, links do not work, the status is "degraded", and the HTTP status stays 200. Operators
    (`STEPGRAD_OPERATORS`) also get the load, the state of the sandbox, and the reason why no runs are accepted.
    """
    return await _health(request, None)


@router.get(
    f"{API}/health/deep",
    response_model=Health,
    response_description=UP,
    responses={403: error("The client is not an operator.", for_operators()), 503: DOWN},
)
async def deep_health(request: Request) -> Response:
    """The status after a test run of a snippet, for operators only; 503 if the run gave no document.

    A result is cached for some seconds, and concurrent requests share the result.
    """
    operators_only(request)
    return await _health(request, services_of(request).deep_check.trouble)


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Metrics for operators, in Prometheus' text format."""
    operators_only(request)
    content = await services_of(request).metrics.scrape()
    return Response(content, headers={"Cache-Control": "no-store"}, media_type="text/plain; version=0.0.4; charset=utf-8")


def operators_only(request: Request) -> None:
    """Raise Problem (403) unless the request comes from an operator."""
    if not client_of(request).is_operator:
        raise for_operators()


async def _health(request: Request, check: Callable[[], Awaitable[str | None]] | None) -> Response:
    services = services_of(request)
    refusal = _trouble(services)
    if refusal is None and check is not None:
        refusal = await check()
    without_store = await services.store_check.trouble()
    versions = services.environment().versions
    body = Health(
        status="refusing" if refusal else "degraded" if without_store else "ok",
        stepgrad=versions.stepgrad,
        python=versions.python,
        torch=versions.torch,
        format=FORMAT,
    )
    if client_of(request).is_operator:
        body = body.model_copy(update=_details(services, refusal, without_store))
    headers = {"Cache-Control": "no-store", **({} if refusal is None else {"Retry-After": "5"})}
    content = body.model_dump_json(exclude_unset=True)
    return Response(content, 200 if refusal is None else 503, headers, "application/json")


def _trouble(services: Services) -> str | None:
    """One sentence with the reason if no runs are accepted or finish, else None."""
    return services.monitor.refusal or next(filter(None, (trouble() for trouble in services.troubles)), None)


def _details(services: Services, refusal: str | None, without_store: str | None) -> dict[str, object]:
    monitor = services.monitor
    return {
        "running": sum(each.running for each in services.admissions),
        "waiting": sum(each.waiting for each in services.admissions),
        "tier": None if monitor.standing.tier is None else monitor.standing.tier.value,
        "layers": [layer for layer in Layer if layer in monitor.standing.layers],
        "canary_age_seconds": round(monitor.age_seconds, 1),
        "refusal": refusal or "",
        "notice": " ".join(filter(None, (without_store, services.notice()))),
    }
