"""Rooms of two webs: opened at one, followed at the other; one of them dies, stops, stands still, or loses Redis."""

import signal
import time
from collections.abc import Iterator

import httpx
import pytest

from app.fleet import names
from tests.fleet.webs import Webs, running_webs
from tests.postgresql import Cluster
from tests.redis_server import RedisServer, redis_server
from tests.rooms.classroom import API, Classroom, Person
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until
from tests.web.server import Running

QUESTION = {"kind": "raises", "after": 0, "until": 9}
NO, YES = ({"kind": "whether", "whether": whether} for whether in (False, True))
BACK_SECONDS = 4.0
"""Within so long whoever followed a room of a web that died can go on: 2.5 s, and what a machine of others takes besides."""


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


@pytest.fixture(scope="module")
def webs(redis: RedisServer, cluster: Cluster) -> Iterator[Webs]:
    with cluster.database() as database, running_webs(redis, database) as up:
        yield up


def at(web: Running, person: Person) -> Person:
    """Somebody whose next requests reach this web."""
    person.client.base_url = httpx.URL(web.url)
    return person


def test_a_lecture_over_two_webs(webs: Webs) -> None:
    here, there = webs
    with Classroom(here.url) as room:
        member, near = at(there, room.member()), room.member()
        far = at(there, room.projector())
        with member.events() as told, near.events() as beside, far.events() as projected:
            for stream in (told, beside, projected):
                assert next(stream)[0] == "state"
            led = at(there, room.teacher).done("PATCH", "", {"at": "step=2"})
            for stream in (told, beside, projected):
                assert next(said for _, said in stream if "at" in said)["n"] == led["n"]
            asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]
            member.done("POST", "/votes", {"poll": asked, "answer": NO})
            at(here, member).done("POST", "/votes", {"poll": asked, "answer": YES})
            at(there, near).done("POST", "/votes", {"poll": asked, "answer": NO})
            near.done("POST", "/lost", {"at": "step=2"})
            votes = {"poll": asked, "count": 2, "tally": [[YES, 1], [NO, 1]], "others": 0}
            assert next(said for _, said in told if said.get("votes") == votes)
            joined = member.client.post(f"{there.url}/api/v1/rooms/{room.code.lower()}/members", json={})
            assert joined.json()["token"] == member.credential["X-Room-Token"], "the same visitor is the same member"
            recording = at(there, member).state()["snippet"]["recording"]
            document = member.ask("GET", f"/document/{recording}")
            assert document.headers["content-encoding"] == "gzip" and document.json()["source"].startswith("import torch")
            again = member.ask("GET", f"/document/{recording}", If_None_Match=document.headers["etag"])
            assert (again.status_code, again.content) == (304, b"")
            assert len(document.headers.get_list("content-security-policy")) == 1 == len(document.headers.get_list("date"))
            assert at(there, room.person({})).refused("GET", "/state") == (403, "not_allowed")
            page = member.client.get(f"{there.url}/r/{room.code}", headers={"Accept": "text/html"})
            assert page.status_code == 200
            at(there, room.teacher).done("DELETE")
            assert [said for _, said in told][-1]["ended"] is True
        assert at(there, member).refused("GET", "/state") == at(here, member).refused("GET", "/state") == (404, "unknown_room")


def ends(stream: Iterator[tuple[str, dict[str, object]]]) -> float:
    """How long it takes until a stream ends, or breaks off."""
    began = time.monotonic()
    try:
        for _ in stream:
            pass
    except httpx.TransportError:
        pass
    return time.monotonic() - began


def done(person: Person, method: str, body: object) -> None:
    """What is done once the room is reached again; refused until then, with a sentence."""

    def is_done() -> bool:
        answer = person.ask(method, "", body)
        assert answer.is_success or answer.status_code == 503, answer.text
        return answer.is_success

    wait_until(is_done)


def killed(webs: Webs, within: float) -> None:
    """A web dies with a room that is followed by way of another one: who votes and leads goes on there with all that was kept."""
    stays = webs[1]
    with webs.another() as dies, Classroom(dies.url) as room:
        members = [room.member() for _ in range(3)]
        for member in members:
            at(stays, member).state()
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]
        with members[0].events() as told:
            next(told)
            for member in members:
                member.done("POST", "/votes", {"poll": asked, "answer": NO})
            last = members[1].state_where(lambda state: (state["votes"] or {}).get("count") == 3)["n"]
            dies.kill()
            began = time.monotonic()
            assert ends(told) < within / 2, "at once, so that the page comes back"
        done(at(stays, room.teacher), "PATCH", {"at": "step=4"})
        assert time.monotonic() - began < within
        state = members[0].state_where(lambda state: state["at"] == "step=4")
        assert state["n"] > last and state["votes"]["count"] == 3 and state["poll"]["open"]
        members[2].state()
        members[2].done("POST", "/votes", {"poll": asked, "answer": YES})
        room.teacher.state_where(lambda state: state["votes"]["tally"] == [[NO, 2], [YES, 1]])


