"""Statements about a run that follow from each kind of finding. The statements are checked in a run without a recorder.

A claim is an expression and a line of the snippet, which an argument of the finding contains. `changes` means that the line
changes the value of the expression, `keeps` that it does not, `holds` that the expression is true after the line, and `end`
that it is true at the end of the run.
"""

import ast
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from app.explain import Finding
from tests.recordings import answer

How = Literal["changes", "keeps", "holds", "before", "end", "rises", "adds", "differs"]
"""What is expected of the expression, before or after its line.

`adds` and `differs` need a separate run: for `adds`, a leaf's gradient is set to None before the line, and for `differs`,
`inplace` of all modules is False.
"""


@dataclass(frozen=True)
class Claim:
    """An expression with placeholders for the finding's arguments, and the argument that contains its line."""

    how: How
    question: str
    line: str = ""
    only: tuple[str, str] | None = None
    """The claim is checked only if this argument of the finding has this value."""


def changes(name: str, line: str = "write_line") -> Claim:
    return Claim("changes", f"shown({name})", line)


def before(question: str, line: str = "line") -> Claim:
    return Claim("before", question, line)


LEFT = before("tuple(({left}).shape) == {left_shape}")
LEFT_DTYPE = before("str(({left}).dtype) == 'torch.{left_dtype}'")
BOTH = [LEFT, before("tuple(({right}).shape) == {right_shape}")]
VIEW = [before("{name}._is_view()"), Claim("holds", "memory({name}) == memory({base})", "maker_line")]
WRITTEN = [Claim("changes", "{name}._version", "writer_line", ("relation", "itself"))]
UNTOUCHED = [Claim("keeps", "shown({name})", "writer_line", ("bytes", "idle"))]

STEADY = [("relation", "itself"), ("bytes", "idle")]
"""These claims are checked only if their variable is assigned once. The finding uses the name at the time of the save."""

HELD = "any({name} is each for group in {optimizer}.param_groups for each in group['params'])"

