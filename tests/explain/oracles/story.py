"""Check sentences about a statement against torch's state before and after it, in a run without a recorder."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.narration import Message, narrate
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.records import Step
from tests.recordings import answer
from tests.tracer.stepped import NODES, STALE, told_lines


@dataclass(frozen=True)
class Around:
    """Facts from a run without a recorder: torch's state before and after one execution of a statement."""

    before: dict[str, Any]
    after: dict[str, Any]
    counters: dict[str, str]
    values: dict[str, str]
    printed: str
    grad_mode: bool
    inference: bool
    raised: bool
    records_after: bool = True
    """Whether autograd was recording operations after the statement."""
    nodes: Sequence[dict[str, Any]] = ()
    """The Nodes that ran during the statement, with the gradients that they received and sent."""
    saved: list[tuple[str, list[str], list[str]]] | None = None
    """For each Node in the graphs of the variables: its name, the saved tensors that torch refuses to unpack, and the others."""
    within: bool = False
    """Whether the statement is nested in another statement, which may already have changed tensors."""

    def both(self, said: dict[str, list[str]], one: str, other: str, key: str) -> bool | None:
        """Whether the two tensors that a sentence mentions have the same `key`; None if either is unknown."""
        first, second = (self.after.get(said[argument][0]) for argument in (one, other))
        if first is None or second is None or key not in first or key not in second:
            return None
        return bool(first[key] == second[key])

    def each(self, said: dict[str, list[str]], is_so: Callable[[dict[str, Any]], bool]) -> bool | None:
        """Whether a condition holds for all known tensors in the argument `names` of a sentence; None if none is known."""
        known = [self.after[name] for name in said["names"] if name in self.after]
        return all(map(is_so, known)) if known else None

    def one(self, said: dict[str, list[str]], is_so: Callable[[dict[str, Any]], bool]) -> bool | None:
        """Whether a condition holds for the tensor in the argument `name` of a sentence; None if it is unknown."""
        tensor = self.after.get(said["name"][0])
        return None if tensor is None else is_so(tensor)

    def moved(self, said: dict[str, list[str]], is_so: Callable[[dict[str, Any], dict[str, Any]], bool | None]) -> bool | None:
        """Whether a condition holds for the tensor's facts before and after the statement; None if the name refers to another
        tensor.
        """
        old, new = (told.get(said["name"][0]) for told in (self.before, self.after))
        return None if old is None or new is None or old["tensor"] != new["tensor"] else is_so(old, new)

    def grad(self, said: dict[str, list[str]], is_so: Callable[[dict[str, Any], dict[str, Any]], bool | None]) -> bool | None:
        """Like `moved`, for a sentence about `x.grad`: whether a condition holds for the facts of `x` before and after the
        statement.
        """
        owner = re.sub(r"\.grad(?= · |$)", "", said["name"][0])
        return is_so(self.before.get(owner, {}), self.after[owner]) if owner in self.after else None


NUMBER = re.compile(r"True|False|nan|-?inf|(-?\d+(?:\.(\d*))?)(?:e\+?(-?\d+))?")


def same_numbers(text: str, values: list[str] | None) -> bool | None:
    """Whether a text contains exactly these numbers, within rounding; None if they are complex."""
    if text == "none" or values is None:
        return text == "none"
    if "j" in text:
        return None
    shown = list(NUMBER.finditer(text))
    return len(shown) == len(values) and all(map(is_number, shown, values))


def is_number(shown: re.Match[str], value: str) -> bool:
    """Whether a shown number equals a value, within one unit of the last shown digit."""
    if shown[1] is None:
        return shown[0] == value
    is_whole = shown[3] is None and (shown[2] in ("", "0") or "." not in value)
    last = 0.0 if is_whole else 10.0 ** (int(shown[3] or 0) - len(shown[2] or ""))
    # A float32 is shown with the fewest digits that identify it. The smallest numbers may have a single digit.
    return abs(float(shown[0]) - float(value)) <= max(last, abs(float(value)) * 1e-6, 2**-149)


