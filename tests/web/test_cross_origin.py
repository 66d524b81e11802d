"""Scripts on an origin that the operator allows (CORS) can read shared links, and nothing else."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
from pydantic import ValidationError

from app.compose.settings import Settings
from tests.web.server import Hosted, hosted
from tests.web.test_links import SET_FORMAT

COURSE = "https://course.example"
READS = ("", "/qr.svg", "/recording.html")
HEADERS = ("access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-methods")


@pytest.fixture(scope="module")
def up() -> Iterator[Hosted]:
    origins = f"{COURSE}, http://127.0.0.1:9999"
    often = {"visitor_burst": "1e6", "address_burst": "1e6"}
    with hosted(cors_origins=origins, embed_ancestors=COURSE, public_address="https://stepgrad.example", **often) as up:
        yield up


@pytest.fixture(scope="module")
def visitor(up: Hosted) -> Iterator[httpx.Client]:
    with up.client() as opened:
        yield opened


@pytest.fixture(scope="module")
def link(visitor: httpx.Client) -> str:
    return str(visitor.post("/api/v1/snippets", json={"source": "x = 1\n"}).raise_for_status().json()["id"])


def readable(link: str) -> list[str]:
    api = [f"/api/v1/snippets/{link}{more}" for more in READS]
    return [*api, f"/s/{link}/picture.png", f"/oembed?url=https://stepgrad.example/s/{link}"]


def from_origin(up: Hosted, path: str, origin: str, method: str = "GET", **headers: str) -> httpx.Response:
    """Send a request as a browser does for a script on a page of `origin`, without cookies."""
    return httpx.request(method, up.url + path, headers={"Origin": origin, **headers}, verify=False, timeout=60)


def test_what_a_link_shows_is_read(up: Hosted, link: str) -> None:
    for path in readable(link):
        answer = from_origin(up, path, COURSE)
        assert answer.status_code == 200, path
        assert [answer.headers.get(name) for name in HEADERS] == [COURSE, None, None], path
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        assert "set-cookie" not in answer.headers
        assert "Origin" in answer.headers["vary"]
        assert from_origin(up, path, COURSE, "HEAD").headers["access-control-allow-origin"] == COURSE


def test_its_text_is_read_as_well(up: Hosted, link: str) -> None:
    answer = from_origin(up, f"/s/{link}", COURSE, Accept="text/plain")
    assert answer.headers["access-control-allow-origin"] == COURSE
    assert "set-cookie" not in answer.headers and answer.text.startswith("line 1: x = 1\n")


def test_why_not_is_read_as_well(up: Hosted, link: str) -> None:
    for path, status in (("/api/v1/snippets/AAAAAAAAAA", 404), (f"/api/v1/snippets/{link}/recording.html?language=fr", 422)):
        answer = from_origin(up, path, COURSE)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (status, COURSE)
        assert answer.headers["access-control-expose-headers"] == "Retry-After"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "https://course.example.evil.example", "http://course.example", "*", ""]
)
def test_others_read_nothing(up: Hosted, link: str, origin: str) -> None:
    for path in readable(link):
        answer = from_origin(up, path, origin)
        assert [answer.headers.get(name) for name in HEADERS] == [None] * 3, path
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "Origin" in answer.headers["vary"], "a cache keeps both apart"
        preflight = from_origin(up, path, origin, "OPTIONS", **{"Access-Control-Request-Method": "GET"})
        assert preflight.status_code == 405 and [preflight.headers.get(name) for name in HEADERS] == [None] * 3


def test_nothing_else_is_read(up: Hosted, link: str) -> None:
    others = ["/", f"/embed/{link}", "/lessons", "/metrics", "/openapi.json", "/api/v1/health", "/api/v1/address"]
    others += [
        f"/api/v1/snippets/{link}/right",
        f"/api/v1/snippets/{link}/",
        "/api/v1/snippets",
        "/words/en.ftl",
        "/robots.txt",
    ]
    for path in others:
        for method in ("GET", "OPTIONS"):
            answer = from_origin(
                up, path, COURSE, method, **{"Access-Control-Request-Method": "GET", "Accept": "text/html,*/*"}
            )
            assert [answer.headers.get(name) for name in HEADERS] == [None] * 3, path


def test_a_page_is_not_read_because_it_names_its_visitor(up: Hosted, link: str) -> None:
    for path in (f"/s/{link}", "/s/AAAAAAAAAA", "/s/recording.html"):
        answer = from_origin(up, path, COURSE, Accept="text/html,*/*")
        assert "page-token" in answer.text or answer.status_code == 404
        assert [answer.headers.get(name) for name in HEADERS] == [None] * 3
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_nothing_is_written_or_run(up: Hosted, link: str) -> None:
    for method, path in (
        ("POST", "/api/v1/traces"),
        ("POST", "/api/v1/snippets"),
        ("POST", f"/api/v1/snippets/{link}/reports"),
        ("POST", f"/api/v1/snippets/{link}/picture"),
        ("PATCH", f"/api/v1/snippets/{link}"),
        ("DELETE", f"/api/v1/snippets/{link}"),
    ):
        answer = from_origin(up, path, COURSE, method, **{"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["error"]) == (403, "cross_site"), path
        preflight = from_origin(up, path, COURSE, "OPTIONS", **{"Access-Control-Request-Method": method})
        assert preflight.status_code == 405, path
        for each in (answer, preflight):
            assert [each.headers.get(name) for name in HEADERS] == [None] * 3, path


def test_a_preflight_for_reading_grants_reading_alone(up: Hosted, link: str) -> None:
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-deletion-token"}
    answer = from_origin(up, f"/api/v1/snippets/{link}", COURSE, "OPTIONS", **asked)
    assert (answer.status_code, answer.content) == (204, b"")
    assert [answer.headers.get(name) for name in HEADERS] == [COURSE, None, "GET, HEAD"]
    assert "access-control-allow-headers" not in answer.headers, "so that a browser sends none"
    assert "Origin" in answer.headers["vary"]


def test_an_outdated_recording_is_not_made_again_for_a_page_of_another_site(up: Hosted, visitor: httpx.Client) -> None:
    outdated = str(visitor.post("/api/v1/snippets", json={"source": "x = 2\n"}).json()["id"])
    with closing(sqlite3.connect(up.data / "stepgrad.sqlite")) as database, database:
        database.execute(SET_FORMAT, (0, outdated))
    for headers in ({"Origin": COURSE}, {"Sec-Fetch-Site": "cross-site"}):
        answer = visitor.get(f"/api/v1/snippets/{outdated}", headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (409, "outdated_recording")
    assert visitor.get(f"/api/v1/snippets/{outdated}").status_code == 200


def test_all_may_read_where_the_operator_says_so() -> None:
    with hosted(cors_origins="*") as up, up.client() as visitor:
        made = visitor.post("/api/v1/snippets", json={"source": "x = 1\n"}).json()["id"]
        for origin in ("https://anything.example", "null"):
            answer = from_origin(up, f"/api/v1/snippets/{made}", origin)
            assert [answer.headers.get(name) for name in HEADERS] == ["*", None, None]
        picture = httpx.get(f"{up.url}/s/{made}/picture.png", verify=False, timeout=60)
        assert picture.headers["cross-origin-resource-policy"] == "cross-origin", "an image of another page sends no Origin"
        assert "access-control-allow-origin" not in visitor.get(f"/s/{made}", headers={"Accept": "text/html"}).headers


def test_without_the_setting_nobody_reads(server: Hosted, client: httpx.Client) -> None:
    made = client.post("/api/v1/snippets", json={"source": "x = 1\n"}).json()["id"]
    answer = from_origin(server, f"/api/v1/snippets/{made}", COURSE)
    assert [answer.headers.get(name) for name in HEADERS] == [None] * 3
    assert "Origin" not in answer.headers.get("vary", "")


@pytest.mark.parametrize(
    "wrong", ["https://course.example/", "course.example", "https://*.example", "null", "https://a.example; x"]
)
def test_what_is_no_origin_is_refused_at_start(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Settings(cors_origins=wrong)  # type: ignore[arg-type]
