"""Enlarge a recording: repeat the run, and copy each record of the first repetition many times.

Code that explains a recording should take time linear in every table, so tests run it on such recordings. Enlarged recordings
are valid according to `check`.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from app.trace.chunks import TABLES, Trace
from app.trace.query import MODULE

Row = dict[str, Any]
Tables = dict[str, list[Row]]

FACTS = (
    "tensor",
    "value",
    "geometry",
    "version_counter",
    "requires_grad",
    "is_leaf",
    "base",
    "grad",
    "grad_fn",
    "nbytes",
    "moved",
    "is_buffer",
)
FACTS_LATER = (*FACTS, "contents", "version", "outdated", "overwritten")
TICKS = ("began", "ended", "born", "died", "freed", "tick", "released")
REFERENCES = {
    "steps": {"parent": "steps", "frame": "frames", "node": "nodes"},
    "frames": {"parent": "frames"},
    "names": {"frame": "frames", "tensor": "tensors"},
    "variables": {"frame": "frames"},
    "tensors": {"made_by": "steps", "version_counter": "version_counters", "base": "tensors", "grad": "tensors"},
    "writes": {"step": "steps", "storage": "storages", "tensor": "tensors", "version_counter": "version_counters"},
    "modules": {"parent": "modules"},
    "nodes": {"made_by": "steps", "variable": "tensors", "module": "modules"},
    "saved_tensors": {
        "node": "nodes",
        "tensor": "tensors",
        "version_counter": "version_counters",
        "outdated": "writes",
        "overwritten": "writes",
    },
    "gradients": {"step": "steps", "node": "nodes", "to": "nodes"},
}
"""Which fields of a table are ids, and the table that each refers to. Ids within a Geometry, a GradFn or an Edge are handled
in code.
"""

ORDERED = {"steps": "began", "writes": "tick", "gradients": "tick", "outputs": "tick", "frames": "began"}
NAMED = {"names": ("path", "tensor"), "variables": ("name", "value")}
"""In these tables, the module has one record per name for all repetitions. The value is (field of the name, field of its
facts).
"""

CLONED = ("names", "variables", "tensors", "storages", "writes", "nodes", "saved_tensors", "gradients", "steps")
BRIEF = ("operator", "exception", "node")
"""The kinds of steps that are copied. A copy begins and ends at the tick at which the original ends."""


def amplified(trace: Trace, times: int) -> Trace:
    """Repeat a run `times` times as one program, and copy each record of the first repetition `times` times."""
    first: Tables = {table: [msgspec.to_builtins(row) for row in getattr(trace, table)] for table in TABLES}
    last = max((tick for row in first["steps"] for tick in (row["began"], row.get("ended", 0))), default=0) + 1
    tables: Tables = {table: [] for table in TABLES}
    for number in range(times):
        _add_round(tables, first, number, number * last)
    for table in CLONED:
        for row in first[table]:
            tables[table] += _clones(table, row, times, len(tables[table]))
    _renumber(tables)
    return msgspec.convert({**msgspec.to_builtins(trace), **tables}, Trace)


def _add_round(tables: Tables, first: Tables, number: int, later: int) -> None:
    counts = {table: len(rows) for table, rows in first.items()}

    def moved(table: str, old: int) -> int:
        if table == "frames":
            return old if old == MODULE else old + number * (counts[table] - 1)
        return old + number * counts[table]

    known = {(table, row["frame"], row[field]): row for table, (field, _) in NAMED.items() for row in tables[table]}
    for table, rows in first.items():
        for row in rows:
            new = _with_ids(table, _with_ticks(row, later), moved)
            if number and table == "frames" and row["id"] == MODULE:
                continue
            name, facts = NAMED.get(table, ("", ""))
            same = known.get((table, new["frame"], new[name])) if name else None
            if same is not None and new["frame"] == MODULE:
                for field in (facts, "is_buffer") if table == "names" else (facts,):
                    same[field] = [*same.get(field, []), *new.get(field, [])]
            else:
                tables[table].append({**new, "id": len(tables[table])})


def _with_ticks(row: Row, later: int) -> Row:
    new = dict(row)
    for field in TICKS:
        if new.get(field) is not None:
            new[field] += later
    for field in FACTS_LATER:
        if isinstance(new.get(field), list):
            new[field] = [[fact[0] + later, fact[1]] for fact in new[field]]
    return new


def _with_ids(table: str, row: Row, moved: Callable[[str, int], int]) -> Row:
    new = dict(row)
    for field, of in REFERENCES.get(table, {}).items():
        value = new.get(field)
        if isinstance(value, list):
            new[field] = [[tick, moved(of, entry) if isinstance(entry, int) else entry] for tick, entry in value]
        elif value is not None:
            new[field] = moved(of, value)
    if table == "tensors":
        new["geometry"] = [[tick, _on(geometry, moved)] for tick, geometry in new.get("geometry", [])]
        made = new.get("grad_fn", [])
        new["grad_fn"] = [
            [tick, {**fn, "node": moved("nodes", fn["node"])} if fn and "node" in fn else fn] for tick, fn in made
        ]
    elif table == "saved_tensors":
        new["geometry"] = _on(new["geometry"], moved)
    elif table == "nodes":
        new["edges"] = [edge and {**edge, "node": moved("nodes", edge["node"])} for edge in new["edges"]]
    return new


def _on(geometry: Row, moved: Callable[[str, int], int]) -> Row:
    return geometry if geometry["storage"] is None else {**geometry, "storage": moved("storages", geometry["storage"])}


def _clones(table: str, row: Row, times: int, first: int) -> Iterator[Row]:
    if table == "steps" and (row["kind"] not in BRIEF or row.get("ended") is None):
        return
    for number in range(times):
        new = {**row, "id": first + number}
        if table == "names":
            new["path"] = f"{row['path']}[{number + 100}]" if number % 2 else f"{row['path']}.x{number}"
        elif table == "variables":
            new["name"] = f"{row['name']}_{number}"
        elif table == "steps":
            new["began"] = new["ended"]
        yield new


def _renumber(tables: Tables) -> None:
    """Sort the records by their ticks, assign new ids, and update all references to ids."""
    places: dict[str, list[int]] = {}
    for table, field in ORDERED.items():
        rows = sorted(tables[table], key=lambda row: (row[field], row["id"]))
        places[table] = [0] * len(rows)
        for place, row in enumerate(rows):
            places[table][row["id"]] = place
        tables[table] = [{**row, "id": place} for place, row in enumerate(rows)]
    for table, rows in tables.items():
        tables[table] = [_with_ids(table, row, lambda of, old: places[of][old] if of in places else old) for row in rows]
