"""Pure functions from a trace to findings, and the words for them."""

from collections.abc import Callable

from app.explain.accumulated import find_accumulated
from app.explain.cut import find_cut
from app.explain.data_assigned import find_data_assigned
from app.explain.dirty import find_not_marked_dirty
from app.explain.ending import end_arguments
from app.explain.expressions import Expressions
from app.explain.finding import Arguments, Document, Finding, Fix, Severity
from app.explain.freed import find_freed
from app.explain.frozen import find_frozen_late
from app.explain.gpu import find_no_gpu
from app.explain.hook_left import find_hook_left
from app.explain.imports import find_absent_package, find_missing_import
from app.explain.inference import find_inference_tensor
from app.explain.kept import find_kept_graphs
from app.explain.kept_grad import find_kept_grad
from app.explain.leaf import find_leaf_written
from app.explain.leaf_needed import find_leaf_needed
from app.explain.lost_write import find_lost_writes
from app.explain.many import find_view_of_many
from app.explain.mutable_default import find_mutable_default
from app.explain.nan import find_nan_gradient
from app.explain.narrow_write import find_narrow_write
from app.explain.no_grad_view import find_no_grad_view
from app.explain.non_leaf import find_non_leaf_grad
from app.explain.not_parameter import find_not_parameter
from app.explain.not_viewable import find_not_viewable
from app.explain.notebook import find_indentation, find_prompts, find_shell_lines
from app.explain.numpy_alias import find_numpy_alias
from app.explain.one_memory import find_one_memory
from app.explain.other_parameter import find_other_parameter
from app.explain.overlap import find_overlapping_write
from app.explain.repeated import find_repeated
from app.explain.reshape_view import find_reshape_view
from app.explain.rewrapped import find_rewrapped
from app.explain.same_object import find_same_object
from app.explain.scalar import find_not_scalar
from app.explain.silent import find_silently_wrong
from app.explain.small_view import find_small_view
from app.explain.spread import find_spread_write
from app.explain.stale import find_stale
from app.explain.state import find_live_state
from app.explain.surroundings import find_downloads, find_input, find_sealed, find_workers
from app.explain.to_numpy import find_numpy_of_tracked
from app.explain.view_detached import find_view_detached
from app.trace.chunks import Trace

__all__ = ["FINDERS", "TEXT_FINDERS", "Arguments", "Document", "Finding", "Fix", "Severity", "explain"]

TEXT_FINDERS: tuple[Callable[[Trace], list[Finding]], ...] = (
    find_prompts,
    find_indentation,
    find_shell_lines,
    find_missing_import,
    find_absent_package,
    find_input,
    find_workers,
    find_downloads,
    find_sealed,
)
"""About the text of the snippet and what it asks of its surroundings."""

FINDERS: tuple[Callable[[Expressions], list[Finding]], ...] = (
    find_no_gpu,
    find_stale,
    find_silently_wrong,
    find_freed,
    find_not_scalar,
    find_cut,
    find_leaf_written,
    find_leaf_needed,
    find_view_of_many,
    find_no_grad_view,
    find_inference_tensor,
    find_overlapping_write,
    find_not_viewable,
    find_view_detached,
    find_narrow_write,
    find_not_parameter,
    find_not_marked_dirty,
    find_accumulated,
    find_non_leaf_grad,
    find_nan_gradient,
    find_live_state,
    find_one_memory,
    find_repeated,
    find_kept_graphs,
    find_frozen_late,
    find_spread_write,
    find_same_object,
    find_rewrapped,
    find_small_view,
    find_numpy_of_tracked,
    find_other_parameter,
    find_kept_grad,
    find_data_assigned,
    find_numpy_alias,
    find_reshape_view,
    find_lost_writes,
    find_mutable_default,
    find_hook_left,
)
"""About what ran. All run in this order. A new kind of finding is a new file with a function, named here."""


def explain(trace: Trace) -> Document:
    """The trace together with every finding about it. For a trace that holds (`trace.check`) it never raises."""
    findings = [finding for text_finder in TEXT_FINDERS for finding in text_finder(trace)]
    reading = Expressions(trace)
    findings += [finding for finder in FINDERS for finding in finder(reading)]
    return Document(trace=trace, findings=_said_once(findings), end_arguments=end_arguments(trace.ended))


def _said_once(findings: list[Finding]) -> list[Finding]:
    """Without those that would read like an earlier one: the rounds of a loop."""
    first: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        first.setdefault((finding.kind, finding.severity, *sorted(finding.arguments.items())), finding)
    return list(first.values())
