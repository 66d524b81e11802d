"""Rooms of two webs behind HAProxy: which web has a room, and what a class notices when that web dies, stops or freezes."""

import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from tests.fleet.webs import Web, Webs, running_webs
from tests.postgresql import Cluster
from tests.rooms.classroom import Classroom, Person
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

QUESTION = {"kind": "raises", "after": 0, "until": 9}
NO, YES = ({"kind": "whether", "whether": whether} for whether in (False, True))
BACK_SECONDS = 1.0
"""The maximum time in seconds until a class can continue after its web died."""


@pytest.fixture(scope="module")
def database(cluster: Cluster) -> Iterator[str]:
    with cluster.database() as url:
        yield url


@pytest.fixture(scope="module")
def webs(database: str) -> Iterator[Webs]:
    with running_webs(database, notice_seconds="2") as up:
        yield up


class Follower:
    """Follows a room and opens a new stream whenever one ends, as a page does."""

    def __init__(self, person: Person) -> None:
        self.streams = 0
        self.over = threading.Event()
        self._person = person
        self._heard: list[tuple[int, float, dict[str, Any]]] = []

    def follow(self) -> None:
        """Follow the room until stopped. Streams end with the room."""
        while not self.over.is_set():
            try:
                with self._person.events() as told:
                    self.streams += 1
                    for _, said in told:
                        self._heard.append((self.streams, time.monotonic(), said))
            except (httpx.TransportError, AssertionError):
                self.over.wait(0.05)

    def hears(self, at: str, after_stream: int = 0) -> float:
        """Wait until a step arrives on a stream later than this number. Return the arrival time of the step."""

        def heard() -> list[float]:
            return [when for stream, when, said in tuple(self._heard) if stream > after_stream and said.get("at") == at]

        return wait_until(heard, lambda: self._heard[-3:])[0]


@contextmanager
def following(room: Classroom) -> Iterator[Follower]:
    """Yield a member that follows the room during the block."""
    follower = Follower(room.member())
    with ThreadPoolExecutor(1) as pool:
        follows = pool.submit(follower.follow)
        try:
            yield follower
        finally:
            follower.over.set()
            wait_until(lambda: tried(room.teacher, "DELETE").status_code in (204, 404))
            follows.result(PATIENCE)


def at(web: Web, person: Person) -> Person:
    """Make the person send requests to this web instead of the proxy."""
    person.client.base_url = httpx.URL(web.url)
    return person


def name(member: Person) -> str:
    """Return the name of a member in the store."""
    return member.credential["X-Room-Token"].partition(".")[0]


def tried(person: Person, method: str, path: str = "", body: object = None) -> httpx.Response:
    """Return the response; 502 if the connection broke."""
    try:
        return person.ask(method, path, body)
    except httpx.TransportError as error:
        return httpx.Response(502, text=repr(error))


def done(person: Person, method: str, path: str, body: object) -> httpx.Response:
    """Retry a request until it succeeds, as a page does. A member whose vote gets 409 follows the room again."""

    def answer_of_success() -> httpx.Response | None:
        answer = tried(person, method, path, body)
        if answer.status_code == 409:
            tried(person, "GET", "/state")
        assert answer.is_success or answer.status_code in (409, 502, 503, 504), answer.text
        return answer if answer.is_success else None

    answer = wait_until(answer_of_success)
    assert answer is not None
    return answer


def kept(database: str, room: Classroom) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Return a room's fence, its state, and its votes by member from the store."""
    with psycopg.connect(database) as connection:
        found = connection.execute("SELECT fence, state, id FROM rooms WHERE code = %s", [room.code]).fetchone()
        assert found is not None
        votes = connection.execute("SELECT member, answer FROM room_votes WHERE room = %s", [found[2]]).fetchall()
    return found[0], json.loads(found[1])["shown"], {member: json.loads(answer) for member, answer in votes}


