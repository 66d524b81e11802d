"""Variants in rooms over HTTP: many concurrent runs, data that only the teacher can see, and invalid requests."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.rooms.classroom import Classroom, Person
from tests.web.server import Hosted, hosted

STALE = "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\n{}\n"
RIGHT = STALE.format("(w * w).sum().backward()")
OTHER = STALE.format("(w + w).sum().backward()  # a secret")
RAISES = STALE.format("raise ValueError('a secret')")
RUDE = STALE.format("class ASecret(Exception): pass\nraise ASecret")
WRONG = STALE.format("y = (w * w).sum()\nw.data.zero_()\ny.backward()")


@pytest.fixture(scope="module")
def server() -> Iterator[Hosted]:
    """Start a server without limits on rooms and requests per address."""
    with hosted(visitor_burst="1e6", address_burst="1e6", rooms_of_one_address="1000") as up:
        yield up


@pytest.fixture
def room(server: Hosted) -> Iterator[Classroom]:
    """Open a room for one test."""
    with Classroom(server.url, RIGHT) as opened:
        yield opened


def sent(person: Person, number: int, source: str) -> Any:
    """Run `source` as a variant."""
    return person.done("POST", "/variants/runs", {"variants": number, "source": source})


def counts(state: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the groups of variants in a room's state, largest first."""
    told = state["variants"]["classes"]
    return [(each["kind"], each["exception"], each["line"], each["count"]) for each in told]


def test_a_class_runs_at_once(room: Classroom) -> None:
    number = room.teacher.done("POST", "/variants", {})["id"]
    sources = [RIGHT, OTHER, RAISES, RUDE, WRONG]
    members = [room.member() for _ in range(13)]
    work = [
        *zip(members[:9], [RIGHT, RAISES, WRONG] * 3, strict=True),
        *zip(members[9:], [OTHER, RUDE, RUDE, RUDE], strict=True),
    ]
    with ThreadPoolExecutor(len(work)) as together:
        documents = list(together.map(lambda each: sent(each[0], number, each[1]), work))
    assert all(document["trace"]["source"] in sources for document in documents), "a student sees their own run"
    member = members[0].state_where(lambda state: state["variants"]["count"] == 13)
    assert sorted(counts(member), key=str) == sorted(
        [("finished", None, None, 3), ("raised", "ValueError", 3, 3), ("raised", None, 4, 3), ("silently_wrong", None, 4, 3)],
        key=str,
    )
    assert member["variants"]["others"] == 1
    for person in (members[0], room.projector()):
        assert "secret" not in person.ask("GET", "/state").text.lower() and "w.grad" not in person.ask("GET", "/state").text
    teacher = room.teacher.state_where(lambda state: state["variants"]["count"] == 13)
    by_lines = {tuple(each["lines"]): each for each in teacher["variants"]["classes"]}
    other = by_lines["w = [1, 2]", "w.grad = [2, 2]"]
    assert room.teacher.done("GET", f"/variants/{other['id']}") == {
        "seed": 0,
        "stand_in": False,
        "variants": [{"source": OTHER, "count": 1}],
    }
    assert "ASecret" in {each["exception"] for each in teacher["variants"]["classes"]}
    for person in (members[0], room.projector(), room.person({})):
        assert person.refused("GET", f"/variants/{other['id']}") == (403, "not_allowed")
    link = room.teacher.client.post("/api/v1/snippets", json={"source": OTHER}).json()["id"]
    room.teacher.done("PATCH", "/variants", {"id": number, "hidden": True, "picked": [{"id": other["id"], "link": link}]})
    hidden = members[0].state_where(lambda state: state["variants"]["hidden"])["variants"]
    assert (hidden["classes"], hidden["picked"]) == (None, []), "what is hidden stays on no page of the class"
    assert link not in json.dumps(members[0].state())
    room.teacher.done("PATCH", "/variants", {"id": number, "hidden": False, "open": False})
    shown = members[0].state_where(lambda state: not state["variants"]["hidden"])["variants"]
    assert other["id"] in {each["id"] for each in shown["classes"]}
    assert members[0].refused("POST", "/variants/runs", {"variants": number, "source": OTHER}) == (409, "variants_closed")
    room.teacher.done("DELETE", "/variants")
    assert members[0].state_until("variants", None)


def test_one_variant_of_each_member_counts_and_its_stream_tells_how_it_goes(room: Classroom) -> None:
    number = room.teacher.done("POST", "/variants", {})["id"]
    member = room.member()
    for source in (RIGHT, OTHER, RAISES):
        sent(member, number, source)
    body = {"variants": number, "source": OTHER}
    told = member.ask("POST", "/variants/runs", body, Accept="text/event-stream")
    assert told.status_code == 200 and "event: document\n" in told.text
    ends = ["w = [1, 2]", "w.grad = [2, 2]"]
    state = room.teacher.state_where(lambda state: [each["lines"] for each in state["variants"]["classes"]] == [ends])
    assert (counts(state), state["variants"]["count"]) == ([("finished", None, None, 1)], 1)


def test_hostile_clients_are_refused(room: Classroom) -> None:
    member, stranger = room.member(), room.person({"X-Room-Token": "forged.token"})
    teacher, body = room.teacher, {"variants": 1, "source": "x = 1\n"}
    assert member.refused("POST", "/variants/runs", body) == (404, "no_variants")
    for person in (member, stranger, room.projector()):
        assert person.refused("POST", "/variants", {}) == person.refused("DELETE", "/variants") == (403, "not_allowed")
        assert person.refused("PATCH", "/variants", {"id": 1, "open": False}) == (403, "not_allowed")
    number = teacher.done("POST", "/variants", {})["id"]
    body["variants"] = number
    assert stranger.refused("POST", "/variants/runs", body)[1] == "not_allowed"
    assert teacher.refused("POST", "/variants/runs", body) == (403, "not_allowed")
    assert member.refused("POST", "/variants/runs", {**body, "variants": number + 1}) == (404, "no_variants")
    assert member.refused("POST", "/variants/runs", {**body, "source": "#" * 8193}) == (413, "too_large_variant")
    assert member.refused("POST", "/variants/runs", {**body, "source": " "}) == (422, "empty_snippet")
    no_bodies: list[Any] = [
        {**body, "variants": "1"},
        {**body, "name": "me"},
        {**body, "variants": -1},
        {"variants": number},
        [],
    ]
    for no_body in no_bodies:
        assert room.member().ask("POST", "/variants/runs", no_body).status_code == 422
    for wrong in ([{"id": 5, "link": "nobody"}], [{"id": 5, "link": room.link}]):
        assert teacher.refused("PATCH", "/variants", {"id": number, "picked": wrong})[0] == 404
    assert teacher.refused("GET", "/variants/5") == (404, "unknown_class")
    flood = [member.ask("POST", "/variants/runs", {**body, "variants": 1}).status_code for _ in range(30)]
    assert flood[-1] == 429 and teacher.state()["variants"]["count"] == 0
