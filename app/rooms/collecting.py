"""Operations on variants: start a collection, hide and pick classes, delete the collection, and count the outcome of a member's
run."""

from collections.abc import Sequence
from typing import Final

from app.rooms import errors
from app.rooms.room import Room, RoomClient
from app.rooms.rooms import Rooms
from app.rooms.variants import MOST_SOURCE_BYTES, Outcome, Picked, Variants

MOST_BYTES: Final = 64 << 20
"""Maximum bytes of the sources in all rooms together."""


class Collecting:
    """The variants of all rooms. Every method may raise RoomRefused."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def open(self, room: Room, seed: int, stand_in: bool) -> int:
        """Start a new collection in place of the earlier collection; return the new number."""
        self._rooms.check(room)
        number = room.change("variants")  # the room's `n`, which never decreases, even after a crash
        room.variants = Variants(number, seed, stand_in)
        room.publish()
        return number

    def change(
        self, room: Room, number: int, *, is_open: bool | None, is_hidden: bool | None, picked: Sequence[Picked] | None
    ) -> None:
        """Close or reopen the collection, hide or show its classes, or pick classes. An argument of None changes nothing."""
        self._rooms.check(room)
        variants = self._of(room, number)
        if picked is not None:
            if not all(variants.has_class(each.id) for each in picked):
                raise errors.unknown_class()
            variants.picked = tuple(picked)
        variants.is_open = variants.is_open if is_open is None else is_open
        variants.is_hidden = variants.is_hidden if is_hidden is None else is_hidden
        room.change("variants")
        room.publish()

    def end(self, room: Room) -> None:
        """Delete the collection."""
        self._rooms.check(room)
        room.variants = None
        room.change("variants")
        room.publish()

    def sources(self, room: Room, class_id: int) -> list[tuple[str, int]]:
        """The variants of one class, each with the number of members that sent the variant."""
        if room.variants is None:
            raise errors.no_variants()
        if not room.variants.has_class(class_id):
            raise errors.unknown_class()
        return room.variants.sources(class_id)

    def begin(self, room: Room, who: RoomClient, number: int, source: str) -> tuple[Variants, int]:
        """Accept a member's variant that is about to run; return the arguments with which `file` counts its outcome.

        A run counts if it began before the collection closed.
        """
        self._rooms.check(room)
        variants = self._of(room, number)
        if not variants.is_open:
            raise errors.variants_closed()
        size = len(source.encode())
        if size > MOST_SOURCE_BYTES:
            raise errors.too_large_variant(size, MOST_SOURCE_BYTES)
        self._rooms.check_follows(room, who)
        if sum(each.variants.bytes for each in self._rooms.open_ones if each.variants is not None) + size > MOST_BYTES:
            raise errors.too_many_variants()
        return variants, variants.begin()

    def file(self, room: Room, who: RoomClient, begun: tuple[Variants, int], outcome: Outcome, source: str) -> None:
        """Count a variant's outcome, unless the collection has ended or the member has started another run."""
        variants, number = begun
        if room.variants is variants and variants.make_place(who.name, room.members):
            variants.file(who.name, number, outcome, source)
            room.change("variants")

    def _of(self, room: Room, number: int) -> Variants:
        if room.variants is None or room.variants.id != number:
            raise errors.no_variants()
        return room.variants