CLAIMS: dict[str, list[Claim]] = {
    "constant_gradient": [
        before("not any(each.requires_grad for each in tensors_in({gradient}))", "use_line"),
        Claim("end", "{name}.requires_grad"),
    ],
    "kept_weights": [changes("{name}"), before("memory({name}) == memory({weight})")],
    "softmax_twice": [before("((0 <= {name}) & ({name} <= 1)).all()")],
    "untrained_parameter": [Claim("end", "{name}.grad is None and {name}.requires_grad"), Claim("end", HELD)],
    "zero_gradient": [Claim("holds", "not {name}.grad.any()", "line")],
    "attention_mask": BOTH,
    "attention_mismatch": BOTH,
    "broadcast_mismatch": BOTH,
    "custom_function": [
        before("issubclass({class}, torch.autograd.Function)"),
        Claim("before", "not isinstance({text}, torch.Tensor)", "cause_line", ("rule", "saved")),
        Claim("before", "isinstance({text}, tuple)", "line", ("rule", "tuple")),
        Claim("before", "not isinstance({text}, torch.Tensor)", "line", ("rule", "constructed")),
        Claim("before", "'{text}' not in vars({class})", "line", ("rule", "missing")),
    ],
    "cut_graph": [before("torch.is_grad_enabled()", "switch_line"), before("not {root}.requires_grad")],
    "class_index": [before("{index} in {right}.flatten().tolist()")],
    "clipped_after_step": [Claim("keeps", "shown({name})", "line"), changes("{name}", "step_line")],
    "data_assigned": [Claim("holds", "memory({name}) == memory({owner})", "line"), changes("{follower}")],
    "dimension_range": [LEFT],
    "dtype_mismatch": [LEFT_DTYPE, before("str(({right}).dtype) == 'torch.{right_dtype}'")],
    "dtype_refused": [LEFT_DTYPE],
    "eaten_activation": [
        changes("{name}", "around_line"),
        Claim("differs", "shown({name})", "around_line", ("how", "kept")),
    ],
    "einsum_mismatch": BOTH,
    "embedding_index": [before("{index} in {indices}.flatten().tolist()"), before("{module}.weight.shape[0] == {rows}")],
    "gather_mismatch": BOTH,
    "index_beyond": [LEFT],
    "read_while_written": [changes("{name}", "line")],
    "freed_graph": [Claim("changes", "freed('{node}')", "first_line")],
    "frozen_late": [Claim("keeps", "shown({name}.grad)", "line"), before("not {name}.requires_grad")],
    "func_refused": [
        Claim("before", "{name} is not None and not isinstance({name}, torch.Tensor)", "line", ("rule", "number")),
        Claim("before", "isinstance({text}, torch.Tensor)", "line", ("rule", "tuple")),
        Claim("before", "'{name}' not in dict({right}.named_parameters()) and '{name}' in {text}", "line", ("rule", "names")),
        Claim("before", "len({left}) == {left_size} != {right_size} == len({right})", "line", ("rule", "sizes")),
    ],
    "gradient_given": [LEFT, LEFT_DTYPE, before("tuple(({right}).shape) == {right_shape}")],
    "grad_accumulated": [before("{name}.grad is not None", "second_line"), Claim("adds", "{name}", "second_line")],
    "hidden_state": BOTH,
    "hook_left": [
        Claim("changes", "{name}.grad_fn._sequence_nr()", "write_line"),
        Claim("holds", "listen('{name}', {name})", "line"),
        Claim("changes", "heard('{name}')", "needer_line"),
    ],
    "inference_tensor": [before("{name}.is_inference()")],
    "integer_leaf": [LEFT_DTYPE],
    "join_mismatch": BOTH,
    "kernel_size": [LEFT],
    "kept_grad": [Claim("holds", "{name} is {grad}", "line"), changes("{name}")],
    "kept_on_ctx": [changes("{name}")],
    "kept_graphs": [
        Claim("rises", "len(nodes_behind(tensors_in({name})))", "line"),
        Claim("holds", "passes({name}) >= {rounds}", "line"),
    ],
    "late_requires_grad": [before("{name}.requires_grad and {name}.grad is None"), Claim("end", "{name}.grad is None")],
    "layer_input": BOTH,
    "leaf_backward": [Claim("holds", "{root}.is_leaf and {root}.grad_fn is None and {root}.grad is not None", "line")],
    "leaf_needed": [before("not {name}.is_leaf")],
    "leaf_written": [before("{leaf}.is_leaf and {leaf}.requires_grad and memory({name}) == memory({leaf})")],
    "live_module": [
        Claim("holds", "{name} is {model}", "line"),
        Claim("changes", "[*map(shown, tensors_in({name}))]", "write_line"),
    ],
    "live_state": [changes("{path}")],
    "loss_broadcast": [*BOTH, before("broadcast({left}, {right}) == {result}")],
    "loss_target": BOTH,
    "lost_write": [Claim("keeps", "shown({name})", "line")],
    "loss_class_called": [before("isinstance({written}, type)", "call_line")],
    "many_values": [LEFT],
    "mask_mismatch": BOTH,
    "matmul_mismatch": BOTH,
    "moving_batch_norm": [changes("{name}", "line")],
    "mutable_default": [
        Claim("holds", "any({parameter} is each for each in defaults('{function}'))", "left_line"),
        Claim("changes", "repr(defaults('{function}'))", "left_line"),
        Claim("before", "any(map(len, defaults('{function}')))", "call_line", ("how", "kept")),
    ],
    "nan_gradient": [Claim("holds", "not {leaf}.grad.isfinite().all()", "line")],
    "narrow_write": [before("str({name}.dtype) == 'torch.{dtype}'")],
    "no_grad_view": VIEW,
    "no_parameters": [before("not [*{module}.parameters()]")],
    "no_such_attribute": [before("not hasattr({owner}, '{name}')")],
    "non_leaf_grad": [before("{name}.grad is None and not {name}.is_leaf")],
    "none_grad": [before("{name}.grad is None")],
    "not_a_tensor": [before("isinstance({name}, torch.Tensor) == ('{rule}' == 'joined')")],
    "not_copied": [
        Claim("holds", "memory({name}) == memory({other}) and {name} is not {other}", "line"),
        changes("{name}"),
        changes("{other}"),
    ],
    "not_in_optimizer": [Claim("end", "{name}.grad is not None"), Claim("end", "not is_optimized({name})")],
    "not_marked_dirty": [
        changes("{name}", "line"),
        Claim("holds", "not {ctx}.dirty_tensors", "line"),
    ],
    "not_parameter": [before("is_parameter({name})")],
    "not_scalar": [before("{name}.numel() == {count} and tuple({name}.shape) == {shape}")],
    "not_viewable": [before("tuple({name}.shape) == {shape} and {name}.stride() == {stride}")],
    "number_backward": [before("type({root}).__name__ == '{type}'")],
    "numpy_alias": [changes("{name}"), changes("{array}")],
    "numpy_of_tracked": [before("{name}.requires_grad")],
    "one_memory": [Claim("end", "memory({one}) == memory({other}) and shown({one}) == shown({other})")],
    "one_value_per_channel": [LEFT, before("{module}.training")],
    "other_parameter": [
        Claim("end", "not is_optimized({name}, {optimizer})"),
        Claim("holds", "not is_optimized({name}, {optimizer})", "line"),
    ],
    "overlapping_write": [before("overlaps({name})")],
    "own_memory": [before("memory({name}) == memory({read})")],
    "refused_call": [
        Claim("before", "tuple(({left}).shape) == {left_shape}", "line"),
        Claim("before", "isinstance({text}, type)", "line", ("rule", "not_called")),
        Claim("before", "isinstance({text}, float)", "line", ("rule", "float_size")),
        Claim("before", "isinstance({text}, torch.Size)", "line", ("rule", "range_of_size")),
        Claim("before", "not isinstance({text}, torch.dtype)", "line", ("rule", "dtype")),
        Claim("before", "isinstance({text}, int)", "line", ("rule", "size_number")),
        Claim("before", "torch.linalg.matrix_rank({left}) < len({left})", "line", ("rule", "singular")),
        Claim("before", "torch.linalg.eigvalsh({left}).min() <= 1e-6", "line", ("rule", "not_definite")),
        Claim("before", "not {left}.requires_grad", "line", ("rule", "no_gradient")),
        Claim("before", "not {left}.is_coalesced()", "line", ("rule", "uncoalesced")),
        Claim("before", "{left}.min() < 0 or {left}.max() > 1", "line", ("rule", "probabilities")),
    ],
    "refused_input": [
        before("tuple(({left}).shape) == {left_shape}"),
        Claim("before", "{text} is None", "line", ("rule", "nothing")),
        Claim("before", "not isinstance({text}, torch.Tensor)", "line", ("rule", "list")),
    ],
    "repeated_list": [Claim("holds", "{name}[0] is {name}[1]", "write_line"), changes("{name}[1]")],
    "reshape_mismatch": [LEFT],
    "reshape_view": [Claim("holds", "memory({name}) == memory({other})", "line"), changes("{follower}")],
    "same_object": [before("{name} is {other}", "write_line"), changes("{other}")],
    "size_arguments": [LEFT],
    "silently_wrong_gradient": [
        Claim("changes", "shown({name})", "writer_line", ("relation", "itself")),
        Claim("keeps", "{name}._version", "writer_line", ("relation", "itself")),
    ],
    "small_view": [Claim("end", "{name}.untyped_storage().nbytes() > {name}.nbytes and {name}.device.type != 'meta'")],
    "spread_write": [changes("{name}", "line"), before("overlaps({name})")],
    "stale_saved_tensor": [*WRITTEN, *UNTOUCHED],
    "tensor_data": [before("not isinstance({text}, torch.Tensor)")],
    "unused_input": [before("is_unused({root}, {name})")],
    "view_detached": [before("{name}._is_view()")],
    "view_of_many": VIEW,
    "not_called": [before("callable({method})")],
    "never_stepped": [Claim("keeps", "shown({name})", "line"), Claim("end", "not is_stepped({optimizer})")],
    "optimizer_made_again": [Claim("holds", "is_another('{optimizer}', {optimizer}) and not {optimizer}.state", "line")],
    "shared_by_optimizers": [
        Claim("end", "is_optimized({name}, {one})"),
        Claim("end", "{one} is not {other} and is_optimized({name}, {other})"),
    ],
    "exhausted_iterator": [before("next(iter({name}), None) is None")],
    "hook_without_return": [before("gives_nothing('{function}')")],
    "divided_again": [changes("{name}", "line"), changes("{source}", "line")],
    "evaluated_in_training_mode": [
        before("{model}.training and not torch.is_grad_enabled()"),
        Claim("changes", "shown({name})", "line", ("how", "norm")),
        Claim("changes", "hash(tuple(torch.get_rng_state().tolist()))", "line", ("how", "dropout")),
    ],
    "trained_in_eval_mode": [before("not {model}.training and torch.is_grad_enabled()")],
    "dropout_in_eval": [Claim("changes", "hash(tuple(torch.get_rng_state().tolist()))", "line"), before("not self.training")],
    "constant_term": [before("not any(each.requires_grad for each in tensors_in([{term}]))", "sum_line")],
    "never_reached": [Claim("end", "{name}.grad is None and {name}.requires_grad"), Claim("end", HELD)],
    "fresh_layer": [Claim("rises", "[len([*everything(torch.nn.Parameter)])]", "line")],
    "softmax_dimension": [Claim("end", "({name}.exp().sum(0) - 1).abs().max() < 1e-3 < ({name}.exp().sum(1) - 1).abs().max()")],
    "repeated_index": [before("len(set({index}.tolist())) < {index}.numel() and {repeated} in {index}.tolist()")],
    "module_flag": [Claim("holds", "any(each.requires_grad is not {wanted} for each in tensors_in({owner}))", "line")],
    "rebound_parameter": [Claim("keeps", "shown({name})", "line")],
    "loaded_nothing": [
        Claim("keeps", "[*map(shown, tensors_in({module}))]", "line"),
        before("not {{*{state}}}.intersection({module}.state_dict())"),
    ],
    "gradient_ignored": [before("is_never_read('{function}', '{parameter}')")],
    "without_keepdim": [
        before("tuple(({whole}).shape) == {shape}"),
        before("tuple(({part}).shape) == {reduced_shape}"),
    ],
    "loss_values": [before("any(abs(each - {value}) < 1e-6 for each in ({given}).flatten().tolist())")],
    "unchanged_step": [before("bool({name}.grad.any())"), Claim("keeps", "shown({name})", "line"), Claim("end", HELD)],
    "growing_loss": [
        before("'%.3g' % float({name}) == '{last}'"),
        before("any(group['lr'] == {rate} for group in {optimizer}.param_groups)"),
    ],
    "vanished_gradient": [Claim("holds", "not {name}.grad.any()", "line")],
    "without_backward": [Claim("keeps", "shown({name})", "line"), Claim("end", "{name}.grad is None")],
    "growing_graph": [before("len(nodes_behind([{root}])) == {last}")],
    "after_loop": [Claim("changes", "id({name}.grad_fn)", "maker_line"), before("{name}.grad_fn is not None")],
    "uninitialized": [before("{maker}.__name__.startswith(('empty', 'new_empty'))"), Claim("end", "{name}._version == 0")],
    "implicit_dimension": [before("len({shape}) == 3 and tuple(({given}).shape) == {shape}")],
    "permuted_by_view": [before("tuple(({name}).shape) == {shape} and sorted({shape}) == sorted({new_shape})")],
    "last_of_batch": [
        before("tuple({name}.shape) == {shape}"),
        before("not any(each.batch_first for each in everything(torch.nn.{layer}))"),
    ],
    "zeroed_before_step": [Claim("keeps", "shown({name})", "line"), before("{name}.grad is None or not {name}.grad.any()")],
}


