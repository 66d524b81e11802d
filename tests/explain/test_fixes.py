"""A program changed by its first fix computes the same tensors as the same program corrected by hand.

Each file in fixes/ contains a program and, after `# meant`, the corrected version. The first lines name the fix (`# fix:
<title>`) and the tensors to compare (`# compared: <names>`). Files in fixes/refused name fixes that must not be offered (`#
never: <titles>`).
"""

import ast
import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from app.explain import Fix, explain
from tests.explain.recorded import record
from tests.recordings import worker
from tests.sampling import some
from tests.tracer.workers import Worker

FOLDER = Path(__file__).parent / "fixes"
REPAIRED = sorted(FOLDER.glob("*.py.txt"))
REFUSED = sorted((FOLDER / "refused").glob("*.py.txt"))


def split(path: Path) -> tuple[dict[str, str], str]:
    head, _, source = path.read_text(encoding="utf-8").partition("\n\n")
    return dict(line.removeprefix("# ").split(": ", 1) for line in head.splitlines()), source


def named(path: Path) -> str:
    return path.name.removesuffix(".py.txt")


def outcome(worker: Worker, source: str, compared: str) -> str | list[torch.Tensor]:
    """Run a program without a recorder. Return the program's tensors, or the exception that it raised."""
    worker.send(source, probes=[f"__import__('json').dumps([each.tolist() for each in ({compared},)])"])
    status, answer = worker.receive()
    run = json.loads(answer) if not status else {"raised": "a probe"}
    if run["raised"]:
        return f"raises {run['raised']}"
    return [torch.tensor(values) for values in json.loads(ast.literal_eval(run["probed"][0]))]


def are_close(one: str | list[torch.Tensor], other: str | list[torch.Tensor]) -> bool:
    """Whether two results are equal within rounding."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    same_shapes = [each.shape for each in one] == [each.shape for each in other]
    return same_shapes and all(
        torch.allclose(each, there, rtol=1e-4, atol=1e-4, equal_nan=True) for each, there in zip(one, other, strict=True)
    )


def lacks_a_package(source: str) -> bool:
    """Whether a program imports a package that is not installed."""
    return any(find_spec(package) is None for package in re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE))


@pytest.mark.patient
def test_the_first_fix_does_what_was_meant() -> None:
    programs = some(__file__, {named(path): split(path) for path in REPAIRED})
    programs = {
        name: each for name, each in programs.items() if each[0]["fix"] != "without_package" or lacks_a_package(each[1])
    }
    parts = {name: text.partition("\n# meant\n\n") for name, (_, text) in programs.items()}
    traces = dict(zip(parts, record([broken for broken, _, _ in parts.values()]), strict=True))
    told, meant, differ = {}, {}, []
    plain = worker("bare")
    for name, (head, _) in programs.items():
        fixes = [fix for finding in explain(traces[name]).findings if finding.severity != "hint" for fix in finding.fixes]
        first = fixes[0] if fixes else Fix(title="none", source=parts[name][0])
        told[name], meant[name] = first.title, head["fix"]
        if not are_close(outcome(plain, first.source, head["compared"]), outcome(plain, parts[name][2], head["compared"])):
            differ.append(name)
    assert told == meant and not differ


@pytest.mark.parametrize("path", REFUSED, ids=named)
def test_what_would_harm_is_not_offered(path: Path) -> None:
    head, source = split(path)
    (trace,) = record([source])
    findings = explain(trace).findings
    titles = {fix.title for finding in findings for fix in finding.fixes}
    assert findings and not titles & set(head["never"].split())
