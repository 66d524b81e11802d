"""Rooms over HTTP: the protocol in app/rooms/README.md, and invalid requests."""

import gzip
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from app.rooms.rooms import MOST_DEVICES
from tests.rooms.classroom import API, Classroom, later
from tests.waiting import wait_until
from tests.web.server import Hosted, hosted

RAISES = {"kind": "raises", "after": 0, "until": 9}
NO, YES = ({"kind": "whether", "whether": whether} for whether in (False, True))


@pytest.fixture(scope="module")
def server() -> Iterator[Hosted]:
    """Start a server without limits on rooms and requests per address, and with a long timeout of runs."""
    bounds = {"visitor_burst": "1e6", "address_burst": "1e6", "rooms_of_one_address": "1000", "limits__wall_seconds": "120"}
    with hosted(**bounds) as up:
        yield up


@pytest.fixture
def room(server: Hosted) -> Iterator[Classroom]:
    """Open a room for one test."""
    with Classroom(server.url) as opened:
        yield opened


def test_a_lecture(room: Classroom) -> None:
    teacher, member, projector = room.teacher, room.member(), room.projector()
    with member.events() as told, projector.events() as projected:
        for stream in (told, projected):
            name, state = next(stream)
            assert name == "state" and (state["at"], state["view"], state["members"] in (0, 1)) == ("step=1", "", True)
            assert state["snippet"]["id"] == room.link and state["snippet"]["title"] == "Week 3" and "lost" not in state
        led = teacher.done("PATCH", "", {"at": "step=2&by=line", "view": "folds=module&open=m1.2", "pointer": None})
        for stream in (told, projected):
            change = next(said for name, said in stream if name == "change" and "at" in said)
            assert (change["at"], change["view"], change["n"]) == ("step=2&by=line", "folds=module&open=m1.2", led["n"])
        teacher.done("PATCH", "", {"pointer": {"pane": "graph", "on": "node 3", "x": 0.123456, "y": 1}})
        change = next(said for name, said in told if "pointer" in said)
        assert change["pointer"] == {"pane": "graph", "on": "node 3", "x": 0.1235, "y": 1.0}
        teacher.done("PATCH", "", {"selection": {"kind": "cell", "id": 3, "cell": 0}})
        assert next(said for name, said in told if "selection" in said)["selection"] == {"kind": "cell", "id": 3, "cell": 0}
        teacher.done("DELETE")
        assert [said for name, said in told][-1]["ended"] is True, "and then the stream ends"
    assert member.refused("GET", "/state") == teacher.refused("GET", "/state") == (404, "unknown_room")


def test_the_same_visitor_is_the_same_member(room: Classroom) -> None:
    member = room.member()
    assert room.person({}).refused("GET", "/qr.svg") == (409, "no_public_address"), "at loopback's address no phone reaches it"
    assert {"X-Room-Token": member.done("POST", "/members", {})["token"]} == member.credential != room.member().credential


def test_a_code_may_be_typed_small(room: Classroom) -> None:
    member = room.member()
    member.code = room.code.lower()
    assert member.state()["at"] == "step=1"
    page = member.client.get(f"/r/{room.code.lower()}")
    assert (page.status_code, page.headers["location"]) == (307, f"/r/{room.code}")
    page = member.client.get(f"/r/{room.code}", headers={"Accept": "text/html"})
    assert page.status_code == 200 and f'"room": "{room.code}"' in page.text and page.headers["x-robots-tag"] == "noindex"


