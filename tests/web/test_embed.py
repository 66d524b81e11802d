"""Embed recordings in other sites: which pages may embed them, response headers, oEmbed, and no cookies."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import jsonschema
import pytest
from pydantic import ValidationError

from app.commands.cli import main
from app.compose.settings import Settings
from app.web.edge.middleware import SECURITY_HEADERS
from tests.web.server import Hosted, hosted
from tests.web.test_size import weigh

ORIGINS = ("https://course.example", "http://127.0.0.1:9999")
PAGE = {"Accept": "text/html"}
EVIL = """"><img src=x onerror="alert(1)">'"""
BUDGET = 145 * 1024
"""The maximum compressed size in bytes of everything that an embedded recording loads."""

RICH = {
    "type": "object",
    "properties": {
        "type": {"const": "rich"},
        "version": {"const": "1.0"},
        "title": {"type": "string"},
        "author_name": {"type": "string"},
        "author_url": {"type": "string", "format": "uri"},
        "provider_name": {"type": "string"},
        "provider_url": {"type": "string", "format": "uri"},
        "cache_age": {"type": "integer"},
        "thumbnail_url": {"type": "string", "format": "uri"},
        "thumbnail_width": {"type": "integer"},
        "thumbnail_height": {"type": "integer"},
        "html": {"type": "string"},
        "width": {"type": "integer"},
        "height": {"type": "integer"},
    },
    "required": ["type", "version", "html", "width", "height"],
    "additionalProperties": False,
}
"""The JSON schema of an oEmbed response of the type "rich" (https://oembed.com, section 2.3.4)."""


@pytest.fixture(scope="module")
def embeds() -> Iterator[Hosted]:
    with hosted(embed_ancestors=", ".join(ORIGINS), visitor_burst="1e6", address_burst="1e6") as up:
        yield up


@pytest.fixture(scope="module")
def visitor(embeds: Hosted) -> Iterator[httpx.Client]:
    with embeds.client() as opened:
        yield opened


@pytest.fixture(scope="module")
def link(visitor: httpx.Client) -> str:
    made = visitor.post("/api/v1/snippets", json={"source": "x = 1", "title": EVIL, "author": "A & B"}).raise_for_status()
    return str(made.json()["id"])


def routes(client: httpx.Client, link: str) -> Iterator[str]:
    """Yield an address for every route."""
    for path in client.get("/openapi.json").json()["paths"]:
        yield re.sub(r"\{\w+\}", link, path)
    yield from ("/", f"/s/{link}", "/lessons", "/lessons/data-hides-the-write", "/metrics", "/openapi.json", "/oembed", "/nope")
    yield from ("/words/en.ftl", "/robots.txt", "/embed", "/embedded/x", "/s/embed/x")


def test_frames_are_for_what_is_embedded_alone(visitor: httpx.Client, link: str) -> None:
    for path in routes(visitor, link):
        response = visitor.get(path, headers=PAGE)
        assert {name.lower(): value for name, value in SECURITY_HEADERS.items()}.items() <= dict(response.headers).items(), path
    for path in (f"/embed/{link}", "/embed/nothing", f"/embed/{link}?theme=red", "/embed/"):
        headers = visitor.get(path, headers=PAGE).headers
        assert "x-frame-options" not in headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy.pop("frame-ancestors") == " ".join(ORIGINS)
        usual = dict(part.split(" ", 1) for part in SECURITY_HEADERS["Content-Security-Policy"].split("; "))
        assert policy.items() <= usual.items() and usual.keys() - policy.keys() == {"frame-ancestors"}
        assert headers["cross-origin-resource-policy"] == "cross-origin"
        for name in ("X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy", "Cross-Origin-Embedder-Policy"):
            assert headers[name] == SECURITY_HEADERS[name]


