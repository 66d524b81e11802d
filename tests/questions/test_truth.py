"""The correct answers to questions about recordings, compared with torch in runs without a recorder."""

import json
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from app.questions.asked import Answer, Asked, Question
from app.questions.truth import asked as ask
from app.questions.truth import named_at
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import StorageId, TensorId, Tick, VersionCounterId
from tests.questions.cases import LAST, case
from tests.questions.page import are_right, tolerances
from tests.recordings import answer

STALE = ("silently-wrong", "raises", "data-then-in-place", "other-storage")
"""Programs in which a line makes a saved tensor stale, after or before other writes."""

STRAIGHT = ("silently-wrong", "raises", "not-finite", "no-gradient", "dtypes", "random")
"""Programs that execute each of their lines once, in order."""

LOOK = """
looked, sent = {}, []
def look(line):
    looked[line] = {
        name: [
            each._version,
            torch.tensor([], dtype=each.dtype).set_(each.untyped_storage()).tolist(),
            None if each._is_view() or each.grad is None else each.grad.flatten()[0].item(),
            each.grad_fn and each.grad_fn.name(),
        ]
        for name, each in list(globals().items()) if isinstance(each, torch.Tensor)
    }
def watch(loss):
    before = [loss.grad_fn]
    def told(node):
        node.register_hook(lambda out, got: sent.append((node.name(), [None if g is None else g.flatten()[0].item() for g in out])))
    while before:
        node = before.pop()
        told(node)
        before += [each for each, _ in node.next_functions if each is not None]
"""
WORDS = {"nan": "nan", "inf": float("inf")}