@pytest.mark.parametrize("number", [0, 1])
def test_a_room_that_was_opened_at_any_web_is_at_one(webs: Webs, database: str, number: int) -> None:
    opened = Classroom(webs[number].url)
    opened.url = webs.proxy.url
    opened.teacher.client.base_url = httpx.URL(webs.proxy.url)
    with opened as room, following(room) as follower:
        room.teacher.done("PATCH", "", {"at": "step=2"})
        follower.hears("step=2")
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]
        member = room.member()
        member.done("POST", "/votes", {"poll": asked, "answer": YES})
        first = room.code[0]
        for code in (room.code.lower(), room.code.replace(first, f"%{ord(first):x}")):
            state = member.client.get(f"/api/v1/rooms/{code}/state", headers=member.credential)
            assert state.status_code == 200, state.text
            assert member.client.get(f"/r/{code}", headers={"Accept": "text/html"}, follow_redirects=True).status_code == 200
        assert sorted(web.rooms for web in webs) == [0, 1] and kept(database, room)[0] == 2, "taken once"
        assert follower.streams == 1


def test_no_vote_is_lost_where_both_webs_are_asked_at_once(webs: Webs, database: str) -> None:
    with Classroom(webs.proxy.url) as room:
        members = [room.member() for _ in range(8)]
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]

        def votes(number: int) -> dict[str, Any] | None:
            stored: dict[str, Any] | None = None
            for turn in range(8):
                member, answer = at(webs[(number + turn) % 2], members[number]), (NO, YES)[turn % 2]
                if member.ask("GET", "/state").is_success:
                    sent = member.ask("POST", "/votes", {"poll": asked, "answer": answer})
                    assert sent.status_code in (204, 409, 503), sent.text
                    stored = answer if sent.status_code == 204 else stored
            return stored

        with ThreadPoolExecutor(4) as pool:
            stored = dict(zip((name(member) for member in members), pool.map(votes, range(8)), strict=True))
        assert any(stored.values())
        assert kept(database, room)[2] == {member: answer for member, answer in stored.items() if answer is not None}
        tally = Counter(answer["whether"] for answer in stored.values() if answer is not None)
        # The web of the room may only now notice that the other web took it over.
        room.teacher.state_where(lambda state: {each["whether"]: count for each, count in state["votes"]["tally"]} == tally)


def killed(webs: Webs, within: float) -> None:
    """Kill the web of a room during a lecture, while members vote."""
    webs.both_up()
    with Classroom(webs.proxy.url) as room, following(room) as follower, ThreadPoolExecutor(1) as pool:
        members = [room.member() for _ in range(12)]
        room.teacher.done("PATCH", "", {"at": "step=3"})
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]  # a question also stores the step
        vote = {"poll": asked, "answer": NO}
        for member in members[:4]:
            member.done("POST", "/votes", vote)
        follower.hears("step=3")
        stream = follower.streams
        voting = pool.submit(lambda: [done(member, "POST", "/votes", vote).status_code for member in members[4:]])
        dies, _ = webs.of_room()
        dies.kill()
        began = time.monotonic()
        try:
            done(room.teacher, "PATCH", "", {"pointer": None})
            led = time.monotonic() - began
            heard = follower.hears("step=3", after_stream=stream) - began
            voting.result(PATIENCE)
            state = room.teacher.state_where(lambda state: state["votes"]["tally"] == [[NO, 12]])
            assert state["at"] == "step=3"
            assert max(heard, led) < within, (heard, led)
        finally:
            dies.start()


def test_a_web_is_killed(webs: Webs) -> None:
    killed(webs, PATIENCE)


@pytest.mark.long
def test_a_web_is_killed_20_times(webs: Webs) -> None:
    for _ in range(20):
        killed(webs, BACK_SECONDS)


