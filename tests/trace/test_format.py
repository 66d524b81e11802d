"""FORMAT.md describes every record and field of the trace format, and the generated TypeScript declarations are up to date."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.trace import chunks, ends, records
from app.trace.records import FORMAT, Record
from app.trace.typescript import TRACE_ALIASES, TRACE_ROOTS, declarations, schema
from tests.trace.generated import example

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "app/trace/FORMAT.md").read_text("utf-8")


def is_described(kind: Any) -> bool:
    """Whether FORMAT.md must describe a class. `XFacts`, the base class of a record X, is described together with X."""
    return isinstance(kind, type) and issubclass(kind, Record) and not re.search("^Record$|^End$|Facts$", kind.__name__)


RECORDS = [kind for module in (records, ends, chunks) for kind in vars(module).values() if is_described(kind)]


@pytest.mark.parametrize("kind", dict.fromkeys(RECORDS), ids=lambda kind: kind.__name__)
def test_every_record_and_field_is_described(kind: type[msgspec.Struct]) -> None:
    name = str(kind.__struct_config__.tag) if issubclass(kind, ends.End) else kind.__name__
    assert re.search(rf"\b{name}\b", PAGE), name
    missing = [field for field in kind.__struct_fields__ if not re.search(rf"`{field}`", PAGE)]
    assert not missing, f"{kind.__name__}: {missing}"


def test_the_history_ends_with_the_current_format() -> None:
    assert re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)[-1] == str(FORMAT)


def test_the_schema_names_every_record_and_is_json() -> None:
    definitions = json.loads(json.dumps(schema()))["$defs"]
    assert {"Trace", "Step", "Tensor", "Raised", "Cells"} <= definitions.keys()


def test_the_example_has_only_fields_of_the_schema() -> None:
    """Comparing top-level fields is enough to detect a renamed field."""
    properties = schema()["$defs"]["Trace"]["properties"]
    assert msgspec.to_builtins(example()).keys() <= properties.keys()


def test_declarations_are_the_same_every_time_and_name_all() -> None:
    text = declarations(TRACE_ROOTS, TRACE_ALIASES, "x")
    assert text == declarations(TRACE_ROOTS, TRACE_ALIASES, "x")
    for kind in RECORDS:
        assert f"export interface {kind.__name__} " in text
    used = set(re.findall(r"\b[A-Z][A-Za-z]+\b", re.sub(r"/\*\*.*?\*/|//.*", "", text, flags=re.DOTALL)))
    declared = set(re.findall(r"^export (?:interface|type) (\w+)", text, re.MULTILINE))
    assert used - declared <= {"SystemExit"}


def test_the_page_types_are_current() -> None:
    """To update the file, run `python -m app.web.operations.types > static/js/run/trace.d.ts`."""
    from app.web.operations.types import page_types

    assert (ROOT / "static/js/run/trace.d.ts").read_text("utf-8") == page_types()
