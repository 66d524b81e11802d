"""Variants in a room: how a run ended, grouping of equal results, and what teacher and students can see."""

import json
import secrets
import zlib
from collections.abc import Callable
from functools import partial

import pytest

from app.questions.run_end import MOST_CHARACTERS, MOST_LINES, Ending, ending
from app.rooms.collecting import Collecting
from app.rooms.errors import RoomRefused
from app.rooms.members import Members
from app.rooms.variants import (
    MOST_CLASSES,
    MOST_PACKED,
    MOST_SOURCE_BYTES,
    MOST_UNPACKED,
    Outcome,
    Picked,
    Variants,
    outcome,
    packed,
    unpacked,
)
from app.store import Store
from app.trace.index import Index
from tests.recordings import chunks, folded
from tests.rooms.crowd import SNIPPET
from tests.rooms.made import LIMITS, heard_until, joined, opened, rooms_over


def ended(source: str) -> Ending:
    """Return how a real run ended."""
    return ending(Index(folded(source, chunks(source))))


def test_the_result_is_what_the_names_hold_at_the_end_with_their_gradients() -> None:
    first = ended("import torch\nw = torch.tensor([2.0, 3.0], requires_grad=True)\n(w * w).sum().backward()\nn = 3\n")
    assert first.kind == "finished"
    assert first.lines == ["w = [2, 3]", "w.grad = [4, 6]", "n = 3"]
    same = ended("import torch\nn = 1 + 2\nw = torch.tensor([2.0, 3.0], requires_grad=True)\nw.pow(2).sum().backward()\n")
    other = ended("import torch\nw = torch.tensor([2.0, 3.0], requires_grad=True)\n(w + w).sum().backward()\nn = 3\n")
    assert same.digest == first.digest != other.digest
    assert (
        ended("import torch\nx = torch.tensor([0.1 + 0.2])\n").digest == ended("import torch\nx = torch.tensor([0.3])\n").digest
    )
    large = ended("import torch\nx = torch.zeros(20, 20)\n")
    assert large.lines == ["x = float32 (20, 20) min 0, max 0, mean 0"], "its cells were not kept"
    wide = ended("import torch\nx = torch.zeros(3).expand(30, 3)\n")
    assert wide.lines[0].startswith("x = float32 (30, 3) #")
    assert wide.digest != ended("import torch\nx = torch.ones(3).expand(30, 3)\n").digest
    assert large.digest != ended("import torch\nx = torch.ones(20, 20)\n").digest
    assert ended("print(1)\n").lines == ["1"] and ended("print(1)\n").digest != ended("print(2)\n").digest


def test_an_end_is_bounded_whatever_a_snippet_writes() -> None:
    many = ended("".join(f"v{number} = 'é' * 5000\n" for number in range(40)))
    assert len(many.lines) == MOST_LINES and max(map(len, many.lines)) <= MOST_CHARACTERS
    raised = ended("import torch\nx = 1\nraise type('N' * 3000, (Exception,), {})('said ' * 3000)\n")
    assert (raised.kind, raised.line, raised.digest) == ("raised", 3, "")
    assert raised.exception is not None and max(len(raised.exception), *map(len, raised.lines)) <= MOST_CHARACTERS


def test_how_a_run_ended() -> None:
    raised = Ending(kind="raised", exception="RuntimeError", line=4, lines=["one of the variables"])
    found = [("stale_saved_tensor", 3), ("silently_wrong_gradient", 2)]
    assert outcome(raised, found).key == ("raised", "RuntimeError", 4, "")
    finished = Ending(kind="finished", digest="d", lines=["x = 1"])
    assert outcome(finished, found).key == ("silently_wrong", None, 2, "")
    assert outcome(finished, found[:1]).key == ("stale", None, 3, "")
    assert outcome(finished, [("unused", 1)]).key == ("finished", None, None, "d")
    assert outcome(Ending(kind="timed_out", digest="d", lines=["x = 1"]), []) == Outcome(kind="timed_out")


def finished(digest: str) -> Outcome:
    return Outcome(kind="finished", digest=digest, lines=(f"x = {digest}",))


RUDE = Outcome(kind="raised", exception="Rude", line=2, lines=("rude words",))


def filed(variants: Variants, member: str, of: Outcome, source: str = "source") -> bool:
    """Start a run as a variant, and store its result."""
    return variants.file(member, variants.begin(), of, source)


def test_members_and_projector_see_counts_of_three_and_more() -> None:
    variants = Variants(7, 0, False)
    for number in range(3):
        filed(variants, f"a{number}", finished("1"), "one")
        filed(variants, f"r{number}", RUDE, "rude source")
    filed(variants, "b", finished("2"), "two")
    filed(variants, "c", finished("3"), "three")
    told = variants.variants_for(is_teacher=False)
    assert (told["count"], told["others"], told["open"], told["hidden"]) == (8, 2, True, False)
    assert told["classes"] == [
        {"id": 1, "kind": "finished", "exception": None, "line": None, "count": 3},
        {"id": 2, "kind": "raised", "exception": None, "line": 2, "count": 3},
    ]
    assert not any(word in json.dumps(told).lower() for word in ("rude", "one", "two", "source", "x ="))
    teachers = variants.variants_for(is_teacher=True)
    assert [each["count"] for each in teachers["classes"]] == [3, 3, 1, 1] and teachers["others"] == 0
    assert (teachers["classes"][1]["exception"], teachers["classes"][1]["lines"]) == ("Rude", ("rude words",))
    assert [each["public"] for each in teachers["classes"]] == [True, False, True, True]
    variants.picked = (Picked(id=teachers["classes"][2]["id"], link="link"),)
    assert len(variants.variants_for(is_teacher=False)["classes"]) == 3, "what the teacher picks is shown"
    variants.is_hidden = True
    hidden = variants.variants_for(is_teacher=False)
    assert (hidden["count"], hidden["classes"], hidden["others"], hidden["picked"]) == (8, None, None, ())
    shown = variants.variants_for(is_teacher=True)
    assert shown["classes"] is not None and shown["picked"] == variants.picked