@dataclass
class Verdict:
    """How many claims of a finding are true in a run without a recorder, and descriptions of the false ones."""

    confirmed: int
    contradicted: list[str]


Question = tuple[int, str, Claim]
"""The line (0 for the end of the run), the expression and the claim."""

Turns = list[tuple[Any, Any]]
"""The values of the expression before and after each execution of the line. A value is None if the expression raised."""


def asked_of(source: str, finding: Finding) -> list[Question]:
    """Return the expressions to evaluate for a finding. Claims about arguments that the finding lacks are left out."""
    # Names of variables in functions have the form `x · f`. The function's name is removed here.
    said = {name: str(value).partition(" · ")[0] for name, value in finding.arguments.items() if value not in ("", "none")}
    questions = []
    for claim in CLAIMS.get(finding.kind, []):
        line = int(said.get(claim.line, 0)) if claim.line else 0
        if claim.only is not None and said.get(claim.only[0]) != claim.only[1]:
            continue
        if claim.only in STEADY and not is_bound_once(source, said.get("name", "")):
            continue
        try:
            question = claim.question.format(**said)
        except KeyError:
            continue
        if line or claim.how == "end":
            questions.append((line, question, claim))
    return questions


def is_bound_once(source: str, path: str) -> bool:
    """Whether the snippet has exactly one assignment to the variable at the beginning of a path."""
    name = re.split(r"\W", path)[0]
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name) and node.id == name]
    return sum(isinstance(node.ctx, ast.Store) for node in nodes) == 1


