"""The OpenAPI description contains every route. Every error has an example, and every example matches its schema."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest

from app.examples import Example
from app.explain import Document
from app.explain.corrected_records import KnownGradients
from app.lectures import Plan
from app.lessons import Lesson
from app.web.lectures.kept_lectures import ShownLecture
from app.web.models import Address, Error, Health, Link
from app.web.rooms import room_models, variant_models
from app.web.runs.trials import Trials

ROUTES = {
    ("post", "/api/v1/traces"),
    ("delete", "/api/v1/runs/{run_id}"),
    ("post", "/api/v1/snippets"),
    ("get", "/api/v1/snippets/{snippet_id}"),
    ("delete", "/api/v1/snippets/{snippet_id}"),
    ("patch", "/api/v1/snippets/{snippet_id}"),
    ("get", "/api/v1/snippets/{snippet_id}/qr.svg"),
    ("get", "/api/v1/snippets/{snippet_id}/recording.html"),
    ("post", "/api/v1/snippets/{snippet_id}/reports"),
    ("post", "/api/v1/snippets/{snippet_id}/picture"),
    ("post", "/api/v1/pictures"),
    ("get", "/api/v1/address"),
    ("get", "/api/v1/recordings/{recording_hash}"),
    ("post", "/api/v1/right"),
    ("post", "/api/v1/trials"),
    ("post", "/api/v1/snippets/{snippet_id}/trials"),
    ("get", "/api/v1/snippets/{snippet_id}/right"),
    ("get", "/api/v1/lessons"),
    ("get", "/api/v1/lessons/{slug}"),
    ("get", "/api/v1/examples"),
    ("get", "/api/v1/health"),
    ("get", "/api/v1/health/deep"),
    ("post", "/api/v1/rooms"),
    ("patch", "/api/v1/rooms/{code}"),
    ("delete", "/api/v1/rooms/{code}"),
    ("post", "/api/v1/rooms/{code}/members"),
    ("get", "/api/v1/rooms/{code}/events"),
    ("get", "/api/v1/rooms/{code}/state"),
    ("get", "/api/v1/rooms/{code}/document/{recording}"),
    ("get", "/api/v1/rooms/{code}/qr.svg"),
    ("post", "/api/v1/rooms/{code}/devices"),
    ("post", "/api/v1/rooms/{code}/devices/claim"),
    ("post", "/api/v1/rooms/{code}/takeover"),
    ("post", "/api/v1/rooms/{code}/poll"),
    ("patch", "/api/v1/rooms/{code}/poll"),
    ("delete", "/api/v1/rooms/{code}/poll"),
    ("post", "/api/v1/rooms/{code}/votes"),
    ("post", "/api/v1/rooms/{code}/variants"),
    ("patch", "/api/v1/rooms/{code}/variants"),
    ("delete", "/api/v1/rooms/{code}/variants"),
    ("get", "/api/v1/rooms/{code}/variants/{place}"),
    ("post", "/api/v1/rooms/{code}/variants/runs"),
    ("post", "/api/v1/rooms/{code}/lost"),
    ("post", "/api/v1/lectures"),
    ("get", "/api/v1/lectures/{lecture_id}"),
    ("patch", "/api/v1/lectures/{lecture_id}"),
    ("delete", "/api/v1/lectures/{lecture_id}"),
    ("post", "/api/v1/lectures/{lecture_id}/reports"),
    ("get", "/api/v1/lectures/{lecture_id}/qr.svg"),
    ("get", "/api/v1/lectures/{lecture_id}/lecture.html"),
    ("get", "/api/v1/plans"),
    ("get", "/api/v1/plans/{slug}"),
    ("get", "/api/v1/plans/{slug}/lecture.html"),
    ("get", "/api/v1/lessons/{slug}/document"),
    ("get", "/api/v1/lessons/{slug}/fixed/document"),
}


@pytest.fixture(scope="module")
def description(client: httpx.Client) -> Any:
    return client.get("/openapi.json").json()


def example_of(description: Any, content: Any) -> Any:
    """Return the example of a response, which may be in its first component."""
    if "example" in content:
        return content["example"]

    def of_schema(schema: Any) -> Any:
        if "$ref" in schema:
            return description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["examples"][0]
        if "items" in schema:
            return [of_schema(schema["items"])]
        if "allOf" in schema:
            return {key: value for each in schema["allOf"] for key, value in of_schema(each).items()}
        if "anyOf" in schema:
            return of_schema(schema["anyOf"][0])
        return {key: of_schema(each) for key, each in schema["properties"].items()}

    return of_schema(content["schema"])


def operations(description: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def test_every_route_is_described(description: Any) -> None:
    assert description["openapi"].startswith("3.1")
    assert {(method, path) for method, path, _ in operations(description)} == ROUTES
    for _, _, operation in operations(description):
        assert operation["description"].endswith(".")


def test_what_is_not_there_is_answered_as_described(client: httpx.Client, description: Any) -> None:
    for method, path, operation in operations(description):
        if method == "get" and "{" in path:
            answer = client.get(re.sub(r"\{\w+\}", "nothing-here", path))
            assert str(answer.status_code) in operation["responses"], path


def test_every_answer_has_a_true_example(description: Any) -> None:
    for method, path, operation in operations(description):
        for status, response in operation["responses"].items():
            if status in ("204", "304"):
                assert "content" not in response
                continue
            if path.startswith("/api/v1/recordings/") and status == "200":
                lines = response["content"]["application/x-ndjson"]["example"].splitlines()
                assert next(json.loads(line) for line in lines)["pieces"] == len(lines)
                continue
            if path.endswith(("/qr.svg", "/recording.html", "/lecture.html", "/events")) and status == "200":
                kinds = {".svg": "image/svg+xml", "html": "text/html", "ents": "text/event-stream"}
                assert list(response["content"]) == [kinds[path[-4:]]]
                continue
            if path.endswith(("/picture", "/pictures")) and status == "200":
                assert {"image/svg+xml", "application/pdf", "image/png", "text/vnd.graphviz"} == set(response["content"])
                continue
            example = example_of(description, response["content"]["application/json"])
            assert ("Retry-After" in response.get("headers", {})) == (status in ("429", "503"))
            if path.startswith("/api/v1/health") and status in ("200", "503"):
                Health.model_validate(example)
            elif int(status) >= 400:
                Error.model_validate(example)
            elif path.startswith("/api/v1/rooms") and not path.endswith(("/{recording}", "/runs")):
                check_answer_of_room(response["content"]["application/json"]["schema"], example)
            elif path == "/api/v1/address":
                Address.model_validate(example)
            elif method == "post" and path in ("/api/v1/snippets", "/api/v1/lectures"):
                Link.model_validate(example)
            else:
                shown = example.get("document", example) if isinstance(example, dict) else example
                msgspec.convert(shown, type_of_answer(path))


def type_of_answer(path: str) -> Any:
    """Return the msgspec type of a response that is not a pydantic model."""
    listed = {"/api/v1/plans": list[Plan], "/api/v1/lessons": list[Lesson], "/api/v1/examples": list[Example]}
    if path in listed:
        return listed[path]
    of_paths = {"/api/v1/plans/": Plan, "/api/v1/lectures": ShownLecture, "/api/v1/lessons/": Lesson}
    for start, answer in of_paths.items():
        if path.startswith(start) and not path.endswith("/document"):
            return answer
    return {"/right": KnownGradients, "trials": Trials}.get(path[-6:], Document)


def check_answer_of_room(schema: Any, example: Any) -> None:
    """Assert that an example matches one of the models of a room, or its state."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        (getattr(room_models, name, None) or getattr(variant_models, name)).model_validate(example)
    else:
        assert schema["required"] == ["n"] and type(example["n"]) is int


def test_example_requests_run(client: httpx.Client, description: Any) -> None:
    for example in description["components"]["schemas"]["Snippet"]["examples"]:
        assert client.post("/api/v1/traces", json=example).status_code == 200
        assert client.post("/api/v1/snippets", json=example).status_code == 201


def test_examples_have_the_keys_of_real_answers(client: httpx.Client, description: Any) -> None:
    def example(path: str) -> Any:
        return example_of(description, description["paths"][path]["get"]["responses"]["200"]["content"]["application/json"])

    assert example("/api/v1/health").keys() == client.get("/api/v1/health").json().keys()
    lessons = client.get("/api/v1/lessons").json()
    assert example("/api/v1/lessons")[0] in lessons
    assert example("/api/v1/lessons")[0].keys() == set().union(*(lesson.keys() for lesson in lessons))
    assert example("/api/v1/lessons/{slug}") == example("/api/v1/lessons")[0]
    snippet_id = client.post("/api/v1/snippets", json={"source": "x = 1"}).json()["id"]
    assert example("/api/v1/snippets/{snippet_id}").keys() == client.get(f"/api/v1/snippets/{snippet_id}").json().keys()


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
