"""Check findings against the messages of exceptions and warnings. Finders do not read messages, so they are independent
evidence.
"""

import json
import re

from app.explain import Finding
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.records import GradFn
from tests.recordings import answer

MESSAGES: dict[str, str] = {
    "call_arguments": "argument",
    "file_at_end": "EOFError|Ran out of input|^$",
    "hook_refused": "requires? grad|require gradient|requires_grad|positional argument",
    "loader_refused": "not an iterator|subscriptable|unpack|Size mismatch|[Ll]ength|num_samples|no len|NoneType",
    "method_not_called": "method|subscriptable|iterable|unsupported operand|has no attribute|argument|not supported between",
    "module_name": "module name|already exists|should be a string|can't contain|empty string|not a string",
    "no_attribute": "has no attribute",
    "no_item": "out of range|not subscriptable|KeyError|'|indexable|index",
    "no_module": "not a Module subclass|Module subclass",
    "not_callable": "not callable|has no attribute",
    "out_of_domain": "between 0 and 1|Expected parameter|Expected value|found invalid values|support",
    "parameter_groups": "more than one parameter group|unsupported operand",
    "weight_mismatch": "weight|must match|broadcast",
    "wrong_argument": "argument|probability|Invalid|not an Optimizer|dict-like|has no attribute|int|positive|float|object",
    "wrong_shape": "dimension|[Ee]xpected|length|sorted|[Ff]an|out of bounds|tuple|Tensor|hx|batch",
    "absent_file": "No such file|not found|out of range",
    "absent_package": "No module named",
    "broadcast_mismatch": "must match|broadcast|expanded size|not compatible",
    "attention_mismatch": "must match|Expected size|size|shape",
    "class_index": r"out of (?:bounds|range)|num_classes|non-negative",
    "collate_mismatch": "equal size",
    "attention_mask": "mask",
    "attribute_called": "not callable|not subscriptable",
    "custom_function": (
        "has no attribute|Legacy autograd|save_for_backward can only|positional argument|You must implement|to unpack|"
        "must be Tensor, not tuple|unsupported operand|twice|does not require grad|setup_context|expected Variable|out of range"
    ),
    "cut_graph": "does not require grad and does not have a grad_fn",
    "dimension_range": "Dimension out of range|Dimension specified",
    "dtype_mismatch": "dtype|scalar type|[Ii]nput type|[Tt]ype promoting|not implemented for",
    "dtype_refused": (
        "complex|Complex|dtype|scalar type|"
        "bool|Bool|not implemented for|index tensor|indices must be|floating point|Long|integer"
    ),
    "einsum_mismatch": r"einsum\(\): (?:subscript|the number of subscripts|output subscript)",
    "embedding_index": "index out of range",
    "forward_arguments": "argument",
    "freed_graph": "backward through the graph a second time|after they have already been freed",
    "gather_mismatch": "same number of dimensions|no larger than|smaller size|supposed to be a vector",
    "gradient_count": "incorrect number of gradients",
    "func_refused": (
        "vmap|single element|floating point|transform API|not callable|to return a scalar|to be a tuple|has no attribute|not found"
    ),
    "gradient_given": r"Mismatch in shape|not iterable|either Tensors or Nones|assign",
    "gradient_shape": "changed the size of value|invalid gradient at index",
    "hidden_state": r"Expected hidden|[Ii]nput batch size|has inconsistent hidden_size|[Ff]or (?:un)?batched \d-D input, hx",
    "hooked_in_place": "BackwardHookFunction",
    "index_beyond": "out of (?:bounds|range)|too many indices|0-dim",
    "inference_tensor": "[Ii]nference tensor",
    "integer_leaf": "floating point and complex",
    "join_mismatch": "Sizes of tensors must match|equal size|same number of dimensions|must match",
    "keyboard_input": "EOF|EOFError",
    "kernel_size": "[Kk]ernel|[Oo]utput size",
    "layer_input": "cannot be multiplied|[Ee]xpected|channels|must match|normalized_shape|size|dimension",
    "leaf_needed": "non-leaf|leaf variables|graph leaves|created explicitly by the user",
    "leaf_written": "leaf [Vv]ariable that requires grad",
    "loss_class_called": "Boolean value of Tensor|has no attribute|argument",
    "loss_target": "target|[Ee]xpected|scalar type|dtype|size",
    "many_values": "format string|ambiguous|one element|only length-1|converted to Scalar|single value|scalar type|0-dim",
    "mask_mismatch": "shape of the mask|cannot be broadcast|shape mismatch|too many indices|cannot assign|no larger than",
    "matmul_mismatch": (
        "expand|cannot be multiplied|[Ee]xpected (?:size|batch2)|inconsistent tensor size|must be a matrix|mismatch|matmul|dot"
    ),
    "misplaced_module": "not a Module subclass|not iterable|iterable",
    "missing_forward": "missing the required .forward. function",
    "missing_import": "is not defined",
    "missing_init": "before Module.__init__",
    "narrow_write": "can't be cast",
    "no_parameters": "empty parameter list",
    "no_gpu": "CUDA|NVIDIA|cuda|gpu|GPU",
    "no_grad_view": "view was created in (?:no_grad|inference) mode",
    "none_grad": "None",
    "not_a_tensor": "must be (?:Tensor|tuple|sequence)|has no attribute|NoneType|not subscriptable|argument|unsupported operand",
    "not_divisible": "divisible",
    "not_joined": "non-empty|zero-dimensional|empty list",
    "not_parameter": "cannot assign .* as parameter",
    "not_scalar": "grad can be implicitly created only for scalar outputs",
    "not_viewable": "view size is not compatible",
    "no_such_attribute": "has no attribute",
    "number_backward": "has no attribute 'backward'",
    "numpy_of_tracked": r"Can't call numpy\(\) on Tensor that requires grad",
    "one_value_per_channel": "more than 1 (?:value per channel|spatial element)",
    "overlapping_write": "single memory location",
    "own_memory": "refer to a single memory location",
    "refused_call": (
        "context manager|__enter__|step must be|0-d tensor|as an integer|dtype|invalid combination|type must be tuple of ints|"
        "must be tuple of ints|square matrices|singular|positive-definite|numel|probability tensor|p >= 0|0-dimensional value|"
        "require gradient|requires_grad=False|uncoalesced|real scalar|positional argument"
    ),
    "refused_input": (
        "NoneType|unsupported operand|can only concatenate|negative integer powers|invalid combination|unexpected keyword|"
        "missing|BFloat16|device|length 3|matrix|dimension|dims|[0-9]D|1-d|must be"
    ),
    "reshape_mismatch": "is invalid for input|can be inferred|only one dimension|must match|expand|number of sizes",
    "size_arguments": "permute|repeat|split_sizes|out of range|unpack|dimension|[Ii]nterpolat|size",
    "stale_saved_tensor": "modified by an inplace operation",
    "tensor_data": "too many dimensions|invalid data type|infer dtype|expected sequence|stride|can't convert|not iterable|None",
    "unused_input": "not have been used in the graph|differentiated Tensors does not require grad",
    "view_detached": "[Cc]an't detach views in-place",
    "state_dict_mismatch": "loading state_dict",
    "view_of_many": "is a view and is being modified inplace|returns multiple views",
    "vmap_refused": "vmap",
}
"""For each kind of finding, a regular expression for torch's error message."""


