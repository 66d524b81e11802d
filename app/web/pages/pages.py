"""HTML pages, static files and catalogues."""

import asyncio
import re
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode

import jinja2
import msgspec
from fastapi import APIRouter, Request, Response
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Match

from app.errors import CommandError
from app.lessons import Lesson, by_name, lesson_of, lessons
from app.store import Snippet
from app.web.api import link_as_text, unless_gone
from app.web.edge.clients import client_of
from app.web.edge.errors import Problem, as_problem, old_address
from app.web.edge.middleware import EMBEDS, WORKER_HEADERS
from app.web.edge.prefix import API
from app.web.links.headline import headline
from app.web.links.legible import legible
from app.web.links.text_negotiation import prefers_text
from app.web.pages.assets import TEMPLATES, Asset, Assets
from app.web.runs.documents import LARGE_BYTES, accepts_gzip
from app.web.services import services_of
from app.words import LANGUAGES, WordsError, attribute, preferred, sentence

router = APIRouter(include_in_schema=False)

FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
ONE_VISITORS = "private, no-cache"
"""The cache policy of pages, because a page contains its visitor's name."""

_CODE = re.compile(r"`([^`]*)`")


def rich(text: str) -> Markup:
    """Text as HTML: backticks mark code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def plain(text: str) -> str:
    """Text without backticks, for places without HTML."""
    return text.replace("`", "")


_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters |= {"rich": rich, "plain": plain, "legible": legible}


@router.get("/")
async def start(request: Request, compare: str | None = None, lesson: str | None = None) -> Response:
    """The page with the visitor's own snippet, or with a comparison.

    `?compare=` has two names, separated by a comma. A name is a lesson's slug, the slug with `/fixed` for the correct version,
    `s/` with the id of a link, or `own` for the draft in the visitor's browser. `?lesson=` redirects to a lesson's page.
    """
    if lesson is not None and by_name(lesson) is not None:
        return RedirectResponse(
            f"/lessons/{quote(lesson)}", 301, {"Cache-Control": ASK_AGAIN}
        )  # a browser keeps the fragment, which contains the step
    if compare is None:
        return page(request, [first_example()])
    names = await compared(compare, request)
    return page(request, [found for name in names if (found := by_name(name)) is not None], compare=names)


@router.get("/s/{snippet_id}")
async def shared(snippet_id: str, request: Request) -> Response:
    """The page of a link, or the link's text for clients that prefer text."""
    if prefers_text(request.headers, "text/html"):
        return await unless_gone(request, lambda _: link_as_text(snippet_id, request))
    snippet = await services_of(request).runs.kept(snippet_id)
    lesson = lesson_of(snippet.source)
    answer = page(request, [] if lesson is None else [lesson], snippet=snippet, oembed=_oembed(request, snippet))
    answer.headers.add_vary_header("Accept")
    return answer


@router.get("/r/{code}")
async def room(code: str, request: Request) -> Response:
    """The page that follows a room."""
    found = (await services_of(request).room_access.visit(code, request)).row.code
    if code != found:
        return RedirectResponse(f"/r/{found}", 307, {"Cache-Control": "no-store"})
    response = page(request, [], room=found)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _oembed(request: Request, snippet: Snippet) -> str | None:
    """The oEmbed URL of a link (`embed.oembed`); None if no origin may embed the link."""
    services = services_of(request)
    if not services.embed_ancestors:
        return None
    address = services.public_address.reached(request)
    return f"{address}/oembed?{urlencode({'url': f'{address}/s/{snippet.id}', 'format': 'json'})}"