class Oracle:
    """Torch's state after each line of a program, and the Nodes of its backward, in a run without a recorder."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._index = Index(trace)
        self.ends = {
            step.ended: step.span.end_line for step in trace.steps if step.kind == "statement" and step.span is not None
        }
        lines = []
        for number, line in enumerate(trace.source.rstrip().split("\n"), 1):
            indent = line[: len(line) - len(line.lstrip())]
            loss, is_backward, _ = line.strip().partition(".backward()")
            lines += [f"{indent}watch({loss})"] if is_backward else []
            lines += [line] if line.endswith(":") else [line, LOOK] if number == 1 else [line, f"{indent}look({number})"]
        self.ends[LAST] = number
        looked = json.loads(answer("\n".join(lines) + "\n", "bare", probes=["looked", "sent"]))
        self.looked, self.sent = (eval(text, WORDS) for text in looked["probed"])
        raised = json.loads(answer(trace.source, "bare"))["raised"]
        self.raised = None if raised is None else raised[2][-1]

    def of(self, tensor: TensorId, tick: int) -> list[Any]:
        """Return torch's facts about a tensor after the line that ends at `tick`: version, storage, first element of `grad`,
        `grad_fn`.
        """
        found: list[Any] = self.looked[self.ends[Tick(tick)]][self._index.paths_of(tensor, Tick(tick))[0]]
        return found

    def storage(self, storage: StorageId | None, tick: int) -> list[Any] | None:
        """Return the elements of a storage; None if no variable refers to it."""
        for tensor in named_at(self._index, tick):
            geometry = value_at(self._trace.tensors[tensor].geometry, Tick(tick))
            if geometry is not None and geometry.storage == storage:
                found: list[Any] = self.of(tensor, tick)[1]
                return found
        return None

    def version(self, counter: VersionCounterId | None, tick: int) -> int:
        """Return the version of the tensors that use a version counter."""
        tensors = self._trace.tensors
        holders = (
            each for each in named_at(self._index, tick) if value_at(tensors[each].version_counter, Tick(tick)) == counter
        )
        return int(self.of(next(holders), tick)[0])


@cache
def oracle(name: str) -> Oracle:
    return Oracle(case(name)[0])


def of_torch(torch: Oracle, asked: Asked) -> str | list[Answer] | None:
    """Return the correct answer according to torch, as typed text or as a list of answers; None if it is unknown."""
    question, until = asked.question, asked.question.until
    match question.kind:
        case "value":
            elements = torch.storage(question.storage, until)
            return None if elements is None else str(elements[question.cell or 0])
        case "version":
            return str(torch.version(question.counter, until))
        case "grad" | "grad_fn":
            return str(torch.of(question.tensor or TensorId(0), until)[2 if question.kind == "grad" else 3])
        case "raises":
            return "yes" if until == LAST and torch.raised is not None else "no"
        case "raising_line":
            return str(torch.raised)
        case "cell":
            return changed_cells(torch, asked) or [Answer(kind="none")]
        case "counter":
            before_after = (question.after, question.until)
            versions = {
                counter: [torch.version(counter, tick) for tick in before_after] for counter in asked.legal.counters or []
            }
            moved = [Answer(kind="counter", counter=counter) for counter, (old, new) in versions.items() if old < new]
            return moved or [Answer(kind="none")]
        case _:
            return None


def changed_cells(torch: Oracle, asked: Asked) -> list[Answer]:
    """Return the cells that the step changes."""
    found = []
    for storage, count in asked.legal.cells or []:
        old, new = (torch.storage(storage, tick) for tick in (asked.question.after, asked.question.until))
        if old is None or new is None:  # no variable refers to the storage, for example because it belongs to a gradient
            continue
        assert len(old) == len(new) == count
        found += [Answer(kind="cell", storage=storage, cell=cell) for cell in range(count) if old[cell] != new[cell]]
    return found


@pytest.mark.parametrize("name", STRAIGHT)
def test_torch_answers_every_question_about_a_line_rightly(name: str) -> None:
    torch, (_, between) = oracle(name), case(name)
    answered, typed = 0, []
    for window in between:
        is_line = window["after"] in torch.ends and window["until"] in torch.ends
        is_looked = is_line and {torch.ends[window["after"]], torch.ends[window["until"]]} <= {*torch.looked}
        for asked in msgspec.convert(window["asked"], list[Asked]):
            if not is_line or not (is_looked or asked.question.kind in ("raises", "raising_line")):
                continue
            said = of_torch(torch, asked)
            if isinstance(said, str):
                typed.append((asked, said))
            assert not isinstance(said, list) or said == asked.right, asked
            answered += said is not None
    assert answered >= 7
    assert [each for each, is_right in zip(typed, are_right(typed), strict=True) if not is_right] == []


@pytest.mark.parametrize("name", STALE)
def test_torch_says_which_line_made_something_stale(name: str) -> None:
    torch, (trace, _) = oracle(name), case(name)
    index, made = Index(trace), 0
    looked = [tick for tick, line in torch.ends.items() if tick is not None and line in torch.looked]
    for saved in trace.saved_tensors:
        tensor = saved.tensor
        known = [tick for tick in looked if tick >= saved.tick and tensor in named_at(index, tick)]
        if tensor is None or not known:
            continue
        # Stale means an increased version, or changed bytes. Backward checks only the version; a silent write changes only
        # bytes.
        seen = [torch.of(tensor, tick)[:2] for tick in known]
        for number, (after, until) in enumerate(pairwise(known), 1):
            is_made = all(each == seen[0] for each in seen[:number]) and seen[number] != seen[0]
            found = ask(index, Question(kind="stale_by", after=after, until=until, saved=saved.id))
            assert is_made is (found is not None and found.right == [Answer(kind="whether", whether=True)]), (
                saved,
                after,
                until,
            )
            made += is_made
    assert made >= 1


@pytest.mark.parametrize("name", ["silently-wrong", "not-finite", "no-gradient"])
def test_nodes_run_and_send_as_torch_says(name: str) -> None:
    trace, between = case(name)
    sent = iter(oracle(name).sent)
    for window in between:
        within = [step for step in trace.steps if step.kind == "node" and window["after"] < step.began <= window["until"]]
        if len(within) != 1:
            continue
        node, gradients = next(sent)
        kinds = {asked.question.kind: asked for asked in msgspec.convert(window["asked"], list[Asked])}
        assert trace.nodes[kinds["node"].right[0].node or 0].name == node
        if "sends" in kinds:
            assert are_right([(kinds["sends"], str(gradients[kinds["sends"].question.edge or 0]))]) == [True], gradients
    assert next(sent, None) is None


@pytest.mark.parametrize(("name", "probe"), [("silently-wrong", "w2.grad"), ("raises", "0")])
def test_without_the_culprit_nothing_is_wrong(name: str, probe: str) -> None:
    trace, between = case(name)
    all_asked = [asked for window in between for asked in window["asked"]]
    (line,) = {asked["right"][0]["line"] for asked in all_asked if asked["question"]["kind"] == "culprit"}
    lines = trace.source.split("\n")
    lines[line - 1] = ""
    right = json.loads(answer("\n".join(lines), "bare", probes=[probe]))
    wrong = json.loads(answer(trace.source, "bare", probes=[probe]))
    assert right["raised"] is None
    assert (wrong["raised"], wrong["probed"]) != (right["raised"], right["probed"])


def test_the_tolerances_are_those_of_torch() -> None:
    known = tolerances()
    dtypes = [*known, "int64", "bool"]
    probe = f"[torch.testing._comparison.default_tolerances(getattr(torch, name)) for name in {dtypes}]"
    (said,) = json.loads(answer("import torch\n", "bare", probes=[probe]))["probed"]
    assert eval(said) == [known.get(dtype, (0.0, 0.0)) for dtype in dtypes]
