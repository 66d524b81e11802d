"""What contradicts a sentence of the story: what plain torch says after the same top-level statement."""

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.narration import Message, narrate
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.records import Step
from tests.recordings import answer


@dataclass(frozen=True)
class Around:
    """What plain torch said of the module's tensors before and after a statement, and whether that raised."""

    before: dict[str, Any]
    after: dict[str, Any]
    counters: dict[str, str]
    raised: bool

    def both(self, said: dict[str, list[str]], one: str, other: str, key: str) -> bool | None:
        """Whether two tensors of which a sentence tells agree in what plain torch says of each."""
        first, second = (self.after.get(said[argument][0]) for argument in (one, other))
        if first is None or second is None or key not in first or key not in second:
            return None
        return bool(first[key] == second[key])

    def each(self, said: dict[str, list[str]], is_so: Callable[[dict[str, Any]], bool]) -> bool | None:
        """Whether something is so of each tensor in `names`."""
        known = [self.after[name] for name in said["names"] if name in self.after]
        return all(map(is_so, known)) if known else None

    def grad(self, said: dict[str, list[str]], is_so: Callable[[dict[str, Any], dict[str, Any]], bool]) -> bool | None:
        """Whether something is so of a tensor, before and after, of whose `grad` is told."""
        owner = said["name"][0].removesuffix(".grad")
        return is_so(self.before.get(owner, {}), self.after[owner]) if owner in self.after else None


def same_numbers(text: str, values: list[str] | None) -> bool:
    """Whether a text shows these values, as far as it shows digits."""
    if text == "none" or values is None:
        return text == "none"
    shown = re.findall(r"nan|-?inf|-?\d+\.?\d*(?:e-?\d+)?", text)
    pairs = list(zip(map(float, shown), map(float, values), strict=False))
    close = (
        math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-3) or (math.isnan(one) and math.isnan(other)) for one, other in pairs
    )
    return len(shown) == len(values) and all(close)


def is_alone(around: Around, said: dict[str, list[str]]) -> bool | None:
    mine = around.after.get(said["name"][0])
    if mine is None or "storage" not in mine:
        return None
    others = [each for each in around.after.values() if each["tensor"] != mine["tensor"]]
    return all(each.get("storage") != mine["storage"] for each in others)


def got_gradients(around: Around, said: dict[str, list[str]]) -> bool | None:
    known = around.each(said, lambda tensor: tensor["grad"] is not None)
    return False if around.raised else known


def read_as(around: Around, said: dict[str, list[str]]) -> bool | None:
    tensor = around.after.get(said["name"][0])
    return None if tensor is None else same_numbers(said["value"][0], tensor["values"])


Check = Callable[[Around, dict[str, list[str]]], bool | None]
CHECKS: dict[str, Check] = {
    "story-new": is_alone,
    "story-shares": lambda around, said: around.both(said, "name", "other", "storage"),
    "story-renamed": lambda around, said: around.both(said, "name", "other", "tensor"),
    "story-counter-shared": lambda around, said: counted(around, said, True),
    "story-counter-own": lambda around, said: counted(around, said, False),
    "story-moved": lambda around, said: around.each(said, lambda tensor: str(tensor["version"]) == said["to"][0]),
    "story-still": lambda around, said: around.each(said, lambda tensor: str(tensor["version"]) == said["to"][0]),
    "story-grad-new": lambda around, said: around.grad(
        said, lambda old, new: old.get("grad") is None and shows(said, new["grad"])
    ),
    "story-grad-now": lambda around, said: around.grad(said, lambda old, new: shows(said, new["grad"])),
    "story-grad-other": lambda around, said: around.grad(said, lambda old, new: shows(said, new["grad"])),
    "story-grad-none": lambda around, said: around.grad(said, lambda old, new: new["grad"] is None),
    "story-reads-too-value": read_as,
    "story-backward": lambda around, said: not around.raised,
    "story-backward-leaves": got_gradients,
    "story-accumulate-frozen": lambda around, said: around.grad(
        said, lambda old, new: not new["requires_grad"] and new["grad"] == old.get("grad")
    ),
    "story-raised": lambda around, said: around.raised,
}
"""By message: whether plain torch agrees; None where it was not heard."""


def counted(around: Around, said: dict[str, list[str]], is_shared: bool) -> bool | None:
    first, second = (around.counters.get(said[argument][0]) for argument in ("name", "other"))
    return None if first is None or second is None else (first == second) is is_shared


def shows(said: dict[str, list[str]], values: list[str] | None) -> bool:
    return values is not None and (said["value"][0] == "none" or same_numbers(said["value"][0], values))


def texts(argument: object) -> list[str]:
    """What stands in an argument: of phrases their code."""
    if isinstance(argument, Message) and argument.id == "phrase-once":
        return ["?"]  # its name leads to another by now
    if isinstance(argument, Message):
        return [each for part in argument.arguments.values() for each in texts(part)]
    if isinstance(argument, Sequence) and not isinstance(argument, str):
        return [each for part in argument for each in texts(part)]
    return [str(argument)]


def contradictions(trace: Trace) -> tuple[Counter[str], list[str]]:
    """How often each message was confirmed, and those that plain torch contradicts."""
    plain = json.loads(answer(trace.source, "plain"))
    simple = [node.lineno for node in ast.parse(trace.source).body if not hasattr(node, "body")]
    around: dict[int, Around] = {}
    before: dict[str, Any] = {}
    for number, said in enumerate(plain["statements"]):
        is_last = number + 1 == len(plain["statements"])
        if simple.count(said["lines"][0]) == 1:
            raised = bool(is_last and plain["raised"])
            around[said["lines"][0]] = Around(before, said["tensors"], said["counters"], raised)
        before = said["tensors"]
    confirmed, wrong = Counter[str](), []
    for step, told in narrate(Index(trace)):
        heard = around.get(line_of(step)) if step is not None else None
        for each in (sentence for one in told for sentence in one.sentences if heard is not None and sentence.id in CHECKS):
            said = {name: texts(argument) for name, argument in each.arguments.items()}
            agrees = CHECKS[each.id](heard, said) if heard is not None else None
            confirmed[each.id] += agrees is True
            wrong += [f"line {line_of(step)}: {each.id} {said}"] if agrees is False else []
    return confirmed, wrong


def line_of(step: Step | None) -> int:
    """The line of a statement of the module's own; 0 for any other."""
    return step.span.line if step is not None and step.span is not None and step.parent is None else 0
