"""Variants of one snippet, grouped by outcome. Only the teacher sees the code of students."""

import builtins
import zlib
from collections.abc import Sequence
from typing import Any, Final, Self

import msgspec

from app.questions.run_end import Ending
from app.rooms.members import Members

FEWEST: Final = 3
"""Minimum size of a class that members and projector can see."""

MOST_CLASSES: Final = 40
"""Maximum number of listed classes. Further classes are only counted."""

MOST_SOURCE_BYTES: Final = 8 << 10
"""Maximum bytes of one variant."""

MOST_FETCHED: Final = 40
"""Maximum number of variants of one class that the teacher gets, most frequent first."""

MOST_PACKED: Final = 256 << 10
"""Maximum compressed bytes of all variants of a room in the store. Variants compress well, because they are similar."""

MOST_UNPACKED: Final = 16 << 20

UNTRUE: Final = {"silently_wrong_gradient": "silently_wrong", "stale_saved_tensor": "stale"}
"""Findings that make a result wrong, worst first, with the kind of the outcome."""

BUILT_IN: Final = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)
"""The names of built-in exceptions, which everyone may see. Any other name may be a student's own text."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a variant. Variants with the same `key` are in one class."""

    kind: str
    """`raised`, `silently_wrong`, `stale`, `finished`, or the kind of another end."""
    exception: str | None = None
    line: int | None = None
    digest: str = ""
    lines: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str | None, int | None, str]:
        """The key of the outcome's class. Equal outcomes have equal keys."""
        return self.kind, self.exception, self.line, self.digest


def outcome(ending: Ending, found: Sequence[tuple[str, int | None]]) -> Outcome:
    """The outcome of a run, from its end and the kind and line of each finding. An exception takes precedence over findings."""
    if ending.kind == "raised":
        return Outcome(kind="raised", exception=ending.exception, line=ending.line, lines=tuple(ending.lines))
    if ending.kind != "finished":
        return Outcome(kind=ending.kind)
    for finding, kind in UNTRUE.items():
        line = next(((line,) for each, line in found if each == finding), None)
        if line is not None:
            return Outcome(kind=kind, line=line[0], lines=tuple(ending.lines))
    return Outcome(kind="finished", digest=ending.digest, lines=tuple(ending.lines))


class Picked(msgspec.Struct, frozen=True, kw_only=True):
    """A class that the teacher has picked, with a link to one of its variants."""

    id: int
    link: str


class _Variant(msgspec.Struct, frozen=True):
    number: int
    source: str
    class_id: int = msgspec.field(name="place")
    """Stored as `place`."""


class KeptVariants(msgspec.Struct, frozen=True, kw_only=True):
    """The stored form of Variants."""

    id: int
    seed: int
    stand_in: bool
    is_open: bool
    is_hidden: bool
    picked: tuple[Picked, ...]
    begun: int
    outcomes: dict[int, Outcome]
    variants: dict[str, _Variant]