def test_the_run_of_a_member_that_began_last_counts() -> None:
    variants = Variants(7, 0, False)
    slow, quick = variants.begin(), variants.begin()
    assert variants.file("a", quick, finished("quick"), "quick") and not variants.file("a", slow, finished("slow"), "slow")
    assert [each["count"] for each in variants.variants_for(is_teacher=True)["classes"]] == [1]
    class_id = variants.variants_for(is_teacher=True)["classes"][0]["id"]
    assert filed(variants, "b", finished("quick"), "another") and filed(variants, "c", finished("quick"), "another")
    assert variants.sources(class_id) == [("another", 2), ("quick", 1)] and variants.bytes == 19
    for member in "abc":
        filed(variants, member, RUDE, "")
    assert not variants.has_class(class_id) and variants.bytes == 0 and variants.sources(class_id) == []
    assert filed(variants, "a", finished("quick"), "") and variants.variants_for(is_teacher=True)["count"] == 3


def test_a_room_of_400_tells_a_bounded_number_of_classes() -> None:
    variants = Variants(7, 0, False)
    for number in range(400):
        filed(variants, str(number), Outcome(kind="finished", digest=str(number), lines=("x" * 100,) * 12), "y")
    told = variants.variants_for(is_teacher=True)
    assert len(told["classes"]) == MOST_CLASSES and told["others"] == 400 - MOST_CLASSES
    assert len(json.dumps(told)) < 64 << 10
    assert variants.variants_for(is_teacher=False)["classes"] == [] and variants.variants_for(is_teacher=False)["others"] == 400


def test_of_a_full_collection_the_variants_of_who_has_left_give_way() -> None:
    variants, members = Variants(7, 0, False), Members(2)
    for name in ("a", "b"):
        assert members.admit(name, 0.0) and variants.make_place(name, members)
        filed(variants, name, finished(name), "x")
    assert members.admit("c", 1.0) and "a" not in members
    assert not Variants(8, 0, False).make_place("c", Members(0)), "nobody has left"
    assert variants.make_place("b", members) and variants.make_place("c", members)
    filed(variants, "c", finished("c"), "x")
    assert [each["lines"] for each in variants.variants_for(is_teacher=True)["classes"]] == [("x = b",), ("x = c",)]


def test_variants_that_are_too_large_are_not_kept_and_what_is_none_is_not_read() -> None:
    variants = Variants(7, 0, False)
    for number in range(400):
        filed(variants, str(number), finished(str(number % 5)), f"x = {number}\n" + SNIPPET)
    content = packed(variants.kept())
    assert content is not None and len(content) < 32 << 10
    assert unpacked(content).variants_for(is_teacher=True) == variants.variants_for(is_teacher=True)
    for number in range(60):
        filed(variants, str(number), finished("1"), secrets.token_hex(4000))
    assert packed(variants.kept()) is None and variants.bytes > MOST_PACKED
    for wrong in (b"", content[:-9], zlib.compress(b"{}"), zlib.compress(b"[" * (MOST_UNPACKED + 1)), b"no"):
        with pytest.raises(ValueError, match="not valid variants"):
            unpacked(wrong)


async def refused(ask: Callable[[], object]) -> str:
    """Assert that a request is refused, and return the error code."""
    with pytest.raises(RoomRefused) as error:
        ask()
    assert str(error.value) and error.value.hint
    return error.value.kind


async def test_variants_in_a_room(store: Store) -> None:
    async with rooms_over(store) as rooms:
        collecting = Collecting(rooms)
        room, _, _ = await opened(rooms)
        one = joined(rooms, room, "one")
        follower = rooms.follow(room, one)
        assert await refused(partial(collecting.begin, room, one, 1, "x")) == "no_variants"
        first = collecting.open(room, 3, True)
        number = collecting.open(room, 0, False)
        assert number > first and await refused(partial(collecting.begin, room, one, first, "x")) == "no_variants"
        assert await refused(partial(collecting.begin, room, one, number, "é" * MOST_SOURCE_BYTES)) == "too_large_variant"
        begun = collecting.begin(room, one, number, "x")
        collecting.change(room, number, is_open=False, is_hidden=None, picked=None)
        assert await refused(partial(collecting.begin, room, one, number, "x")) == "variants_closed"
        collecting.file(room, one, begun, finished("1"), "x")  # the run began before the teacher stopped collecting variants
        told = {"id": number, "open": False, "hidden": False, "count": 1, "classes": [], "others": 1, "picked": []}
        await heard_until(follower, "variants", told)
        with pytest.raises(RoomRefused):
            collecting.change(room, number, is_open=None, is_hidden=None, picked=[Picked(id=99, link="x")])
        class_id = begun[1]
        assert collecting.sources(room, class_id) == [("x", 1)]
        collecting.change(room, number, is_open=None, is_hidden=True, picked=[Picked(id=class_id, link="x")])
        collecting.end(room)
        await heard_until(follower, "variants", None)
        collecting.file(room, one, begun, finished("1"), "x")
        assert room.variants is None and await refused(partial(collecting.sources, room, class_id)) == "no_variants"
        number = collecting.open(room, 0, False)
        for each in range(LIMITS.members - 1):
            joined(rooms, room, f"more{each}")
        await rooms.end(room)
        assert room.variants is None
        follower.close()
