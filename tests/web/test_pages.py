"""Content and headers of pages, static files and translations."""

import json
import re
from datetime import UTC, datetime, timedelta
from urllib.robotparser import RobotFileParser

import httpx
import pytest

from app.web.pages.assets import STATIC
from tests.web.server import Running

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "x-permitted-cross-domain-policies": "none",
}
HOSTILE = "</script><script>alert(1)</script><!--\n"


def prefix(client: httpx.Client) -> str:
    found = re.search(r"/static/[0-9a-f]{12}", client.get("/").text)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("path", ["/", "/api/v1/health", "/nope", "/openapi.json", "/words/en.ftl", "/metrics"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_security_headers_on_everything(client: httpx.Client, path: str, method: str) -> None:
    response = client.request(method, path)
    assert HEADERS.items() <= dict(response.headers).items()
    assert "camera=()" in response.headers["permissions-policy"]
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy and "'unsafe-eval'" not in policy and "http" not in policy


def test_head_is_get_without_the_body(client: httpx.Client) -> None:
    for path in ("/", "/api/v1/lessons", "/words/en.ftl"):
        head, get = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == get.headers["content-length"]


def test_the_page_runs_no_inline_script(client: httpx.Client) -> None:
    response = client.get("/")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    for attributes, content in re.findall(r"<script\b([^>]*)>(.*?)</script>", response.text, re.DOTALL):
        assert ("src=" in attributes and not content.strip()) or 'type="application/json"' in attributes
    assert not re.search(r"\son[a-z]+=|\sstyle=|<style", response.text)


def test_boot_data(client: httpx.Client) -> None:
    snippet_id = client.post("/api/v1/snippets", json={"source": "x = 1"}).json()["id"]
    for path, expected in (("/", None), (f"/s/{snippet_id}", snippet_id)):
        found = re.search(r'<script[^>]*id="boot"[^>]*>(.*?)</script>', client.get(path).text, re.DOTALL)
        assert found is not None
        assert expected in json.loads(found[1]).values()


def test_two_snippets_side_by_side(client: httpx.Client) -> None:
    snippet_id = client.post("/api/v1/snippets", json={"source": "x = 1"}).json()["id"]
    lesson = client.get("/api/v1/lessons").json()[0]["slug"]
    for names in ([lesson, f"s/{snippet_id}"], ["own", lesson], [f"s/{snippet_id}"] * 2):
        response = client.get("/", params={"compare": ",".join(names)})
        found = re.search(r'<script[^>]*id="boot"[^>]*>(.*?)</script>', response.text, re.DOTALL)
        assert found is not None
        assert json.loads(found[1])["compare"] == names


@pytest.mark.parametrize("names", ["", "own", "own,own,own", "own,nope", "own,s/aaaaaaaaaa", "own,s/", "own,s/../own", HOSTILE])
def test_an_unknown_comparison(client: httpx.Client, names: str) -> None:
    response = client.get("/", params={"compare": names}, headers={"Accept": "text/html"})
    assert response.status_code == 404
    assert re.search("<h1>(One of the two snippets|There is no snippet)", response.text) and "alert" not in response.text


def test_static_files_are_for_ever(client: httpx.Client) -> None:
    page = client.get("/").text
    paths = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))
    assert any(path.endswith(".js") for path in paths) and any(path.endswith(".css") for path in paths)
    for path in paths:
        response = client.get(path)
        assert response.status_code == 200, path
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        if path.endswith(".js"):
            assert response.headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("path", ["/", "/lessons", "/lessons/data-hides-the-write", "/nope", "/?compare=own,own"])
def test_a_page_names_the_bundle_and_no_module_that_it_is_made_from(client: httpx.Client, path: str) -> None:
    page = client.get(path, headers={"Accept": "text/html"}).text
    scripts = re.findall(r'(?:href|src)="/static/[0-9a-f]{12}/([^"]+\.(?:js|css))"', page)
    assert "bundle/theme.js" in scripts and "bundle/main.css" in scripts
    assert all(each.startswith(("bundle/", "vendor/")) for each in scripts), scripts
    for folder in ("js/pages/player.js", "css/page.css"):
        assert client.get(f"{prefix(client)}/{folder}").status_code == 404