def test_the_document_is_packed_once_and_sent_to_those_of_the_room(room: Classroom) -> None:
    member, stranger = room.member(), room.person({})
    recording = member.state()["snippet"]["recording"]
    path = f"/document/{recording}"
    answer = member.ask("GET", path)
    document = answer.json()
    shared = member.client.get(f"/api/v1/snippets/{room.link}").json()
    assert document == {name: shared[name] for name in ("source", "seed", "document")} | {"stand_in": False}
    assert answer.headers["content-encoding"] == "gzip" and "private" in answer.headers["cache-control"]
    assert member.ask("GET", path, Accept_Encoding="identity").json() == document
    again = member.ask("GET", path, If_None_Match=answer.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    assert member.refused("GET", f"/document/{'0' * 64}") == (404, "unknown_recording")
    assert stranger.refused("GET", path) == (403, "not_allowed")


def test_a_link_that_is_deleted_is_shown_no_more(server: Hosted) -> None:
    room = Classroom(server.url, "x = 'of no other link'\n")
    member = room.member()
    recording = member.state()["snippet"]["recording"]
    deleted = room.teacher.client.delete(f"/api/v1/snippets/{room.link}", headers={"X-Deletion-Token": room.deletion_token})
    assert deleted.status_code == 204
    assert member.refused("GET", f"/document/{recording}") == (404, "unknown_snippet")
    assert room.teacher.refused("POST", "/poll", {"question": RAISES})[0] in (404, 410)
    room.teacher.done("PATCH", "", {"at": "step=2"})
    room.__exit__()


LARGE = """import torch
for number in range({rounds}):
    x = torch.rand(256)
"""


def test_a_recording_that_is_too_large_is_refused_with_a_sentence(room: Classroom) -> None:
    client = room.teacher.client
    large = client.post("/api/v1/snippets", json={"source": LARGE.format(rounds=2500)})
    assert large.status_code == 201, large.text
    assert len(gzip.compress(client.get(f"/api/v1/snippets/{large.json()['id']}").content)) > 2 << 20
    assert room.teacher.refused("PATCH", "", {"snippet": large.json()["id"]}) == (413, "too_large_for_room")
    refused = client.post(API, json={"snippet": large.json()["id"]})
    assert (refused.status_code, refused.json()["error"]) == (413, "too_large_for_room")
    assert room.teacher.state()["snippet"]["id"] == room.link, "the room stays as it was"


def test_another_link(room: Classroom) -> None:
    member = room.member()
    link = room.teacher.client.post("/api/v1/snippets", json={"source": "x = 1\n"}).json()["id"]
    room.teacher.done("PATCH", "", {"at": "step=5"})
    room.teacher.done("PATCH", "", {"snippet": link})
    state = member.state_where(lambda state: state["snippet"]["id"] == link)
    assert state["at"] == "step=1"
    document = member.ask("GET", f"/document/{state['snippet']['recording']}").json()
    assert document["source"] == "x = 1\n"
    assert room.teacher.refused("PATCH", "", {"snippet": "nobody"}) == (404, "unknown_snippet")


def test_a_question(room: Classroom) -> None:
    teacher, one, other = room.teacher, room.member(), room.member()
    asked = teacher.done("POST", "/poll", {"question": RAISES, "shown": "hidden"})["id"]
    for member, answer in ((one, YES), (other, YES), (one, NO)):
        assert member.done("POST", "/votes", {"poll": asked, "answer": answer}) is None
    state = one.state_until("votes", {"poll": asked, "count": 2, "tally": None, "others": None})
    assert (state["poll"]["right"], state["poll"]["legal"], state["poll"]["open"]) == (None, {"form": "whether"}, True)
    assert '"right":[' not in one.ask("GET", "/state").text and '"right":[' not in room.projector().ask("GET", "/state").text
    votes = {"poll": asked, "count": 2, "tally": [[YES, 1], [NO, 1]], "others": 0, "hands": []}
    assert teacher.state_until("votes", votes)["poll"]["right"] == [NO]
    teacher.done("PATCH", "/poll", {"id": asked, "open": False, "hands": [[NO, 25]]})
    assert other.refused("POST", "/votes", {"poll": asked, "answer": NO}) == (409, "poll_closed")
    assert other.refused("POST", "/votes", {"poll": asked + 1, "answer": NO}) == (404, "no_poll")
    teacher.done("PATCH", "/poll", {"id": asked, "revealed": True})
    state = one.state_until("votes", {"poll": asked, "count": 2, "tally": [[NO, 26], [YES, 1]], "others": 0})
    assert one.state()["poll"]["right"] == [NO]
    teacher.done("DELETE", "/poll")
    assert one.state_until("poll", None)["votes"] is None


def test_the_truth_is_the_recordings(room: Classroom) -> None:
    teacher, member = room.teacher, room.member()
    question = {"kind": "grad_fn", "after": 0, "until": 10_000, "tensor": 1}
    teacher.done("POST", "/poll", {"question": question})
    poll = teacher.state_where(lambda state: state["poll"] is not None)["poll"]
    assert poll["names"] == ["MulBackward0", "SumBackward0", "torch::autograd::AccumulateGrad"]
    assert poll["right"] == [{"kind": "name", "name": "MulBackward0"}]
    assert (
        member.refused("POST", "/votes", {"poll": poll["id"], "answer": {"kind": "name", "name": "rude"}})[1]
        == "illegal_answer"
    )
    for wrong in ({"tensor": 10_000}, {"tensor": 0, "after": 9, "until": 3}, {"tensor": None}):
        assert teacher.refused("POST", "/poll", {"question": question | wrong}) == (422, "unknown_question")


def test_only_who_follows_answers(room: Classroom) -> None:
    asked = room.teacher.done("POST", "/poll", {"question": RAISES})["id"]
    token = room.person({})
    token.credential = {"X-Room-Token": token.done("POST", "/members", {})["token"]}
    assert token.refused("POST", "/votes", {"poll": asked, "answer": NO}) == (409, "not_following")
    assert token.refused("POST", "/lost", {"at": "step=1"}) == (409, "not_following")
    token.state()
    token.done("POST", "/votes", {"poll": asked, "answer": NO})


def test_lost(room: Classroom) -> None:
    members = [room.member() for _ in range(3)]
    for at in ("step=2", "step=2", "step=7&by=operator"):
        for member in members[: 1 if "7" in at else 3]:
            member.done("POST", "/lost", {"at": at})
    assert room.teacher.state_until("lost", [["step=2", 3], ["step=7&by=operator", 1]])
    assert "lost" not in members[0].state() and "lost" not in room.projector().state()


def test_polling_waits_on_the_server(room: Classroom) -> None:
    member = room.member()
    n = room.projector().state()["n"]
    stepping = later(0.5, lambda: room.teacher.done("PATCH", "", {"at": "step=3"}))
    began = time.monotonic()
    state = member.state(n, 20)
    while "at" not in state:
        state = member.state(state["n"], 20)
    assert state["at"] == "step=3" and time.monotonic() - began > 0.4
    stepping.join()
    assert member.state(2**53, 20)["at"] == "step=3", "of a number that has yet to come: all of it"
    last = member.state_until("members", 1)["n"]
    began = time.monotonic()
    assert member.state(last, 1) == {"n": last} and time.monotonic() - began > 0.9


def test_another_device_and_taking_over(room: Classroom) -> None:
    second = room.person({})
    offered = room.teacher.done("POST", "/devices", {})
    assert second.refused("POST", "/devices/claim", {"one_time_code": "AAAAAAAA"}) == (403, "not_allowed")
    claimed = second.done("POST", "/devices/claim", {"one_time_code": offered["one_time_code"]})
    second.credential = {"X-Room-Secret": claimed["secret"]}
    second.done("PATCH", "", {"at": "step=2"})
    assert room.person({}).refused("POST", "/devices/claim", {"one_time_code": offered["one_time_code"]})[1] == "not_allowed"
    thief = room.person({})
    assert thief.refused("POST", "/takeover", {}, X_Deletion_Token="forged") == (403, "not_allowed")
    answer = thief.ask("POST", "/takeover", {}, X_Deletion_Token=room.deletion_token)
    assert answer.status_code == 201
    assert room.teacher.refused("PATCH", "", {"at": "step=3"}) == second.refused("PATCH", "", {}) == (403, "not_allowed")
    assert room.projector().refused("GET", "/state") == (403, "not_allowed")
    room.teacher.credential = {"X-Room-Secret": answer.json()["secret"]}
    room.teacher.done("PATCH", "", {"at": "step=4"})
    for _ in range(MOST_DEVICES - 1):
        code = room.teacher.done("POST", "/devices", {})["one_time_code"]
        room.person({}).done("POST", "/devices/claim", {"one_time_code": code})
    assert room.teacher.refused("POST", "/devices", {}) == (409, "too_many_devices")


def test_a_link_of_somebody_else_takes_no_room_over(server: Hosted) -> None:
    with Classroom(server.url, is_owned=False) as room:
        assert room.teacher.state()["opened_on"] is None
        assert room.teacher.refused("POST", "/takeover", {}, X_Deletion_Token=room.deletion_token) == (403, "not_allowed")


def test_only_the_teacher_leads(room: Classroom) -> None:
    member, projector, stranger = room.member(), room.projector(), room.person({"X-Room-Secret": "x", "X-Room-Token": "x.y"})
    for person in (member, projector, stranger):
        for method, path, body in (
            ("PATCH", "", {"at": "step=2"}),
            ("DELETE", "", None),
            ("POST", "/devices", {}),
            ("POST", "/poll", {"question": RAISES}),
            ("PATCH", "/poll", {"id": 1, "revealed": True}),
            ("DELETE", "/poll", None),
        ):
            assert person.refused(method, path, body) == (403, "not_allowed")
    for person in (projector, stranger, room.teacher):
        assert person.refused("POST", "/votes", {"poll": 1, "answer": YES}) == (403, "not_allowed")
        assert person.refused("POST", "/lost", {"at": "step=1"}) == (403, "not_allowed")
    assert stranger.refused("GET", "/events") == stranger.refused("GET", "/state") == (403, "not_allowed")


def each(method: str, path: str, name: str, values: Iterable[Any]) -> list[tuple[str, str, Any]]:
    """Return a request for each value of a parameter."""
    return [(method, path, {name: value}) for value in values]


HOSTILE: list[tuple[str, str, Any]] = [
    *each("PATCH", "", "at", ("", "step=0", "step=1&by=node", "step=1\n", "<b>", "step=" + "9" * 99, 7, None)),
    *each("PATCH", "", "view", ("x" * 1601, "<script>", "a b", "é", None)),
    *each(
        "PATCH", "", "pointer", ({"pane": "graph", "x": x, "y": 0} for x in list[Any]([-0.1, 1.1, "0", None, 1e999, [], True]))
    ),
    *each("PATCH", "", "pointer", ({"pane": pane, "x": 0, "y": 0} for pane in ("story", "", None))),
    *each("PATCH", "", "pointer", ({"pane": "code", "on": on, "x": 0, "y": 0} for on in ("", "x" * 65, "<b>", 3))),
    *each("PATCH", "", "selection", ({}, {"kind": "x", "id": 1}, {"kind": "node", "id": -1}, [], "node")),
    *each("PATCH", "", "selection", ({"kind": "node", "id": 1, "more": 1}, {"kind": "node", "id": 1.5})),
    ("PATCH", "", {"title": "a word of mine"}),
    ("PATCH", "", []),
    *each("POST", "/poll", "question", ({}, {"kind": "free text"}, RAISES | {"text": "x"}, RAISES | {"after": -1})),
    ("POST", "/poll", {"question": RAISES, "shown": "sometimes"}),
    ("POST", "/poll", {"question": RAISES | {"until": 2**60}}),
    *(
        ("PATCH", "/poll", {"id": 1, "hands": hands})
        for hands in list[Any]([[[YES, -1]], [[YES, 1001]], [[YES, 1]] * 41, [YES], {}, [[1, 1]]])
    ),
    ("PATCH", "/poll", {"id": 1, "open": True}),
    ("PATCH", "/poll", {"id": 1, "revealed": False}),
    ("PATCH", "/poll", {"id": "1"}),
]
VOTES: list[Any] = [
    *({"kind": "number", "number": number} for number in list[Any]([10**400, "x" * 42, [], {}, 1e999])),
    {"kind": "name", "name": "x" * 101},
    {"kind": "text", "text": "rude"},
    {"kind": "whether", "whether": "yes"},
    {"kind": "whether", "whether": True, "name": "rude"},
    {"kind": "node", "node": -1},
    {"kind": "cell", "storage": 1, "cell": 2**40},
    {},
    None,
    "rude",
]


def test_whatever_is_sent_is_bounded(room: Classroom) -> None:
    for method, path, body in HOSTILE:
        content = json.dumps(body).replace("Infinity", "1e999")
        headers = {**room.teacher.credential, "Content-Type": "application/json"}
        answer = room.teacher.client.request(method, f"{API}/{room.code}{path}", content=content, headers=headers)
        assert answer.status_code == 422 and answer.json()["error"] == "invalid", (body, answer.text)
    asked = room.teacher.done("POST", "/poll", {"question": RAISES})["id"]
    for answer in VOTES:
        content = json.dumps({"poll": asked, "answer": answer}).replace("Infinity", "1e999")
        member = room.member()
        headers = {**member.credential, "Content-Type": "application/json"}
        said = member.client.post(f"{API}/{room.code}/votes", content=content, headers=headers)
        assert said.status_code == 422, (answer, said.text)
    assert room.teacher.state_where(lambda state: state["votes"] is not None)["votes"]["count"] == 0


def test_whoever_floods_is_told_to_wait(room: Classroom) -> None:
    member, teacher = room.member(), room.teacher
    asked = teacher.done("POST", "/poll", {"question": RAISES})["id"]
    said = [member.ask("POST", "/votes", {"poll": asked, "answer": YES}).status_code for _ in range(40)]
    assert said[:12] == [204] * 12 and 429 in said[12:]
    assert room.member().ask("POST", "/votes", {"poll": asked, "answer": YES}).status_code == 204, "each counts for themselves"
    pointed = [teacher.ask("PATCH", "", {"selection": {"kind": "line", "id": number}}).status_code for number in range(150)]
    assert pointed[:40] == [200] * 40 and 429 in pointed


@pytest.fixture(scope="module")
def strict() -> Iterator[Hosted]:
    """Start a server with the default rate limits for visitors, and lower limits for clients that do not lead a room."""
    with hosted(visitor_per_second="0.1", visitor_burst="10", address_burst="1e6") as up:
        yield up


def test_rooms_of_an_address(strict: Hosted) -> None:
    with Classroom(strict.url) as first, Classroom(strict.url), Classroom(strict.url):
        refused = first.teacher.client.post(API, json={"snippet": first.link})
        assert (refused.status_code, refused.json()["error"]) == (429, "too_many_rooms")
        assert "Retry-After" in refused.headers
        refused = first.teacher.client.post(API, json={"snippet": "nobody"})
        assert refused.json()["error"] == "too_many_rooms", "before the link is looked at"


def test_a_teacher_may_point_for_as_long_as_they_like(strict: Hosted) -> None:
    with Classroom(strict.url) as room:
        for number in range(40):
            room.teacher.done("PATCH", "", {"pointer": {"pane": "graph", "x": number / 40, "y": 0}})


def test_codes_cannot_be_guessed_and_tell_nothing() -> None:
    """Uses a separate server, because after too many wrong codes the server also refuses valid codes from that address."""
    settings = {"visitor_burst": "1e6", "address_burst": "1e6", "public_address": "https://stepgrad.example"}
    with hosted(**settings) as server:
        with Classroom(server.url) as room, Classroom(server.url) as ended:
            member = room.member()
            drawn = member.ask("GET", "/qr.svg")
            assert drawn.headers["content-type"].startswith("image/svg+xml") and drawn.text.startswith("<svg")
            ended.teacher.done("DELETE")
            with httpx.Client(base_url=server.url, headers={"Accept": "text/html"}, timeout=60) as stranger:
                wrong = ("AAAAAA", ended.code, "nocode", "IIIIII", "%3Cb%3E")
                pages = {re.sub("[A-Z]{6}", "", stranger.get(f"/r/{code}").text) for code in wrong}
                assert len(pages) == 1, "the same page for each"
                answers = {stranger.post(f"{API}/{code}/members", json={}).text for code in wrong}
                assert len(answers) == 1 and json.loads(answers.pop())["error"] == "unknown_room"

                claim = partial(stranger.post, f"{API}/{room.code}/devices/claim", json={"one_time_code": "AAAAAAAA"})
                wait_until(lambda: claim().json()["error"] == "too_many_guesses")

                def guesses_are_refused() -> httpx.Response | None:
                    answer = stranger.post(f"{API}/AAAAAA/members", json={})
                    return answer if answer.status_code == 429 else None

                def check_refused(ask: Callable[[], httpx.Response]) -> None:
                    """Wait until a request is refused just after a wrong guess was. Each second allows another guess."""
                    wait_until(lambda: guesses_are_refused() is not None and ask().status_code == 429)

                refused = wait_until(guesses_are_refused)
                assert refused is not None and refused.json()["error"] == "too_many_guesses"
                assert int(refused.headers["retry-after"]) >= 1
                forged = {"X-Room-Token": "forged.forged"}
                for path in (f"{API}/{room.code}/qr.svg", f"/r/{room.code}", f"{API}/{room.code}/state"):
                    check_refused(partial(stranger.get, path, headers=forged))
                check_refused(lambda: stranger.post(f"{API}/{room.code}/members", json={}))
            assert member.state()["at"] == "step=1" and room.teacher.done("PATCH", "", {"at": "step=2"}), "the lecture goes on"
        assert "AAAAAA" not in server.log.read_text()


def test_no_secret_stands_in_the_log(server: Hosted, room: Classroom) -> None:
    member = room.member()
    offered = room.teacher.done("POST", "/devices", {})["one_time_code"]
    claimed = room.person({}).done("POST", "/devices/claim", {"one_time_code": offered})
    secrets = [room.secret, room.projector_secret, room.deletion_token, offered, claimed["secret"], *member.credential.values()]
    log = server.log.read_text()
    assert log and not any(secret in log for secret in secrets)


def test_metrics(room: Classroom) -> None:
    with room.member().events() as told:
        next(told)
        metrics = room.teacher.client.get("/metrics").text
    assert re.search(r"^stepgrad_rooms [1-9]", metrics, re.M) and "stepgrad_room_followers 1.0" in metrics