def test_a_web_is_killed(webs: Webs) -> None:
    killed(webs, PATIENCE)


@pytest.mark.long
def test_a_web_is_killed_20_times(webs: Webs) -> None:
    for _ in range(20):
        killed(webs, BACK_SECONDS)


def test_a_web_that_stood_still_overwrites_nothing(webs: Webs) -> None:
    stands, goes_on = webs
    with Classroom(stands.url) as room:
        member = at(goes_on, room.member())
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]
        room.teacher.done("PATCH", "", {"at": "step=3"})
        with member.events() as told:
            next(told)
            stands.process.send_signal(signal.SIGSTOP)
            try:
                assert ends(told) < PATIENCE, "a web of which Redis hears nothing is gone"
                member.state()
                member.done("POST", "/votes", {"poll": asked, "answer": NO})
                at(goes_on, room.teacher).done("PATCH", "", {"at": "step=5"})
                time.sleep(1.5)  # noqa: TID251 - four seconds in all, and what was led is written
            finally:
                stands.process.send_signal(signal.SIGCONT)
        late = at(stands, room.teacher).ask("PATCH", "", {"at": "step=6"})
        assert late.status_code in (200, 503), "it is passed on, or refused until then; it is not lost"
        at(stands, member)
        state = member.state_where(lambda state: state["at"] == ("step=6" if late.status_code == 200 else "step=5"))
        assert state["votes"]["count"] == 1
        room.teacher.done("PATCH", "/poll", {"id": asked, "revealed": True})
        assert at(goes_on, member).state_where(lambda state: state["poll"]["right"] == [NO])


def test_a_web_that_stops_hands_its_rooms_over(webs: Webs) -> None:
    stays = webs[1]
    with webs.another() as stops:
        room = Classroom(stops.url)
        member = at(stays, room.member())
        with member.events() as told:
            next(told)
            led = room.teacher.done("PATCH", "", {"at": "step=7"})
            held = webs.redis.tell("GET", names.room(room.code))
            stops.process.terminate()
            ends(told)
        assert webs.redis.tell("GET", names.room(room.code)) != held, "others may have it already"
        state = member.state()
        assert state["at"] == "step=7" and state["n"] > led["n"]
        done(at(stays, room.teacher), "PATCH", {"at": "step=8"})
        assert stops.process.wait(PATIENCE) == stops.end
        room.__exit__()


def test_without_redis_rooms_are_read_only(webs: Webs, redis: RedisServer) -> None:
    here, there = webs
    with Classroom(here.url) as room:
        near, far = room.member(), room.member()
        with near.events() as told:
            next(told)
            redis.kill()
            try:
                wait_until(lambda: not room.teacher.ask("PATCH", "", {"at": "step=2"}).is_success)
                answer = room.teacher.ask("PATCH", "", {"at": "step=2"})
                assert (answer.status_code, answer.json()["error"]) == (503, "room_read_only")
                assert answer.headers["retry-after"] == "2"
                assert near.state()["at"] == "step=2" and next(said for _, said in told if "at" in said)["at"] == "step=2"
                refused = at(there, far).ask("GET", "/state")
                assert (refused.status_code, refused.json()["error"]) == (503, "room_unreachable")
                assert far.client.get(f"{there.url}/r/{room.code}").status_code == 200, "the page is there, and comes back"
                opened = room.teacher.client.post(API, json={"snippet": room.link})
                assert (opened.status_code, opened.json()["error"]) == (503, "room_unreachable")
            finally:
                redis.start()
            done(room.teacher, "PATCH", {"at": "step=3"})
            assert next(said for _, said in told if said.get("at") == "step=3"), "the same stream"
            assert far.state()["at"] == "step=3"


def test_who_speaks_for_others_must_be_a_web(webs: Webs) -> None:
    with Classroom(webs[0].url) as room:
        for header in ("", "x", "e30=.00", "." * 2000):
            refused = room.teacher.ask("PATCH", "", {"at": "step=2"}, X_Stepgrad_Forwarded=header)
            assert (refused.status_code, refused.json()["error"]) == (403, "not_forwarded")
        assert room.teacher.client.get(webs[1].url, headers={"X-Stepgrad-Forwarded": "x.y"}).status_code == 403