def judged(source: str, findings: list[Finding]) -> list[Verdict]:
    """Run the snippet without a recorder, and return a verdict on each of its findings."""
    questions = [asked_of(source, finding) for finding in findings]
    turns = answers(source, [(line, question) for row in questions for line, question, _ in row])
    verdicts = []
    for row in questions:
        verdict = Verdict(0, [])
        for line, question, claim in row:
            agrees = AGAIN[claim.how](source, line, question) if claim.how in AGAIN else is_so(claim.how, turns[line, question])
            verdict.confirmed += agrees is True
            if agrees is False:
                verdict.contradicted.append(f"line {line}: {claim.how} {question}: {turns[line, question][:3]}")
        verdicts.append(verdict)
    return verdicts


def answers(source: str, asked: list[tuple[int, str]]) -> dict[tuple[int, str], Turns]:
    """Run the snippet without a recorder, and return the values of each expression at its line."""
    lines: dict[str, list[str]] = {}
    for line, question in dict.fromkeys(asked):
        lines.setdefault(str(line), []).append(question)
    seen = json.loads(answer(source, "bare", asked=lines)) if lines else {}
    found: dict[tuple[int, str], Turns] = {}
    for text, row in lines.items():
        for place, question in enumerate(row):
            if text == "0":
                found[0, question] = [(None, seen["last"][place])]
            else:
                found[int(text), question] = [(before[place], after[place]) for before, after in seen["answers"][text]]
    return found