FILE_HEADERS = {
    "cache-control",
    "content-length",
    "content-type",
    "cross-origin-resource-policy",
    "date",
    "etag",
    "x-content-type-options",
}
PACKED = {"content-encoding", "vary"}


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("bundle/main.css", PACKED),
        ("bundle/shared-1.js", PACKED),
        ("vendor/ui.js", PACKED),
        ("img/icon.svg", PACKED),
        ("bundle/embed-layout-engine.js", {"vary"}),  # too small to be compressed
        ("vendor/fonts/inter.woff2", set()),
        # A worker gets its Content Security Policy from the response with its script.
        ("bundle/layout.worker.js", PACKED | {"content-security-policy", "cross-origin-embedder-policy"}),
    ],
)
def test_a_static_file_has_only_headers_that_mean_something_there(client: httpx.Client, path: str, more: set[str]) -> None:
    response = client.get(f"{prefix(client)}/{path}", headers={"Accept-Encoding": "gzip"})
    assert set(response.headers) - {"sourcemap"} == FILE_HEADERS | more
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cross-origin-resource-policy"] == "same-origin"
    assert sum(len(f"{name}: {value}\r\n") for name, value in response.headers.items()) < 400 or "worker" in path


def test_a_script_names_its_source_map_where_the_bundle_was_made(client: httpx.Client) -> None:
    name = "shared-1.js.map"
    here = name if (STATIC / "bundle" / name).exists() else None
    assert client.get(f"{prefix(client)}/bundle/shared-1.js").headers.get("sourcemap") == here
    assert client.get(f"{prefix(client)}/bundle/{name}").status_code == (404 if here is None else 200)


def test_a_worker_is_as_confined_as_the_page(client: httpx.Client) -> None:
    page, worker = client.get("/"), client.get(f"{prefix(client)}/bundle/layout.worker.js")
    for name in ("content-security-policy", "cross-origin-embedder-policy"):
        assert worker.headers[name] == page.headers[name]


def test_a_static_file_that_is_not_there_is_answered_as_all_else(client: httpx.Client) -> None:
    response = client.get(f"{prefix(client)}/bundle/nope.js")
    assert response.status_code == 404 and HEADERS.items() <= dict(response.headers).items()


def test_only_files_of_the_folder(client: httpx.Client) -> None:
    start = prefix(client)
    for path in (
        "",
        "/",
        "/../app/main.py",
        "/%2e%2e/app/main.py",
        "/bundle",
        "/bundle/",
        "//etc/passwd",
        "/img/../../app/a.py",
    ):
        response = client.get(start + path)
        assert response.status_code == 404, path


def test_a_file_of_another_build_is_not_this_one(client: httpx.Client) -> None:
    response = client.get("/static/000000000000/bundle/player.js")
    assert (response.status_code, response.json()["error"]) == (404, "other_build")


def test_words(client: httpx.Client) -> None:
    for name in ("en.ftl", "en.run.ftl", "zh-CN.ftl", "zh-CN.run.ftl"):
        response = client.get(f"/words/{name}")
        assert response.status_code == 200
        assert ("\nfinding-" in response.text) == (".run." in name)
        again = client.get(f"/words/{name}", headers={"If-None-Match": response.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_an_unknown_link_in_a_browser(client: httpx.Client) -> None:
    response = client.get("/s/aaaaaaaaaa", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert response.status_code == 404
    assert "<h1>There is no snippet at this address, or it was removed</h1>" in response.text


def test_what_visitors_share_is_not_for_search_engines(client: httpx.Client) -> None:
    snippet_id = client.post("/api/v1/snippets", json={"source": "x = 1"}).json()["id"]
    for path in (f"/s/{snippet_id}", f"/?compare=s/{snippet_id},own"):
        assert client.get(path).headers["x-robots-tag"] == "noindex"
    for path in ("/", "/lessons"):
        assert "x-robots-tag" not in client.get(path).headers
    robots = RobotFileParser()
    robots.parse(client.get("/robots.txt").text.splitlines())
    allowed = [path for path in ("/", "/lessons", "/api/v1/lessons", f"/s/{snippet_id}") if robots.can_fetch("any", path)]
    assert allowed == ["/", "/lessons"]


def test_security_txt_stands_there_once_there_is_a_contact(client: httpx.Client, cramped: Running) -> None:
    with cramped.client() as elsewhere:
        assert elsewhere.get("/.well-known/security.txt").status_code == 404
    answer = client.get("/.well-known/security.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert fields["Contact"] == "mailto:security@stepgrad.example"
    left = datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC)
    assert timedelta(days=100) < left < timedelta(days=365)
