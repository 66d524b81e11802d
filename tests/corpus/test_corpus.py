"""Run the programs of the corpus with torch alone, and check what their heads state: the end, the facts and the repair.

The process imports nothing of Stepgrad. Findings are not tested here, because each program is added before Stepgrad runs it.
"""

import json

import pytest

from tests.corpus.heads import EDIT, MOST_EDITS, PROGRAMS, Program
from tests.recordings import worker
from tests.tracer.workers import Worker

NEEDED = {
    "ordinary": {"thread", "kind", "ends", "fact", "finding"},
    "silently wrong": {"thread", "kind", "ends", "fact", "finding", "culprit", "victim", "repair"},
    "broken": {"thread", "kind", "ends", "says", "finding", "culprit", "victim", "repair"},
}
MAY = {"fact", "repaired"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_head_is_whole(program: Program) -> None:
    kind = program.one("kind")
    assert NEEDED[kind] <= program.head.keys() <= NEEDED[kind] | MAY
    assert program.one("thread").startswith("https://")
    assert (program.end is None) == (kind != "broken")
    assert (program.one("finding") == "none") == (kind == "ordinary")
    lines = program.source.splitlines()
    assert 3 <= len(lines) <= 40 and max(map(len, lines)) <= 128
    for key in ("culprit", "victim"):
        for text in program.head.get(key, []):
            assert lines[int(text) - 1].strip()
    repairs = program.head.get("repair", [])
    assert len(repairs) <= MOST_EDITS and (program.edits == [] or "repaired" in program.head)
    assert all(EDIT.fullmatch(text) or (text.startswith("longer: ") and len(repairs) == 1) for text in repairs)


def mismatches(program: Program, worker: Worker) -> list[str]:
    """Return one sentence for each difference between a run without a recorder and the program's head."""
    found = []
    probes = program.head.get("fact", [])
    run = json.loads(worker.answer(program.source, probes=probes))
    end = (run["raised"][0], run["raised"][2]) if run["raised"] else None
    if end != program.end:
        found.append(f"it ends so: {run['raised'] or 'finished'}")
    elif end and program.one("says") not in run["raised"][1]:
        found.append(f"it says: {run['raised'][1]}")
    found += [f"not true: {probe}" for probe, said in zip(probes, run.get("probed", []), strict=True) if said != "True"]
    if program.edits:
        probes = program.head["repaired"]
        run = json.loads(worker.answer(program.repaired, probes=probes))
        if run["raised"]:
            found.append(f"repaired, it ends so: {run['raised']}")
        found += [
            f"not true of the repaired: {probe}" for probe, said in zip(probes, run["probed"], strict=True) if said != "True"
        ]
    return found


@pytest.mark.long  # the results depend on the programs and on torch, not on code of Stepgrad
def test_plain_torch_does_what_the_heads_say() -> None:
    plain = worker("bare")
    told = {program.name: mismatches(program, plain) for program in PROGRAMS}
    assert {name: found for name, found in told.items() if found} == {}