def stopped(webs: Webs) -> None:
    """Stop and restart the web of a room. A class that collects variants notices nothing."""
    webs.both_up()
    with Classroom(webs.proxy.url) as room, following(room) as follower, ThreadPoolExecutor(1) as pool:
        member = room.member()
        number = room.teacher.done("POST", "/variants", {})["id"]
        member.done("POST", "/variants/runs", {"variants": number, "source": "x = 1\n"})
        room.teacher.state_where(lambda state: state["variants"]["count"] == 1)
        stops, stays = webs.of_room()
        stopping, steps = pool.submit(stops.stop), 1
        while not stopping.done():
            steps += 1
            room.teacher.done("PATCH", "", {"at": f"step={steps}"})
            threading.Event().wait(0.1)
        stopping.result()
        follower.hears(f"step={steps}")
        assert stays.rooms == 1
        stops.start()
        webs.both_up()
        done(member, "POST", "/variants/runs", {"variants": number, "source": "x = 2\n"})
        assert stops.rooms == 1, "the proxy sends its rooms to it again"
        teacher = room.teacher.state_where(
            lambda state: [each["lines"] for each in state["variants"]["classes"]] == [["x = 2"]]
        )
        assert (teacher["at"], teacher["variants"]["id"]) == (f"step={steps}", number)


def test_a_web_is_stopped(webs: Webs) -> None:
    stopped(webs)


@pytest.mark.long
def test_a_web_is_stopped_20_times(webs: Webs) -> None:
    for _ in range(20):
        stopped(webs)


def ends(stream: Iterator[tuple[str, dict[str, object]]]) -> float:
    """Return the seconds until a stream ends or breaks."""
    began = time.monotonic()
    try:
        for _ in stream:
            pass
    except httpx.TransportError:
        pass
    return time.monotonic() - began


def stood_still(webs: Webs, within: float) -> None:
    """Freeze the web of a room for some seconds. The frozen web must not overwrite the changes of the other web."""
    webs.both_up()
    with Classroom(webs.proxy.url) as room, following(room) as follower:
        member, near = room.member(), room.member()
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]
        stands, goes_on = webs.of_room()
        member.done("POST", "/votes", {"poll": asked, "answer": NO})
        room.teacher.done("PATCH", "", {"at": "step=3"})
        with at(stands, near).events() as told:
            next(told)
            stands.up.process.send_signal(signal.SIGSTOP)
            try:
                done(room.teacher, "PATCH", "", {"at": "step=5"})
                follower.hears("step=5")
                done(member, "POST", "/votes", {"poll": asked, "answer": YES})
                wait_until(lambda: goes_on.rooms == 1)
            finally:
                stands.up.process.send_signal(signal.SIGCONT)
            assert ends(told) < within
        assert at(goes_on, member).state()["at"] == "step=5"
        room.teacher.done("PATCH", "/poll", {"id": asked, "revealed": True})
        assert at(stands, near).state_where(lambda state: state["poll"]["right"] == [NO])["votes"]["tally"] == [[YES, 1]]


def test_a_web_that_stood_still_overwrites_nothing(webs: Webs) -> None:
    stood_still(webs, PATIENCE)


@pytest.mark.long
def test_a_web_stands_still_20_times(webs: Webs) -> None:
    for _ in range(20):
        stood_still(webs, 2.0)


def test_postgresql_goes_and_comes_again(webs: Webs, cluster: Cluster, database: str) -> None:
    webs.both_up()
    with Classroom(webs.proxy.url) as room, following(room) as follower:
        member = room.member()
        asked = room.teacher.done("POST", "/poll", {"question": QUESTION})["id"]
        vote = {"poll": asked, "answer": NO}
        cluster.stop(signal.SIGQUIT)
        try:
            answer = member.ask("POST", "/votes", vote)
            assert (answer.status_code, answer.json()["error"]) == (503, "store_unavailable")
            room.teacher.done("PATCH", "", {"at": "step=6"})
            follower.hears("step=6")
        finally:
            cluster.start()
        done(member, "POST", "/votes", vote)
        wait_until(lambda: kept(database, room)[1]["at"] == "step=6")
        assert follower.streams == 1
        _, other = webs.of_room()
        state = at(other, member).state()
        assert (state["at"], state["votes"]["count"]) == ("step=6", 1)