@router.get("/s/{snippet_id}/picture.png")
async def card(snippet_id: str, request: Request) -> Response:
    """The preview picture of a link."""
    services = services_of(request)
    snippet = await services.runs.kept(snippet_id)
    content = await services.cards.of(snippet, client_of(request).requester.address)
    if content is None:
        raise Problem(404, "no_picture", "There is no picture of this link.", "Open the link.")
    # Caches must revalidate the picture, because a link may be deleted or withheld.
    tag = f'"{snippet.recording[:32]}-{snippet.shown.replace("&", "-")}"'
    headers = {"Cache-Control": ASK_AGAIN, "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type="image/png")


async def compared(names: str, request: Request) -> list[str]:
    """The two names of a comparison, if both exist. Raises Problem (404)."""
    found = names.split(",")
    if len(found) != 2 or not all(name == "own" or name.startswith("s/") or by_name(name) is not None for name in found):
        message = "This server does not have both of these snippets."
        raise Problem(404, "unknown_comparison", message, "Check the link, or start at /.")
    for name in found:
        if name.startswith("s/"):
            await services_of(request).runs.kept(name.removeprefix("s/"))
    return found


@router.get("/static/{build}/{path:path}")
async def static(build: str, path: str, request: Request) -> Response:
    """A static file of this build, cached without expiry."""
    assets = assets_of(request)
    if build != assets.build:
        message = "This file belongs to another version of the page."
        raise Problem(404, "other_build", message, "Reload the page.")
    asset = assets.files.get(path)
    if asset is not None and len(asset.content) > LARGE_BYTES:
        await asyncio.to_thread(lambda: asset.gzipped)  # compressed at the first request, then cached
    response = _file(request, asset, FOR_EVER)
    if path in assets.workers:
        response.headers.update(WORKER_HEADERS)
    if f"{path}.map" in assets.files:  # source maps exist only if the bundle was built on this machine
        response.headers["SourceMap"] = f"{PurePosixPath(path).name}.map"
    return response


@router.get("/words/{name}")
async def words(name: str, request: Request) -> Response:
    """A part of a language's catalogue: `en.ftl` for every page, `en.run.ftl` for runs."""
    return _file(request, assets_of(request).words.get(name), ASK_AGAIN)


def assets_of(request: Request) -> Assets:
    """The static files of the application that `request` reached."""
    assets: Assets = request.app.state.assets
    return assets


def read_anew(request: Request) -> None:
    """Reload static files, for work on the player. Raises Problem (503)."""
    try:
        request.app.state.assets = Assets.read()
    except CommandError as error:
        raise Problem(503, "old_bundle", str(error), "Then reload the page.") from error


def first_example() -> Lesson:
    """The first program in the editor: a lesson in which torch reports no error although the gradient is wrong."""
    wrong = "silently_wrong_gradient at"
    return next(lesson for lesson in lessons() if any(found.startswith(wrong) for found in lesson.snippet.findings))


def page(
    request: Request,
    whole: list[Lesson],
    *,
    program: str | None = None,
    snippet: Snippet | None = None,
    compare: list[str] | None = None,
    oembed: str | None = None,
    room: str | None = None,
) -> Response:
    """Render the page of the player.

    The variables of `page.html`; those from `lesson` to `room` may be None, except `headline`:

    - static: the base URL of static files; modules: the URLs to which the scripts' imports resolve
    - version, torch, python, languages
    - imports: the packages for snippets, with their versions
    - source_bytes: the maximum size of a snippet; gpu: whether there is a pool of GPUs
    - heads: the entries of all lessons; whole: the lessons that are shown with their programs
    - lesson, program: the shown lesson and the name of its program
    - snippet: the snippet of a link; headline: the title to show if the snippet has none
    - compare: the names of two snippets
    - preview: the public URLs of the link and its picture; oembed: the URL of the oEmbed description
    - room: the code of the room that the page follows
    - page_token: identifies the visitor without cookies
    """
    services = services_of(request)
    versions = services.environment().versions
    context = {
        "oembed": oembed,
        "room": room,
        "version": versions.stepgrad,
        "torch": versions.torch,
        "python": versions.python,
        "imports": services.environment().imports,
        "source_bytes": services.source_bytes,
        "gpu": services.has_gpu(),
        "languages": LANGUAGES,
        "heads": heads(),
        "whole": [msgspec.to_builtins(lesson) for lesson in whole],
        "lesson": None if program is None else msgspec.to_builtins(whole[0]),
        "program": program,
        "snippet": snippet,
        "headline": "" if snippet is None else headline(snippet.source),
        "preview": None if snippet is None else preview(request, snippet),
        "compare": compare,
        "page_token": client_of(request).page_token,
    }
    response = html(request, "page.html", 200, context)
    if snippet is not None or any(name.startswith("s/") for name in compare or ()):
        response.headers["X-Robots-Tag"] = "noindex"  # a link is only for the people who received it
    return response


def preview(request: Request, snippet: Snippet) -> dict[str, str | None] | None:
    """The preview data of a link: the URL and, if available, the picture; None without a public URL."""
    services = services_of(request)
    public = services.public_address.of(request)
    if public is None:
        return None
    address = f"{public}/s/{snippet.id}"
    return {"address": address, "picture": f"{address}/picture.png" if services.cards.may_be_drawn(snippet) else None}


@cache
def heads() -> list[dict[str, Any]]:
    """The entry of each lesson in the list of the course, in order."""
    return [
        {"slug": lesson.slug, "group": lesson.group, "order": lesson.order, "title": msgspec.to_builtins(lesson.title)}
        for lesson in lessons()
    ]


async def answer_with_page(request: Request, error: Exception) -> Response:
    """The exception handler of the application."""
    if isinstance(error, HTTPException) and error.status_code == 405:  # Starlette lists only the methods of the first route
        error = HTTPException(405, headers={"Allow": ", ".join(_methods_at(request))})
    problem = as_problem(error)
    path = request.url.path
    if problem.error == "not_found" and path.startswith("/api/") and not path.startswith(f"{API}/"):
        problem = old_address()
    return problem_page(request, problem)


def _methods_at(request: Request) -> list[str]:
    """The allowed methods of this path."""
    routes: list[BaseRoute] = request.app.routes
    return [
        method
        for method in ("DELETE", "GET", "PATCH", "POST", "PUT")
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]


def problem_page(request: Request, problem: Problem) -> Response:
    """`problem` as a page for a browser that requests a page, else as JSON."""
    looks_for_page = "text/html" in request.headers.get("accept", "") and request.method == "GET"
    if not looks_for_page or request.url.path.startswith(("/api/", "/static/", "/words/")):
        return problem.response()
    response = html(
        request,
        "error.html",
        problem.status_code,
        {**_error_context(problem, language_of(request)), "is_framed": request.url.path.startswith(EMBEDS)},
    )
    response.headers.update(problem.headers or {})
    return response


def language_of(request: Request) -> str:
    """The browser's preferred language."""
    return preferred(request.headers.get("accept-language", ""))


def _error_context(problem: Problem, language: str) -> dict[str, Any]:
    """The context of the error page for `problem`, translated where possible."""
    key = f"error-{problem.error}"
    try:
        message, hint = attribute(language, key, "message"), attribute(language, key, "hint")
    except WordsError:
        try:
            message, hint = sentence(language, key), ""  # this sentence contains the message and the hint
        except WordsError:
            language, message, hint = LANGUAGES[0], problem.message, problem.hint
    hint = hint[:1].upper() + hint[1:]
    return {"status": problem.status_code, "error": problem.error, "language": language, "message": message, "hint": hint}


def html(request: Request, template: str, status: int, context: dict[str, Any]) -> Response:
    """Render a page.

    Every template has the variables static, modules, language (the browser's language), and `say`, which translates.
    """
    if request.app.state.reload and status == 200:
        read_anew(request)
    assets = assets_of(request)
    language = language_of(request)
    known = {"static": assets.prefix, "modules": assets.modules, "language": language, "say": partial(sentence, language)}
    text = _templates.get_template(template).render(known | context)
    return _file(request, Asset(template, text.encode()), ONE_VISITORS, status)


def _file(request: Request, asset: Asset | None, cached: str, status: int = 200) -> Response:
    if asset is None:
        raise Problem(404, "not_found", "There is no such file.", "Reload the page.")
    headers = {"Cache-Control": cached, "ETag": asset.etag}
    if asset.is_text:
        headers["Vary"] = "Accept-Encoding, Accept-Language" if asset.name.endswith(".html") else "Accept-Encoding"
    if status == 200 and request.headers.get("if-none-match") == asset.etag:
        return Response(status_code=304, headers=headers)
    content = asset.content
    if accepts_gzip(request.headers) and asset.gzipped is not None:
        content = asset.gzipped
        headers["Content-Encoding"] = "gzip"
    return Response(content, status, headers, asset.content_type)
