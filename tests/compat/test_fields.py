"""Every field of the trace format at commit 1becf7c still exists with the same name and with all its values."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from app.explain import Document
from app.explain.corrected_records import CorrectedGradients
from app.trace.chunks import Chunk, Trace
from app.trace.records import Request
from tests.compat.held import SCHEMAS

TODAY: dict[str, Any] = {
    "Trace": Trace,
    "Chunk": Chunk,
    "Request": Request,
    "Document": Document,
    "CorrectedGradients": CorrectedGradients,
}

Schema = dict[str, Any]


def resolved(part: Schema, root: Schema) -> Schema:
    while "$ref" in part:
        part = root["$defs"][part["$ref"].rpartition("/")[2]]
    return part


def kind_of(part: Schema, root: Schema) -> tuple[str, ...]:
    """Return the tag of a member of a union; without a tag, its type."""
    part = resolved(part, root)
    tag = part.get("properties", {}).get("kind", {})
    return tuple(tag.get("enum", ())) or (part.get("type") or "any",)


def missing(then: Schema, now: Schema, path: str, seen: set[str], roots: tuple[Schema, Schema]) -> Iterator[str]:
    """Yield what the schema `then` contains and `now` lacks. Names of classes do not count, because they are not in the JSON."""
    if "$ref" in then:
        place = f"{then['$ref']} {now.get('$ref')}"
        if place in seen:
            return
        seen.add(place)
    then, now = resolved(then, roots[0]), resolved(now, roots[1])
    members = {kind_of(member, roots[1]): member for member in now.get("anyOf", [now])}
    if "anyOf" in then:
        for member in then["anyOf"]:
            other = members.get(kind_of(member, roots[0]))
            if other is None:
                yield f"{path} as {kind_of(member, roots[0])}"
            else:
                yield from missing(member, other, path, seen, roots)
        return
    now = members.get(kind_of(then, roots[0]), now)
    yield from (f"{path} = {word!r}" for word in then.get("enum", ()) if word not in now.get("enum", ()))
    if then.get("type") != now.get("type"):
        yield f"{path} of type {then.get('type')}"
    for field, part in then.get("properties", {}).items():
        if field not in now.get("properties", {}):
            yield f"{path}.{field}"
        else:
            yield from missing(part, now["properties"][field], f"{path}.{field}", seen, roots)
    for inner in ("items", "additionalProperties"):
        if isinstance(then.get(inner), dict):
            yield from missing(then[inner], now.get(inner) or {}, f"{path}[]", seen, roots)
    others = now.get("prefixItems", [])
    for number, part in enumerate(then.get("prefixItems", [])):
        other = others[number] if number < len(others) else {}
        yield from missing(part, other, f"{path}[{number}]", seen, roots)


@pytest.mark.parametrize("name", TODAY)
def test_no_field_and_no_word_of_then_is_missing(name: str) -> None:
    then, now = SCHEMAS[name], msgspec.json.schema(TODAY[name])
    assert list(missing(then, now, name, set(), (then, now))) == []


def test_a_field_that_is_renamed_is_missed() -> None:
    """Verifies that the comparison finds missing fields in nested parts of the schema."""
    then = SCHEMAS["Trace"]
    now = msgspec.json.schema(Trace)
    fields = now["$defs"]["SavedTensor"]["properties"]
    fields["kept"] = fields.pop("released")
    words = now["$defs"]["Step"]["properties"]["kind"]["enum"]
    words[words.index("operator")] = "op"
    assert sorted(missing(then, now, "Trace", set(), (then, now))) == [
        "Trace.saved_tensors[].released",
        "Trace.steps[].kind = 'operator'",
    ]