def test_without_the_setting_nothing_may_be_framed(client: httpx.Client) -> None:
    made = client.post("/api/v1/snippets", json={"source": "x = 1"}).json()["id"]
    response = client.get(f"/embed/{made}", headers=PAGE)
    assert response.status_code == 200  # the address of the iframe can be opened as a page
    assert response.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert "oembed" not in client.get(f"/s/{made}", headers=PAGE).text
    refused = client.get("/oembed", params={"url": f"{client.base_url}/s/{made}"})
    assert (refused.status_code, refused.json()["error"]) == (404, "not_embedded")
    assert client.get("/api/v1/address").json()["embeds"] is False


def test_a_frame_gets_no_cookie_and_needs_none(embeds: Hosted, link: str) -> None:
    with embeds.client() as stranger:
        page = stranger.get(f"/embed/{link}", headers=PAGE)
        assert page.status_code == 200 and "set-cookie" not in page.headers
        token = re.search(r'name="page-token" content="([^"]+)"', page.text)
        assert token is not None
        shown = stranger.get(f"/api/v1/snippets/{link}?again=false", headers={"X-Page-Token": token[1]})
        assert shown.status_code == 200 and "set-cookie" not in shown.headers
        asked = stranger.get("/oembed", params={"url": f"{embeds.url}/s/{link}"})
        assert asked.status_code == 200 and "set-cookie" not in asked.headers
        assert "set-cookie" in stranger.get("/", headers=PAGE).headers


@pytest.mark.parametrize(
    "query",
    [
        "theme=red",
        "step=0",
        "step=1.5",
        "step=x",
        "step=99999999999",
        "picture=both",
        "language=fr",
        "by=all",
        "run=1",
        "theme",
    ],
)
def test_what_stands_in_its_address_is_checked(visitor: httpx.Client, link: str, query: str) -> None:
    response = visitor.get(f"/embed/{link}?{query}", headers=PAGE)
    assert response.status_code == 422 and "does not understand the request" in response.text


def test_the_page_says_how_it_is_shown(visitor: httpx.Client, link: str) -> None:
    query = "theme=dark&step=7&by=line&picture=memory&language=zh-CN"
    page = visitor.get(f"/embed/{link}?{query}", headers=PAGE)
    boot = re.search(r'id="boot">(.*?)</script>', page.text)
    assert boot is not None
    known = json.loads(boot[1])
    assert known["embed"] == {"step": 7, "by": "line", "picture": "memory", "ancestors": list(ORIGINS)}
    assert known["snippet_id"] == link
    assert '<html lang="zh-CN"' in page.text and 'data-asked-theme="dark"' in page.text
    assert page.headers["x-robots-tag"] == "noindex"
    assert "<img" not in page.text