def contradiction(trace: Trace, index: Index, finding: Finding) -> str | None:
    """Return an objection to a finding about an exception if no such exception was raised on its line; otherwise None."""
    needer = finding.arguments.get("needer_line") or finding.arguments.get("second_line") or finding.line
    about = finding.steps[-1] if finding.steps else None
    raised = [
        step.message or ""
        for step in trace.steps
        if step.kind == "exception" and (index.line_of(step.id) in (needer, finding.line) or _is_within(trace, step.id, about))
    ]
    ended = trace.ended
    message = getattr(ended, "message", None)
    if message is not None and getattr(ended, "line", None) in (needer, finding.line, None):
        raised.append(message)
    if not raised:
        return f"nothing raised on line {needer}"
    pattern = MESSAGES.get(finding.kind)
    if pattern is not None and not any(re.search(pattern, each) for each in raised):
        return f"what raised on line {needer} says {raised[0]!r}"
    return another_saved(trace, finding, raised) if finding.kind == "stale_saved_tensor" else None


def another_saved(trace: Trace, finding: Finding, raised: list[str]) -> str | None:
    """Return an objection if torch's message contains a shape and version that no saved tensor of the finding has."""
    told = [found for each in raised for found in re.finditer(SAVED, each)]
    wanted = {(*map(int, found[1].split(", ") if found[1] else ()), int(found[2])) for found in told}
    saved = [trace.saved_tensors[each] for each in finding.saved_tensors]
    known = {(*each.geometry.shape, each.version) for each in saved if each.version is not None}
    return f"torch tells of {wanted}, the finding of {known}" if wanted and known and not wanted & known else None


SAVED = r"\[\S*Tensor \[([\d, ]*)\]\](?:, which is output \d+ of [^,]+,)? is at version \d+; expected version (\d+)"
"""Matches the shape of the changed tensor and its saved version in torch's message."""

LEAVES_WITH_GRADIENTS = (
    "sum(each.is_leaf and each.requires_grad and each.grad is not None for each in __import__('gc').get_objects() "
    "if type(each).__name__ in ('Tensor', 'Parameter'))"
)


def cut_all_the_same(trace: Trace, finding: Finding) -> str | None:
    """Check the fix that replaces `torch.tensor` by `torch.stack`: return an objection if no additional leaf gets a gradient."""
    sources = [trace.source, *(fix.source for fix in finding.fixes if fix.title == "stack")]
    runs = [json.loads(answer(source, "bare", probes=[LEAVES_WITH_GRADIENTS])) for source in sources]
    if len(runs) == 1 or any(run["raised"] for run in runs):
        return None
    before, after = (int(run["probed"][0]) for run in runs)
    return None if after > before else f"{before} leaves have a gradient, and {after} where the tensors are stacked"


def unwarned(trace: Trace, finding: Finding) -> str | None:
    """Return an objection if torch did not warn about `torch.tensor(x)` on the finding's line."""
    warned = [output for output in trace.outputs if output.stream == "warning" and output.line == finding.line]
    is_warned = any(re.search("requires_grad=True|copy construct from a tensor", output.text) for output in warned)
    return None if is_warned else f"torch did not warn on line {finding.line}"


def given_back(trace: Trace, finding: Finding) -> str | None:
    """Return an objection if all leaves behind the copied tensors have a gradient."""
    pending = [fact.node for tensor in finding.tensors for _, fact in trace.tensors[tensor].grad_fn if isinstance(fact, GradFn)]
    seen, without = set(pending), 0
    while pending:
        node = trace.nodes[pending.pop()]
        without += node.variable is not None and not any(grad is not None for _, grad in trace.tensors[node.variable].grad)
        pending += [edge.node for edge in node.edges if edge is not None and edge.node not in seen]
        seen.update(edge.node for edge in node.edges if edge is not None)
    return None if without else f"every leaf behind the tensors of line {finding.line} has a gradient"


def _is_within(trace: Trace, step: int, around: int | None) -> bool:
    inner: int | None = step
    while inner is not None and inner != around:
        inner = trace.steps[inner].parent
    return inner is not None
