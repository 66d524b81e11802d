"""What each kind of finding claims about the run, as questions to a second run of the snippet in plain torch.

A claim stands on a line of the snippet, given by an argument of the finding, and is one of: `changes` and `keeps` (an expression
gives another value after the line, or the same), `holds` (it is true after the line), `end` (it is true when the run is over).
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

from app.explain import Finding
from tests.recordings import answer

How = Literal["changes", "keeps", "holds", "before", "end"]


@dataclass(frozen=True)
class Claim:
    """A question, written with the finding's arguments, and the argument that tells on which line it is asked."""

    how: How
    question: str
    line: str = ""


def changes(name: str, line: str = "write_line") -> Claim:
    return Claim("changes", f"shown({name})", line)


NOT_ITS_OWN = "not any({name} is each for group in {optimizer}.param_groups for each in group['params'])"
IN_NO_OPTIMIZER = (
    "not any({name} is each for holder in __import__('gc').get_objects() if issubclass(type(holder), torch.optim.Optimizer) "
    "for group in holder.param_groups for each in group['params'])"
)
TRACKED = "any(each.requires_grad and not each.is_leaf for each in tensors_in({name}))"

UNUSED = "torch.autograd.grad({root}, {name}, torch.ones_like({root}), retain_graph=True, allow_unused=True)[0] is None"

CLAIMS: dict[str, list[Claim]] = {
    "cut_graph": [Claim("before", "torch.is_grad_enabled()", "switch_line")],
    "clipped_after_step": [Claim("keeps", "shown({name})", "line"), changes("{name}", "step_line")],
    "data_assigned": [Claim("holds", "memory({name}) == memory({owner})", "line"), changes("{follower}")],
    "eaten_activation": [changes("{name}", "around_line")],
    "frozen_late": [Claim("keeps", "shown({name}.grad)", "line"), Claim("before", "not {name}.requires_grad", "line")],
    "grad_accumulated": [
        Claim("before", "{name}.grad is not None", "second_line"),
        Claim("changes", "shown({name}.grad)", "second_line"),
    ],
    "hook_left": [Claim("changes", "{name}._version", "write_line")],
    "kept_grad": [Claim("holds", "{name} is {grad}", "line"), changes("{name}")],
    "kept_on_ctx": [changes("{name}")],
    "kept_graphs": [Claim("holds", TRACKED, "line")],
    "late_requires_grad": [
        Claim("before", "{name}.requires_grad and {name}.grad is None", "line"),
        Claim("end", "{name}.grad is None"),
    ],
    "leaf_backward": [Claim("holds", "{root}.is_leaf and {root}.grad_fn is None and {root}.grad is not None", "line")],
    "live_module": [Claim("holds", "{name} is {model}", "line")],
    "live_state": [changes("{path}")],
    "loss_broadcast": [Claim("before", "{left}.shape != {right}.shape", "line")],
    "lost_write": [Claim("keeps", "shown({name})", "line")],
    "moving_batch_norm": [changes("{name}", "line")],
    "mutable_default": [Claim("end", "{function}.__defaults__ is not None")],
    "nan_gradient": [Claim("holds", "not {leaf}.grad.isfinite().all()", "line")],
    "non_leaf_grad": [Claim("before", "{name}.grad is None and not {name}.is_leaf", "line")],
    "not_in_optimizer": [Claim("end", "{name}.grad is not None"), Claim("end", IN_NO_OPTIMIZER)],
    "not_marked_dirty": [Claim("changes", "{name}._version", "line")],
    "numpy_alias": [changes("{name}"), changes("{array}")],
    "one_memory": [Claim("end", "memory({one}) == memory({other})")],
    "other_parameter": [Claim("end", NOT_ITS_OWN)],
    "repeated_list": [Claim("holds", "{name}[0] is {name}[1]", "write_line"), changes("{name}[1]")],
    "reshape_view": [Claim("holds", "memory({name}) == memory({other})", "line"), changes("{follower}")],
    "same_object": [Claim("before", "{name} is {other}", "write_line"), changes("{other}")],
    "small_view": [Claim("end", "{name}.untyped_storage().nbytes() > {name}.nbytes")],
    "unused_input": [Claim("before", UNUSED, "line")],
    "spread_write": [Claim("changes", "shown({name})", "line")],
    "zeroed_before_step": [
        Claim("keeps", "shown({name})", "line"),
        Claim("before", "{name}.grad is None or not {name}.grad.any()", "line"),
    ],
}


@dataclass
class Verdict:
    """Which claims of a finding the second run confirmed, which it contradicts, and which it could not answer."""

    confirmed: int
    contradicted: list[str]


def asked_of(finding: Finding) -> list[tuple[int, str, Claim]]:
    """The questions of a finding with the lines they are asked on; none that names what the finding could not name."""
    # Behind the name of a function's variable stands the function, where it is the only one of that name.
    said = {name: str(value).partition(" · ")[0] for name, value in finding.arguments.items() if value not in ("", "none")}
    questions = []
    for claim in CLAIMS[finding.kind]:
        line = int(said.get(claim.line, 0)) if claim.line else 0
        try:
            question = claim.question.format(**said)
        except KeyError:
            continue
        if line or claim.how == "end":
            questions.append((line, question, claim))
    return questions


def judged(source: str, findings: list[Finding]) -> list[Verdict]:
    """What a second run says of each of these findings about the same snippet."""
    questions = [asked_of(finding) for finding in findings]
    asked: dict[str, list[str]] = {}
    for line, question, _ in (each for row in questions for each in row):
        asked.setdefault(str(line), []).append(question)
    if not asked:
        return [Verdict(0, []) for _ in findings]
    seen = json.loads(answer(source, "bare", asked={line: list(dict.fromkeys(row)) for line, row in asked.items()}))
    return [_verdict(seen, asked, row) for row in questions]


def _verdict(seen: Any, asked: dict[str, list[str]], questions: list[tuple[int, str, Claim]]) -> Verdict:
    verdict = Verdict(0, [])
    for line, question, claim in questions:
        place = list(dict.fromkeys(asked[str(line)])).index(question)
        if claim.how == "end":
            turns = [[seen["last"][place]] * 2]
        else:
            turns = [[before[place], after[place]] for before, after in seen["answers"][str(line)]]
        known = [
            (before, after) for before, after in turns if after is not None and (before is not None or claim.how == "holds")
        ]
        if not known:
            continue
        if any(_is_so(claim.how, before, after) for before, after in known):
            verdict.confirmed += 1
        else:
            verdict.contradicted.append(f"line {line}: {claim.how} {question}: {known[0]}")
    return verdict


def _is_so(how: How, before: Any, after: Any) -> bool:
    match how:
        case "changes":
            return bool(repr(before) != repr(after))
        case "keeps":
            return bool(repr(before) == repr(after))
        case "before":
            return bool(before[0])
        case "holds" | "end":
            return bool(after[0])