@pytest.mark.parametrize("path", ["unknown", "deleted", "held"])
def test_what_is_gone_says_so(visitor: httpx.Client, embeds: Hosted, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    made = visitor.post("/api/v1/snippets", json={"source": f"x = '{path}'"}).json()
    if path == "deleted":
        visitor.delete(
            f"/api/v1/snippets/{made['id']}", headers={"X-Deletion-Token": made["deletion_token"]}
        ).raise_for_status()
    elif path == "held":
        monkeypatch.setenv("STEPGRAD_DATA", str(embeds.data))
        assert main(["links", "hold", made["id"]]) == 0
    snippet_id = "aaaaaaaaaaa" if path == "unknown" else made["id"]
    page = visitor.get(f"/embed/{snippet_id}", headers=PAGE)
    assert page.status_code == 410
    assert "<h1>The recording that was shown here was deleted</h1>" in page.text and "<a" not in page.text
    chinese = visitor.get(f"/embed/{snippet_id}", headers={**PAGE, "Accept-Language": "zh-CN"})
    assert "<h1>这里原来的记录已被删除</h1>" in chinese.text
    answer = visitor.get("/oembed", params={"url": f"{embeds.url}/s/{snippet_id}"})
    assert (answer.status_code, answer.json()["error"]) == (404, "not_embedded")


class Tags(HTMLParser):
    """The elements of an HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_oembed_is_discovered_and_answers_as_specified(visitor: httpx.Client, link: str) -> None:
    page = Tags(visitor.get(f"/s/{link}", headers=PAGE).text)
    (found,) = [named for tag, named in page.found if tag == "link" and named.get("type") == "application/json+oembed"]
    assert found["rel"] == "alternate" and found["href"] is not None
    answer = visitor.get(found["href"])
    assert answer.headers["content-type"] == "application/json"
    told: Any = answer.json()
    jsonschema.validate(told, RICH)
    assert told["author_name"] == "A & B"
    ((tag, frame),) = Tags(told["html"]).found
    assert tag == "iframe" and frame["title"] == told["title"] == EVIL
    assert (frame["width"], frame["height"]) == (str(told["width"]), str(told["height"]))
    assert frame["src"] is not None and visitor.get(frame["src"], headers=PAGE).status_code == 200


def test_oembed_opens_the_links_step_and_keeps_within_what_is_asked(visitor: httpx.Client, embeds: Hosted, link: str) -> None:
    def ask(url: str, **more: int) -> Any:
        told = visitor.get("/oembed", params={"url": url, **more}).raise_for_status().json()
        ((_, frame),) = Tags(told["html"]).found
        return told, parse_qs(urlsplit(str(frame["src"])).query)

    told, query = ask(f"{embeds.url}/s/{link}#step=8&by=line", maxwidth=400, maxheight=300)
    assert (told["width"], told["height"], query) == (400, 300, {"step": ["8"], "by": ["line"]})
    _, query = ask(f'{embeds.url}/s/{link}#step="><script>&by=all&run=1')
    assert query == {}
    _, query = ask(f"{embeds.url}/s/{link}#step={9 * 10**9}")
    assert query == {}


def test_oembed_refuses_all_else(visitor: httpx.Client, embeds: Hosted, link: str) -> None:
    for url in (
        f"https://elsewhere.example/s/{link}",
        f"{embeds.url}.example/s/{link}",
        f"{embeds.url}/s/{link}/../../",
        f"{embeds.url}/embed/{link}",
        f"{embeds.url}/s/{link}?x=1",
        f"javascript:alert(1)//{embeds.url}/s/{link}",
        embeds.url,
        "",
    ):
        answer = visitor.get("/oembed", params={"url": url})
        assert (answer.status_code, answer.json()["error"]) == (404, "not_embedded"), url
    there = f"{embeds.url}/s/{link}"
    assert visitor.get("/oembed", params={"url": there, "format": "xml"}).status_code == 501
    assert visitor.get("/oembed").status_code == 422
    for wrong in ("maxwidth=0", "maxheight=-1", "maxwidth=wide"):
        assert visitor.get(f"/oembed?{urlencode({'url': there})}&{wrong}").status_code == 422


@pytest.mark.parametrize(
    "origin",
    ["*", "course.example", "https://course.example/page", "https://a; script-src *", "javascript:x", "https://a b", "'self'"],
)
def test_an_ancestor_is_an_origin(origin: str) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"embed_ancestors": origin})


def test_ancestors_are_written_with_commas() -> None:
    settings = Settings.model_validate({"embed_ancestors": "https://Course.example, http://[::1]:8000"})
    assert settings.embed_ancestors == ("https://course.example", "http://[::1]:8000")


def test_a_frame_stays_within_its_budget(visitor: httpx.Client, link: str) -> None:
    page = Tags(visitor.get(f"/embed/{link}", headers=PAGE).text)
    files = {
        named.get("src") if tag == "script" else named.get("href") for tag, named in page.found if tag in ("script", "link")
    }
    scripts = {address for address in files if address and address.endswith((".js", ".css"))}
    assert not any("codemirror" in address for address in scripts)
    words = {f"/words/en.{part}" for part in ("ftl", "run.ftl")}
    weights = {address: weigh(visitor, address) for address in scripts | words | {f"/embed/{link}"}}
    assert sum(weights.values()) < BUDGET + sum(weights[address] for address in words), weights
