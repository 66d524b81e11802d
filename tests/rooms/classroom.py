"""A room over HTTP with a teacher and students. Requests are sent one at a time."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Self

import httpx

from tests.rooms.crowd import SNIPPET
from tests.sandbox.processes import PATIENCE

API = "/api/v1/rooms"


class Person:
    """A teacher or student with a separate HTTP client. `credential` is the header that proves the role."""

    def __init__(self, url: str, code: str, credential: dict[str, str]) -> None:
        self.client = httpx.Client(base_url=url, timeout=PATIENCE, verify=False)
        self.code = code
        self.credential = credential

    def ask(self, method: str, path: str = "", body: object = None, **headers: str) -> httpx.Response:
        """Send a request to a path of the room."""
        sent = {**self.credential, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.client.request(method, f"{API}/{self.code}{path}", json=body, headers=sent)

    def done(self, method: str, path: str = "", body: object = None) -> Any:
        """Send a request, assert that it succeeds, and return the response's content."""
        answer = self.ask(method, path, body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def refused(self, method: str, path: str = "", body: object = None, **headers: str) -> tuple[int, str]:
        """Send a request, assert that it fails as documented, and return its status and error code."""
        answer = self.ask(method, path, body, **headers)
        for described, operations in _paths(str(self.client.base_url)).items():
            if re.fullmatch(re.sub(r"{\w+}", "[^/]+", described), answer.url.path) and method.lower() in operations:
                assert str(answer.status_code) in operations[method.lower()]["responses"], answer.text
        told = answer.json()
        assert told.keys() == {"error", "message", "hint"} and all(told.values())
        assert ("Retry-After" in answer.headers) == (answer.status_code == 429)
        return answer.status_code, told["error"]

    def state(self, after: int = 0, wait: int = 0) -> dict[str, Any]:
        return dict(self.done("GET", f"/state?after={after}&wait={wait}"))

    def state_until(self, key: str, value: object) -> dict[str, Any]:
        """Poll until a key of the state has a value. Return the state."""
        return self.state_where(lambda state: state[key] == value)

    def state_where(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Poll until a condition is true. Return the state."""
        state = self.state()
        while not holds(state):
            state |= self.state(state["n"], 20)
        return state

    @contextmanager
    def events(self) -> Iterator[Iterator[tuple[str, dict[str, Any]]]]:
        """Open the event stream. Yield an iterator of event names and data. A comment has the name "comment" and no data."""
        with self.client.stream("GET", f"{API}/{self.code}/events", headers=self.credential) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
            yield _events(answer.iter_lines())


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in lines:
        if line.startswith(":"):
            yield "comment", {}
        elif line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


@cache
def _paths(url: str) -> dict[str, Any]:
    return dict(httpx.get(f"{url}/openapi.json", verify=False).json()["paths"])


class Classroom:
    """A room with a new link."""

    def __init__(self, url: str, source: str = SNIPPET.format(2), *, is_owned: bool = True) -> None:
        self.url = url
        self.teacher = Person(url, "", {})
        self.people = [self.teacher]
        link = self.teacher.client.post("/api/v1/snippets", json={"source": source, "title": "Week 3"})
        assert link.status_code == 201, link.text
        self.link, self.deletion_token = link.json()["id"], link.json()["deletion_token"]
        headers = {"X-Deletion-Token": self.deletion_token} if is_owned else {}
        opened = self.teacher.client.post(API, json={"snippet": self.link}, headers=headers)
        assert opened.status_code == 201, opened.text
        told = opened.json()
        self.code, self.secret, self.projector_secret = told["code"], told["secret"], told["projector"]
        self.teacher.code = self.code
        self.teacher.credential = {"X-Room-Secret": self.secret}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.teacher.ask("DELETE")
        for person in self.people:
            person.client.close()

    def person(self, credential: dict[str, str]) -> Person:
        self.people.append(person := Person(self.url, self.code, credential))
        return person

    def member(self) -> Person:
        """Add a student who follows the teacher."""
        person = self.person({})
        person.credential = {"X-Room-Token": person.done("POST", "/members", {})["token"]}
        person.state()
        return person

    def projector(self) -> Person:
        """Return the projector's window of the teacher."""
        return self.person({"X-Room-Secret": self.projector_secret})


def later(seconds: float, work: Any) -> threading.Timer:
    """Call a function after `seconds`, in another thread."""
    timer = threading.Timer(seconds, work)
    timer.start()
    return timer
