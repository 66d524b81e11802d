"""The OpenAPI description: every route is in it, every error has an example in the one shape, and examples are true."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest

from app.explain import Document
from app.explain.corrected.gradients import KnownGradients
from app.lessons import Lesson
from app.web.models import Address, Error, Health, Link
from app.web.trials import Trials

ROUTES = {
    ("post", "/api/traces"),
    ("delete", "/api/runs/{run_id}"),
    ("post", "/api/snippets"),
    ("get", "/api/snippets/{snippet_id}"),
    ("delete", "/api/snippets/{snippet_id}"),
    ("patch", "/api/snippets/{snippet_id}"),
    ("get", "/api/snippets/{snippet_id}/qr.svg"),
    ("get", "/api/snippets/{snippet_id}/recording.html"),
    ("post", "/api/snippets/{snippet_id}/reports"),
    ("post", "/api/snippets/{snippet_id}/picture"),
    ("post", "/api/pictures"),
    ("get", "/api/address"),
    ("get", "/api/recordings/{recording_hash}"),
    ("post", "/api/right"),
    ("post", "/api/trials"),
    ("post", "/api/snippets/{snippet_id}/trials"),
    ("get", "/api/snippets/{snippet_id}/right"),
    ("get", "/api/lessons"),
    ("get", "/api/lessons/{slug}"),
    ("get", "/api/health"),
    ("get", "/api/health/deep"),
}


@pytest.fixture(scope="module")
def description(client: httpx.Client) -> Any:
    return client.get("/openapi.json").json()


def operations(description: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def test_every_route_is_described(description: Any) -> None:
    assert description["openapi"].startswith("3.1")
    assert {(method, path) for method, path, _ in operations(description)} == ROUTES
    for _, _, operation in operations(description):
        assert operation["description"].endswith(".")


def test_every_answer_has_a_true_example(description: Any) -> None:
    for method, path, operation in operations(description):
        for status, response in operation["responses"].items():
            if status in ("204", "304"):
                assert "content" not in response
                continue
            if path.startswith("/api/recordings/") and status == "200":
                lines = response["content"]["application/x-ndjson"]["example"].splitlines()
                assert next(json.loads(line) for line in lines)["pieces"] == len(lines)
                continue
            if path.endswith(("/qr.svg", "/recording.html")) and status == "200":
                assert list(response["content"]) == ["image/svg+xml" if path.endswith(".svg") else "text/html"]
                continue
            if path.endswith(("/picture", "/pictures")) and status == "200":
                assert {"image/svg+xml", "application/pdf", "image/png", "text/vnd.graphviz"} == set(response["content"])
                continue
            example = response["content"]["application/json"]["example"]
            assert ("Retry-After" in response.get("headers", {})) == (status in ("429", "503"))
            if path.startswith("/api/health") and status in ("200", "503"):
                Health.model_validate(example)
            elif int(status) >= 400:
                Error.model_validate(example)
            elif path == "/api/address":
                Address.model_validate(example)
            elif method == "post" and path == "/api/snippets":
                Link.model_validate(example)
            elif path.startswith("/api/lessons"):
                msgspec.convert(example if path == "/api/lessons" else [example], list[Lesson])
            elif path.endswith("/right"):
                msgspec.convert(example, KnownGradients)
            elif path.endswith("/trials"):
                msgspec.convert(example, Trials)
            else:
                msgspec.convert(example.get("document", example), Document)


def test_example_requests_run(client: httpx.Client, description: Any) -> None:
    for example in description["components"]["schemas"]["Snippet"]["examples"]:
        assert client.post("/api/traces", json=example).status_code == 200
        assert client.post("/api/snippets", json=example).status_code == 201


def test_examples_have_the_keys_of_real_answers(client: httpx.Client, description: Any) -> None:
    def example(path: str) -> Any:
        return description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["example"]

    assert example("/api/health").keys() == client.get("/api/health").json().keys()
    lessons = client.get("/api/lessons").json()
    assert example("/api/lessons")[0].keys() == {"fixed"}.union(*(lesson.keys() for lesson in lessons))
    assert example("/api/lessons/{slug}") == example("/api/lessons")[0]
    snippet_id = client.post("/api/snippets", json={"source": "x = 1"}).json()["id"]
    assert example("/api/snippets/{snippet_id}").keys() == client.get(f"/api/snippets/{snippet_id}").json().keys()


def test_every_reference_leads_somewhere(description: Any) -> None:
    def references(tree: Any) -> Iterator[str]:
        if isinstance(tree, dict):
            for key, value in tree.items():
                if key == "$ref":
                    yield value
                else:
                    yield from references(value)
        elif isinstance(tree, list):
            for value in tree:
                yield from references(value)

    for reference in set(references(description)):
        place = description
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]