def nodes_of(around: Around, said: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Return the Nodes that the sentence names."""
    return [each for each in around.nodes if short(each["name"]) == said["node"][0]]


def of_nodes(around: Around, said: dict[str, list[str]], is_so: Callable[[dict[str, Any]], bool]) -> bool | None:
    """Whether a condition holds for at least one Node of the name in the sentence; None if no such Node ran."""
    known = nodes_of(around, said)
    return any(map(is_so, known)) if known else None


def short(name: str) -> str:
    """Return a Node's name without its C++ namespace."""
    return name.rpartition("::")[2]


def received(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether a Node of that name received the gradient in the sentence."""
    if "?" in said["value"] or not around.nodes:
        return None
    answers = [same_numbers(said["value"][0], values) for each in nodes_of(around, said) for values in each["received"]]
    return None if None in answers else True in answers


def sent(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether a Node of that name sent the gradient in the sentence to a Node named `to`, by default to a leaf."""
    if "?" in said["value"] or not around.nodes:
        return None
    to = said["to"][0] if "to" in said else "AccumulateGrad"
    told = [each for node in nodes_of(around, said) for each in node["sent"] if each[1] is not None and short(each[1]) == to]
    answers = [same_numbers(said["value"][0], values) for values, _ in told]
    return None if None in answers else True in answers


def freed(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether a Node of that name has the freed saved tensors in the sentence."""
    told = [each["freed"] for each in nodes_of(around, said) if each["freed"] is not None]
    named = {re.split(r"\W", slot)[0] for slot in said["saved"][::2]}
    return any(named <= set(each) for each in told) if told else None


def unpacks(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether torch raises an error for the saved tensor if and only if the sentence says so."""
    slot = re.split(r"\W", said["saved"][0])[0]
    known = [each[1:] for each in around.saved or [] if short(each[0]) == said["node"][0] and slot in (*each[1], *each[2])]
    return any(slot in (refused if said["noticed"][0] == "yes" else given) for refused, given in known) if known else None


def is_alone(around: Around, said: dict[str, list[str]]) -> bool | None:
    mine = around.after.get(said["name"][0])
    if mine is None or "storage" not in mine:
        return None
    others = [each for each in around.after.values() if each["tensor"] != mine["tensor"]]
    return all(each.get("storage") != mine["storage"] for each in others)


def got_gradients(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether each leaf in the sentence has a gradient; None if a hook may have removed it."""
    known = around.each(said, lambda tensor: tensor["grad"] is not None)
    is_open = not around.nodes or any(short(each["name"]) == "AccumulateGrad" for each in around.nodes)
    return False if around.raised else None if known is False and is_open else known


def wrote(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether a tensor has the new values in the sentence. If the sentence shows only some of the values, whether the tensor
    changed.
    """

    def is_so(old: dict[str, Any], new: dict[str, Any]) -> bool | None:
        is_whole = len(NUMBER.findall(said["to"][0])) == len(new["values"])
        is_whole &= is_contiguous(new)
        if is_whole and all(("." in value) is ("." in said["to"][0]) for value in new["values"]):
            return same_numbers(said["to"][0], new["values"])
        return old["values"] != new["values"] or old["version"] != new["version"] or None

    return around.moved(said, is_so)


def is_contiguous(tensor: dict[str, Any]) -> bool:
    """Whether the elements are stored in row-major order without gaps."""
    step = 1
    for size, stride in zip(reversed(tensor.get("shape", [])), reversed(tensor.get("stride", [])), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return "shape" in tensor


def left_there(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether a tensor has a new Storage, and the tensors in `names` still have its previous one."""

    def is_so(old: dict[str, Any], new: dict[str, Any]) -> bool | None:
        others = [around.after[name] for name in said["names"] if name in around.after]
        return old.get("storage") != new.get("storage") and all(each["storage"] == old["storage"] for each in others)

    return around.moved(said, is_so)


def laid_out(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether a tensor has the shape, stride and offset in the sentence."""
    told = {"shape": said["shape"], "stride": said["stride"], "storage_offset": said["offset"]}
    named = {**said, "name": said["names"]}
    return around.one(named, lambda new: all(str(as_written(new.get(key, text))) == text for key, (text,) in told.items()))


def as_written(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def held(around: Around, said: dict[str, list[str]]) -> bool | None:
    """Whether a variable has the value in the sentence; None if the sentence shows only the beginning of the value."""
    value, text = around.values.get(said["name"][0]), said["text"][0]
    return None if value is None or "…" in text else value == text


def read_as(around: Around, said: dict[str, list[str]]) -> bool | None:
    tensor = around.after.get(said["name"][0])
    return None if tensor is None else same_numbers(said["value"][0], tensor["values"])


Check = Callable[[Around, dict[str, list[str]]], bool | None]
CHECKS: dict[str, Check] = {
    "story-new": is_alone,
    "story-shares": lambda around, said: around.both(said, "name", "other", "storage"),
    "story-new-view": lambda around, said: around.one(said, lambda new: "storage" in new),
    "story-renamed": lambda around, said: around.both(said, "name", "other", "tensor"),
    "story-counter-shared": lambda around, said: counted(around, said, True),
    "story-counter-own": lambda around, said: counted(around, said, False),
    "story-moved": lambda around, said: around.each(said, lambda tensor: str(tensor["version"]) == said["to"][0]),
    "story-still": lambda around, said: around.each(said, lambda tensor: str(tensor["version"]) == said["to"][0]),
    "story-grad-new": lambda around, said: around.grad(
        said, lambda old, new: old.get("grad") is None and shows(said, new["grad"])
    ),
    "story-grad-now": lambda around, said: around.grad(said, lambda old, new: shows(said, new["grad"])),
    "story-grad-added": lambda around, said: around.grad(said, lambda old, new: shows(said, new["grad"])),
    "story-grad-zeroed": lambda around, said: around.grad(said, lambda old, new: shows(said, new["grad"])),
    "story-grad-other": lambda around, said: around.grad(said, lambda old, new: shows(said, new["grad"])),
    "story-grad-none": lambda around, said: around.grad(said, lambda old, new: new["grad"] is None),
    "story-reads-too-value": read_as,
    "story-backward": lambda around, said: not around.raised,
    "story-backward-leaves": got_gradients,
    "story-accumulate-hooked": lambda around, said: around.grad(said, lambda old, new: shows(said, new["grad"])),
    "story-accumulate-frozen": lambda around, said: around.grad(
        said, lambda old, new: not new["requires_grad"] and new["grad"] == old.get("grad")
    ),
    "story-node": received,
    "story-sent": sent,
    "story-sent-leaf": sent,
    "story-sent-nothing": lambda around, said: of_nodes(around, said, lambda each: not any(sent[0] for sent in each["sent"])),
    "story-released": freed,
    "story-kept": lambda around, said: of_nodes(around, said, lambda each: each["freed"] in ([], None)),
    "story-stale": unpacks,
    "story-raised": lambda around, said: around.raised,
    "story-raised-bare": lambda around, said: around.raised,
    "story-raised-through": lambda around, said: around.raised,
    "story-raised-within": lambda around, said: around.raised,
    "story-counter-none": lambda around, said: around.one(said, lambda new: new["version"] is None),
    "story-new-bare": lambda around, said: around.one(said, lambda new: "storage" not in new),
    "story-requires-grad": lambda around, said: around.moved(
        said, lambda old, new: (not old["requires_grad"] or (None if around.within else False)) and bool(new["requires_grad"])
    ),
    "story-requires-no-grad": lambda around, said: around.moved(
        said, lambda old, new: bool(old["requires_grad"] and not new["requires_grad"])
    ),
    "story-other-storage": left_there,
    "story-reads-elsewhere": lambda around, said: around.moved(said, lambda old, new: bool(old["values"] == new["values"])),
    "story-wrote": wrote,
    "text-geometry": laid_out,
    "text-look-leaf": lambda around, said: around.each(said, lambda new: bool(new["requires_grad"] and new["is_leaf"])),
    "text-look-result": lambda around, said: around.each(said, lambda new: bool(new["requires_grad"] and not new["is_leaf"])),
    "mode-grad-off-means": lambda around, said: not around.grad_mode,
    "mode-inference-means": lambda around, said: around.inference,
    "story-recording-again": lambda around, said: around.records_after and (around.inference or not around.grad_mode),
    "story-holds-value": held,
    "transcript-printed": lambda around, said: said["text"][0] in around.printed,
}
"""For each message, a function that returns whether a run without a recorder agrees; None if that is unknown."""


def counted(around: Around, said: dict[str, list[str]], is_shared: bool) -> bool | None:
    first, second = (around.counters.get(said[argument][0]) for argument in ("name", "other"))
    return None if first is None or second is None else (first == second) is is_shared


def shows(said: dict[str, list[str]], values: list[str] | None) -> bool | None:
    return False if values is None else said["value"][0] == "none" or same_numbers(said["value"][0], values)


UNHEARD = {
    *("phrase-once", "phrase-unnamed"),  # the name refers to no tensor or to another tensor
    *("phrase-gradient-shape", "phrase-gradient-unknown", "phrase-gradients", "phrase-gradients-count"),
}
"""Parts of sentences that are not checked."""


def texts(argument: object) -> list[str]:
    """Return all strings in an argument, including those in the arguments of nested messages."""
    if isinstance(argument, Message) and argument.id in UNHEARD:
        return ["?"]
    if isinstance(argument, Message):
        return [each for part in argument.arguments.values() for each in texts(part)]
    if isinstance(argument, Sequence) and not isinstance(argument, str):
        return [each for part in argument for each in texts(part)]
    return [str(argument)]


def contradictions(trace: Trace) -> tuple[Counter[str], list[str]]:
    """Check all sentences about a run. Return how many sentences of each message are confirmed, and the false sentences."""
    if any(step.other_threads for step in trace.steps):  # the order of threads differs between runs
        return Counter(), []
    index = Index(trace)
    runs = runs_by_line(trace)
    places = {step.id: (line, place) for line, steps in runs.items() for place, step in enumerate(steps)}
    told = [
        (*places[step.id], sentence.id, {**one.sentences[0].arguments, **sentence.arguments})
        for step, lines in narrate(index)
        if step is not None and step.id in places
        for one in lines
        for sentence in one.sentences
        if sentence.id in CHECKS
    ]
    asked: dict[int, set[str]] = defaultdict(set)
    for line, _, message, arguments in told:
        asked[line] |= {STALE} if message == "story-stale" else set()
        asked[line].update(each for name in NAMED for each in texts(arguments.get(name, ())))
    if not told:
        return Counter(), []
    seen = json.loads(answer(trace.source, "bare", stepped={str(line): sorted(names) for line, names in sorted(asked.items())}))
    flowing = {str(line): [NODES] for line, _, message, _ in told if message in OF_NODES}
    # The gradients of Nodes are observed in a separate run, because hooks keep gradients alive that torch would otherwise
    # write to in place.
    flowed = json.loads(answer(trace.source, "bare", stepped=flowing)) if flowing else {}
    confirmed, wrong = Counter[str](), []
    for line, place, message, arguments in told:
        around = seen[str(line)]
        if len(around) != len(runs[line]) or around[place] is None:
            continue
        said = {name: texts(argument) for name, argument in arguments.items()}
        heard = around[place]
        if message in OF_NODES and len(flowed[str(line)]) == len(around):
            heard = heard | {"nodes": (flowed[str(line)][place] or {}).get("nodes", [])}
        agrees = CHECKS[message](Around(**heard, within=runs[line][place].parent is not None), said)
        confirmed[message] += agrees is True
        wrong += [f"line {line}, run {place + 1}: {message} {said}"] if agrees is False else []
    return confirmed, wrong


OF_NODES = (
    "story-backward-leaves",
    "story-node",
    "story-sent",
    "story-sent-leaf",
    "story-sent-nothing",
    "story-released",
    "story-kept",
)
"""Messages about Nodes that run in backward."""

NAMED = ("name", "names", "other", "whose")
"""Arguments of messages that contain names of tensors."""


def runs_by_line(trace: Trace) -> dict[int, list[Step]]:
    """Return the executions of each statement by its line. Statements that share a line with another are left out."""
    try:
        lines = told_lines(trace.source)
    except SyntaxError:
        return {}
    found: dict[int, list[Step]] = defaultdict(list)
    for step in trace.steps:
        function = "" if step.frame is None else trace.frames[step.frame].function.rpartition(".")[2]
        is_told = function == "<module>" or not function.startswith("<")
        if step.kind == "statement" and step.span is not None and step.span.line in lines and is_told:
            found[step.span.line].append(step)
    return found