def is_so(how: How, turns: Turns) -> bool | None:
    """Whether the values of the expression agree with a claim; None if there are none."""
    known = [(before, after) for before, after in turns if (before is not None or how in ("holds", "end"))]
    known = [(before, after) for before, after in known if after is not None or how == "before"]
    if not known:
        return None
    match how:
        case "changes":
            return any(repr(before) != repr(after) for before, after in known)
        case "keeps":
            return any(repr(before) == repr(after) for before, after in known)
        case "before":
            return any(before[0] for before, _ in known)
        case "rises":
            return all(after[0] > before[0] for before, after in known)
    return any(after[0] for _, after in known)


def adds(source: str, line: int, leaf: str) -> bool | None:
    """Whether a statement adds to a leaf's gradient.

    True if the gradient after the statement is the sum of the gradient before it and the gradient that the statement computes
    on its own.
    """
    whole, question = f"shown({leaf}.grad)", f"alone({leaf})"
    sums = [after for before, after in answers(source, [(line, whole)])[line, whole] if before is not None]
    parts = [after for _, after in answers(source, [(line, question)])[line, question]]
    known = [(one[0], part[0]) for one, part in zip(sums, parts, strict=False) if one and part and part[0] is not None]
    if not known:
        return None
    return all(is_sum(whole, old, new) for whole, (old, new) in known)


def differs(source: str, line: int, question: str) -> bool | None:
    """Whether the value of the expression after the line is different if no module works in place."""
    ours, theirs = (
        [after for _, after in answers(source, [*first, (line, question)])[line, question] if after is not None]
        for first in ([], [(line, "out_of_place()")])
    )
    return ours != theirs if ours and theirs else None


AGAIN: dict[str, Callable[[str, int, str], bool | None]] = {"adds": adds, "differs": differs}
"""The functions for claims that need a separate run."""


def is_sum(whole: Any, old: Any, new: Any) -> bool:
    """Whether `whole` is the element-wise sum of `old` and `new`, within rounding."""
    triples = zip(flat(whole), flat(old), flat(new), strict=True)
    return all(math.isclose(one, other + third, rel_tol=1e-4, abs_tol=1e-6) or math.isnan(one) for one, other, third in triples)


def flat(value: Any) -> list[float]:
    return [number for each in value for number in flat(each)] if isinstance(value, list) else [value]