class Variants:
    """The variants of one snippet in a room: the last run of each member, in classes of equal outcomes."""

    def __init__(self, number: int, seed: int, stand_in: bool) -> None:
        self.id = number
        self.seed = seed
        self.stand_in = stand_in
        self.is_open = True
        self.is_hidden = False
        self.picked: tuple[Picked, ...] = ()
        self.bytes = 0
        """The size of the sources of all variants, in bytes."""
        self._begun = 0
        self._variants: dict[str, _Variant] = {}
        self._classes: dict[tuple[str, str | None, int | None, str], int] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._counts: dict[int, int] = {}

    @classmethod
    def of(cls, kept: KeptVariants) -> Self:
        """Restore stored variants."""
        variants = cls(kept.id, kept.seed, kept.stand_in)
        variants.is_open, variants.is_hidden, variants.picked = kept.is_open, kept.is_hidden, kept.picked
        variants._begun = kept.begun
        for member, each in kept.variants.items():
            variants._count(member, each, kept.outcomes[each.class_id])
        return variants

    def kept(self) -> KeptVariants:
        """A snapshot for the store. Later changes do not affect the snapshot."""
        return KeptVariants(
            id=self.id,
            seed=self.seed,
            stand_in=self.stand_in,
            is_open=self.is_open,
            is_hidden=self.is_hidden,
            picked=self.picked,
            begun=self._begun,
            outcomes=dict(self._outcomes),
            variants=dict(self._variants),
        )

    def begin(self) -> int:
        """Return a number for a run that begins now. Of a member's runs, only the one that began last counts."""
        self._begun += 1
        return self._begun

    def make_place(self, member: str, present: Members) -> bool:
        """Whether a member may add a variant. At the limit, the variant of a member that left is deleted."""
        if member in self._variants or len(self._variants) < present.most:
            return True
        gone = next((each for each in self._variants if each not in present), None)
        if gone is not None:
            self._forget(self._variants.pop(gone))
        return gone is not None

    def file(self, member: str, number: int, outcome: Outcome, source: str) -> bool:
        """Count the outcome of a member's run in place of an earlier run; return whether the outcome counts."""
        earlier = self._variants.get(member)
        if earlier is not None and earlier.number > number:
            return False
        if earlier is not None:
            self._forget(earlier)
        self._count(member, _Variant(number, source, self._classes.get(outcome.key, number)), outcome)
        return True

    def has_class(self, class_id: int) -> bool:
        """Whether this class has a variant."""
        return class_id in self._counts

    def sources(self, class_id: int) -> list[tuple[str, int]]:
        """The variants of a class, each with the number of members that sent the variant, most frequent first."""
        counted: dict[str, int] = {}
        for variant in self._variants.values():
            if variant.class_id == class_id:
                counted[variant.source] = counted.get(variant.source, 0) + 1
        return sorted(counted.items(), key=lambda each: (-each[1], len(each[0]), each[0]))[:MOST_FETCHED]

    def variants_for(self, *, is_teacher: bool) -> dict[str, Any]:
        """The value of the key `variants` in the state of the room."""
        fewest = 1 if is_teacher else FEWEST
        shown = {each.id for each in self.picked}
        ranked = sorted(self._counts, key=lambda class_id: (-self._counts[class_id], class_id))
        listed = [class_id for class_id in ranked if self._counts[class_id] >= fewest or class_id in shown][:MOST_CLASSES]
        is_kept_back = self.is_hidden and not is_teacher
        classes = None if is_kept_back else [self._class(class_id, is_teacher) for class_id in listed]
        others = len(self._variants) - sum(self._counts[class_id] for class_id in listed)
        return {
            "id": self.id,
            "open": self.is_open,
            "hidden": self.is_hidden,
            "count": len(self._variants),
            "classes": classes,
            "others": None if classes is None else others,
            "picked": () if is_kept_back else self.picked,
        }

    def _count(self, member: str, variant: _Variant, outcome: Outcome) -> None:
        self._classes[outcome.key] = variant.class_id
        self._outcomes.setdefault(variant.class_id, outcome)
        self._counts[variant.class_id] = self._counts.get(variant.class_id, 0) + 1
        self._variants[member] = variant
        self.bytes += len(variant.source.encode())

    def _class(self, class_id: int, is_teacher: bool) -> dict[str, Any]:
        outcome = self._outcomes[class_id]
        is_public = outcome.exception is None or outcome.exception in BUILT_IN
        value = {
            "id": class_id,
            "kind": outcome.kind,
            "exception": outcome.exception if is_teacher or is_public else None,
            "line": outcome.line,
            "count": self._counts[class_id],
        }
        return value | ({"public": is_public, "lines": outcome.lines} if is_teacher else {})

    def _forget(self, variant: _Variant) -> None:
        self.bytes -= len(variant.source.encode())
        self._counts[variant.class_id] -= 1
        if not self._counts[variant.class_id]:
            del self._counts[variant.class_id]
            del self._classes[self._outcomes.pop(variant.class_id).key]


def packed(kept: KeptVariants) -> bytes | None:
    """Encode and compress variants for the store; None if the result is too large."""
    content = zlib.compress(msgspec.json.encode(kept))
    return content if len(content) <= MOST_PACKED else None


def unpacked(content: bytes) -> Variants:
    """Decompress and decode stored variants. Raises ValueError for invalid content."""
    try:
        kept = _KEPT.decode(zlib.decompressobj().decompress(content, MOST_UNPACKED))
    except (zlib.error, msgspec.DecodeError) as error:
        raise ValueError("not valid variants") from error
    return Variants.of(kept)


_KEPT = msgspec.json.Decoder(KeptVariants)
