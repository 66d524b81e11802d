"""Unit tests of rooms: codes, secrets, positions, rate limits, state and polls."""

import msgspec
import pytest

from app.questions.asked import Answer, Asked, Legal, Question
from app.questions.posed import Posed
from app.rooms.codes import ALPHABET, new_code, normal
from app.rooms.credentials import Credentials, new_secret
from app.rooms.devices import MOST_TRIES, OFFERED_SECONDS, Devices
from app.rooms.errors import RoomRefused
from app.rooms.lost import MOST_PRESSES, MOST_STEPS, Lost
from app.rooms.members import AWAY_SECONDS, Members
from app.rooms.polls import MOST_LEGAL_BYTES, MOST_TALLIED, KeptPoll, Poll, checked
from app.rooms.state import Change, State
from app.trace.records import NodeId, TensorId
from tests.rooms.made import NO, RAISES, YES, Clock


def test_codes() -> None:
    code = new_code()
    assert len(ALPHABET) == len(set(ALPHABET)) == 24 and len(code) == 6
    assert normal(code.lower()) == normal(code) == code
    for wrong in ("", code[:5], f"{code}A", "AAAAA0", "AAAAAI", "AAAAAO", "AAAA A", "ſſſſſſ", "ﬀﬀﬀ", "\0" * 6):
        assert normal(wrong) is None


def test_tokens_are_of_one_visitor_in_one_room_by_one_key() -> None:
    mine = Credentials(b"key")
    room, other = new_secret(), new_secret()
    token = mine.token(room, "visitor")
    name = mine.member(room, token)
    assert name is not None and mine.token(room, "visitor") == token != mine.token(room, "another")
    assert mine.member(other, token) is None and Credentials(b"other").member(room, token) is None
    assert "visitor" not in token
    for forged in (name, f"{name}.", f"{name}.{name}", f".{token}", f"{token}x", token.upper(), "", ".", "é" * 9, "x" * 5000):
        assert mine.member(room, forged) is None
    assert mine.projector(room, 0) != mine.projector(room, 1) != mine.projector(other, 1)
    assert mine.projector(room, 0) not in (token, name, mine.opener(room))


def test_whoever_holds_what_an_earlier_key_signed_keeps_their_name() -> None:
    keys: tuple[bytes, ...] = (b"first",)
    mine, room = Credentials(b"first", lambda: keys), new_secret()
    token, projector, opener = mine.token(room, "visitor"), mine.projector(room, 0), mine.opener("192.0.2.1")
    name = mine.member(room, token)
    keys = (b"second", b"first")
    later = mine.token(room, "visitor")
    assert later != token and mine.member(room, later) == mine.member(room, token) == name, "nobody votes twice"
    assert mine.is_projector(projector, room, 0) and mine.is_projector(mine.projector(room, 0), room, 0)
    assert not mine.is_projector(projector, room, 1) and mine.opener("192.0.2.1") == opener
    keys = (b"third", b"second")
    assert mine.member(room, later) == name and mine.member(room, token) is None
    assert not mine.is_projector(projector, room, 0)


def test_a_code_for_a_device_is_good_once_and_for_a_while() -> None:
    clock = Clock()
    devices = Devices(clock)
    code = devices.offer("room")
    assert not devices.claim("other", code) and not devices.claim("room", "WRONGONE")
    assert devices.claim("room", code.lower()) and not devices.claim("room", code)
    late = devices.offer("room")
    clock.now += OFFERED_SECONDS + 1
    assert not devices.claim("room", late)
    code = devices.offer("room")
    for _ in range(MOST_TRIES):
        assert not devices.claim("room", "AAAAAAAA")
    assert not devices.claim("room", code), "nobody tries them all"
    assert devices._offers == {}


def test_places_go_to_whoever_follows() -> None:
    members = Members(3)
    for name in ("never", "away", "here"):
        assert members.admit(name, 0.0)
    for name in ("away", "here"):
        members.come(name)
    members.go("away", 10.0)
    assert members.following(10.0) == 2 and members.following(10.0 + AWAY_SECONDS) == 1
    assert members.admit("fourth", 20.0), "in the place of who never followed"
    members.come("fourth")
    assert members.admit("fifth", 30.0), "in the place of who has been away longest"
    members.come("fifth")
    assert not members.admit("sixth", 40.0) and members.admit("here", 40.0) and not members.admit("never", 40.0)
    assert members.may_send("here", 99.0) and not members.may_send("never", 40.0), "a token alone is not a person"
    members.come("here")
    members.go("here", 50.0)
    assert members.following(99.0) == 3, "one of two streams ended"
    members.go("here", 100.0)
    assert members.may_send("here", 159.0) and not members.may_send("here", 160.0), "their connection may come again"


def test_who_joins_again_and_again_presses_no_more_than_a_class_does() -> None:
    lost = Lost(3)
    assert [lost.press("step=1", member) for member in "abcd"] == [True, True, True, False], "as many as have a place"
    pressed = sum(lost.press(f"step={step}", member) for step in range(2, MOST_PRESSES) for member in "abc")
    assert pressed == MOST_PRESSES - 3 and not lost.press("step=999999999", "e")
    assert len(lost.take_unsaved()) == MOST_PRESSES


def test_lost_counts_once_for_a_member_and_step() -> None:
    lost = Lost(400)
    assert (
        lost.press("step=2", "a") and lost.press("step=2", "b") and lost.press("step=1", "a") and not lost.press("step=2", "a")
    )
    assert lost.counts() == [("step=2", 2), ("step=1", 1)]
    unsaved = lost.take_unsaved()
    assert unsaved == [("step=2", "a"), ("step=2", "b"), ("step=1", "a")] and lost.take_unsaved() == []
    lost.not_saved(unsaved)
    lost.press("step=3", "a")
    assert lost.take_unsaved() == [*unsaved, ("step=3", "a")]
    for number in range(MOST_STEPS):
        lost.press(f"step={number + 9}", "flood")
    assert len(lost.counts()) == MOST_STEPS and lost.counts()[0] == ("step=2", 2), "where most pressed stays"


def raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def test_a_state_tells_what_changed_for_whom() -> None:
    state = State()
    state.apply(Change(n=5, all={"at": raw("step=1"), "poll": raw(1)}, teacher={"poll": raw(2)}))
    state.apply(Change(n=6, teacher={"lost": raw([])}))
    assert msgspec.json.decode(state.since("all", 0)) == {"n": 6, "at": "step=1", "poll": 1}
    assert msgspec.json.decode(state.since("teacher", 0)) == {"n": 6, "at": "step=1", "poll": 2, "lost": []}
    assert msgspec.json.decode(state.since("teacher", 5)) == {"n": 6, "lost": []}
    assert not state.has_news("all", 5) and state.has_news("teacher", 5) and not state.has_news("teacher", 6)
    assert state.has_news("all", 99) and state.since("all", 99) == state.since("all", 0), "of a number that has yet to come"
    for after in range(100):
        state.since("all", after)
    assert len(state._cached) <= 16
    state.apply(Change(n=7, all={"at": raw("step=2")}))
    assert msgspec.json.decode(state.since("all", 6)) == {"n": 7, "at": "step=2"}


def poll(posed: Posed = RAISES) -> Poll:
    return Poll(KeptPoll(id=1, at="step=1", posed=posed, shown="hidden"))


def test_a_hidden_poll_tells_members_a_number_and_the_teacher_all() -> None:
    asked = poll()
    for member, answer in (("a", YES), ("b", YES), ("c", NO), ("a", NO)):
        asked.count(member, answer)
    assert asked.votes_for(is_teacher=False) == {"poll": 1, "count": 3, "tally": None, "others": None}
    assert asked.votes_for(is_teacher=True) == {"poll": 1, "count": 3, "tally": [(NO, 2), (YES, 1)], "others": 0, "hands": ()}
    assert asked.poll_for(is_teacher=False)["right"] is None and asked.poll_for(is_teacher=True)["right"] == [NO]
    asked.change(shown="live", is_closed=False, is_revealed=False, hands=[(YES, 30)])
    assert asked.votes_for(is_teacher=False) == {"poll": 1, "count": 3, "tally": [(YES, 31), (NO, 2)], "others": 0}
    assert asked.poll_for(is_teacher=False)["right"] is None
    asked.change(shown=None, is_closed=False, is_revealed=True, hands=[])
    assert asked.poll_for(is_teacher=False)["right"] == [NO] and not asked.kept.is_open
    assert asked.votes_for(is_teacher=False)["tally"] == [(NO, 2), (YES, 1)]


def test_a_tally_is_bounded() -> None:
    legal = Legal(form="number", dtype="float32")
    asked = poll(Posed(asked=Asked(question=Question(kind="value", after=1, until=2), legal=legal, right=[]), names=[]))
    for number in range(300):
        asked.count(f"member {number}", Answer(kind="number", number=number / 8))
    told = asked.votes_for(is_teacher=True)
    assert (len(told["tally"]), told["others"], told["count"]) == (MOST_TALLIED, 300 - MOST_TALLIED, 300)


def test_of_a_full_poll_the_votes_of_who_has_left_give_way() -> None:
    asked, members = poll(), Members(3)
    for name in ("left first", "here", "left later"):
        assert members.admit(name, 0.0) and asked.take_place(name, members) is None
        asked.count(name, YES)
    members.come("here")
    assert members.admit("new", 1.0) and "left first" not in members
    assert asked.take_place("here", members) is None, "again, in one's own place"
    gone = asked.take_place("new", members)
    assert gone == "left first"
    asked.forget(gone)
    asked.count("new", NO)
    assert asked.votes_for(is_teacher=True)["tally"] == [(YES, 2), (NO, 1)]
    assert asked.take_place("new", members) is None


def test_only_legal_answers_and_of_names_only_those_of_the_recording() -> None:
    asked = Asked(
        question=Question(kind="grad_fn", after=1, until=2, tensor=TensorId(0)),
        legal=Legal(form="name", has_none=True),
        right=[],
    )
    names = poll(Posed(asked=asked, names=["AddBackward0", "MulBackward0"]))
    for legal in (Answer(kind="name", name="AddBackward0"), Answer(kind="none")):
        names.check(legal)
    for illegal in (Answer(kind="name", name="rude"), Answer(kind="name", name=""), YES, Answer(kind="name")):
        with pytest.raises(RoomRefused) as refused:
            names.check(illegal)
        assert refused.value.kind == "illegal_answer"
    with pytest.raises(RoomRefused):
        names.change(shown=None, is_closed=False, is_revealed=False, hands=[(Answer(kind="name", name="rude"), 3)])
    assert names.poll_for(is_teacher=False)["names"] == ["AddBackward0", "MulBackward0"]
    assert poll().poll_for(is_teacher=False)["names"] is None


def test_a_question_with_too_many_answers_is_refused() -> None:
    nodes = [NodeId(number) for number in range(MOST_LEGAL_BYTES // 4)]
    many = Asked(question=Question(kind="node", after=1, until=2), legal=Legal(form="node", nodes=nodes), right=[])
    for posed in (None, Posed(asked=many, names=[])):
        with pytest.raises(RoomRefused) as refused:
            checked(posed)
        assert refused.value.kind == "unknown_question"
    assert checked(RAISES) is RAISES
