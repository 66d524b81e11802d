"""The list of finders: functions from a Reading to findings."""

from collections.abc import Callable

from app.explain.finding import Finding
from app.explain.findings.autograd.custom_backward import find_custom_backward
from app.explain.findings.autograd.custom_function import find_function_misused
from app.explain.findings.autograd.cut import find_cut
from app.explain.findings.autograd.dirty import find_not_marked_dirty
from app.explain.findings.autograd.freed_graph import find_freed
from app.explain.findings.autograd.gradient_given import find_gradient_given
from app.explain.findings.autograd.inference import find_inference_tensor
from app.explain.findings.autograd.integer_leaf import find_integer_leaf
from app.explain.findings.autograd.kept_on_ctx import find_kept_on_ctx
from app.explain.findings.autograd.late_requires_grad import find_late_requires_grad
from app.explain.findings.autograd.leaf import find_leaf_written
from app.explain.findings.autograd.leaf_backward import find_leaf_backward
from app.explain.findings.autograd.leaf_needed import find_leaf_needed
from app.explain.findings.autograd.many import find_view_of_many
from app.explain.findings.autograd.nan import find_nan_gradient
from app.explain.findings.autograd.no_grad_view import find_no_grad_view
from app.explain.findings.autograd.non_leaf import find_non_leaf_grad
from app.explain.findings.autograd.none_grad import find_none_grad
from app.explain.findings.autograd.number_backward import find_number_backward
from app.explain.findings.autograd.returned_gradient import find_returned_gradient
from app.explain.findings.autograd.scalar import find_not_scalar
from app.explain.findings.autograd.silent import find_silently_wrong
from app.explain.findings.autograd.stale import find_stale
from app.explain.findings.autograd.unused_input import find_unused_input
from app.explain.findings.autograd.view_detached import find_view_detached
from app.explain.findings.calls.attribute_called import find_attribute_called
from app.explain.findings.calls.call_arguments import find_call_arguments
from app.explain.findings.calls.func_refused import find_func_refused
from app.explain.findings.calls.hook_refused import find_hook_refused
from app.explain.findings.calls.hook_result import find_hook_result
from app.explain.findings.calls.list_of_arrays import find_list_of_arrays
from app.explain.findings.calls.many_values import find_many_values
from app.explain.findings.calls.method_not_called import find_method_not_called
from app.explain.findings.calls.misplaced import find_loss_class, find_misplaced_module
from app.explain.findings.calls.module_flag import find_module_flag
from app.explain.findings.calls.no_attribute import find_no_attribute
from app.explain.findings.calls.no_item import find_no_item
from app.explain.findings.calls.no_such_attribute import find_no_such_attribute
from app.explain.findings.calls.not_a_tensor import find_not_a_tensor
from app.explain.findings.calls.not_callable import find_not_callable
from app.explain.findings.calls.parameter_groups import find_file_at_end, find_parameter_groups
from app.explain.findings.calls.refused_call import find_refused_call
from app.explain.findings.calls.refused_input import find_refused_input
from app.explain.findings.calls.state_dict import find_state_dict
from app.explain.findings.calls.tensor_data import find_tensor_data
from app.explain.findings.calls.wrong_argument import find_wrong_argument
from app.explain.findings.memory.data_assigned import find_data_assigned
from app.explain.findings.memory.growing_graph import find_growing_graph
from app.explain.findings.memory.kept_grad import find_kept_grad
from app.explain.findings.memory.kept_losses import find_kept_graphs
from app.explain.findings.memory.kept_state_dict import find_live_state
from app.explain.findings.memory.kept_weights import find_kept_weights
from app.explain.findings.memory.live_module import find_live_module
from app.explain.findings.memory.lost_write import find_lost_writes
from app.explain.findings.memory.mutable_default import find_mutable_default
from app.explain.findings.memory.narrow_write import find_narrow_write
from app.explain.findings.memory.not_copied import find_not_copied
from app.explain.findings.memory.numpy_alias import find_numpy_alias
from app.explain.findings.memory.one_memory import find_one_memory
from app.explain.findings.memory.overlapping_write import find_overlapping_write
from app.explain.findings.memory.own_memory import find_own_memory
from app.explain.findings.memory.permuted_by_view import find_permuted_by_view
from app.explain.findings.memory.read_while_written import find_read_while_written
from app.explain.findings.memory.rebound_parameter import find_rebound_parameter
from app.explain.findings.memory.repeated import find_repeated
from app.explain.findings.memory.repeated_index import find_repeated_index
from app.explain.findings.memory.reshape_view import find_reshape_view
from app.explain.findings.memory.rewrapped import find_rewrapped
from app.explain.findings.memory.same_object import find_same_object
from app.explain.findings.memory.small_view import find_small_view
from app.explain.findings.memory.spread import find_spread_write
from app.explain.findings.memory.to_numpy import find_numpy_of_tracked
from app.explain.findings.memory.uninitialized import find_uninitialized
from app.explain.findings.shapes.attention import find_attention_mismatch
from app.explain.findings.shapes.attention_mask import find_attention_mask
from app.explain.findings.shapes.broadcasting import find_broadcast_mismatch
from app.explain.findings.shapes.cell_state import find_cell_state
from app.explain.findings.shapes.class_index import find_class_index
from app.explain.findings.shapes.collating import find_collate_mismatch
from app.explain.findings.shapes.dimension_range import find_dimension_range
from app.explain.findings.shapes.divisible import find_not_divisible
from app.explain.findings.shapes.domain import find_domain
from app.explain.findings.shapes.dtype_mismatch import find_dtype_mismatch
from app.explain.findings.shapes.dtype_refused import find_dtype_refused
from app.explain.findings.shapes.einsum import find_einsum_mismatch
from app.explain.findings.shapes.embedding_index import find_embedding_index
from app.explain.findings.shapes.hidden_state import find_hidden_state
from app.explain.findings.shapes.index_beyond import find_index_beyond
from app.explain.findings.shapes.joining import find_join_mismatch
from app.explain.findings.shapes.kernel_size import find_kernel_size
from app.explain.findings.shapes.layer_input import find_layer_input
from app.explain.findings.shapes.loss_target import find_loss_target
from app.explain.findings.shapes.mask_mismatch import find_mask_mismatch
from app.explain.findings.shapes.matmul import find_matmul_mismatch
from app.explain.findings.shapes.not_viewable import find_not_viewable
from app.explain.findings.shapes.one_value import find_one_value
from app.explain.findings.shapes.reshaping import find_reshape_mismatch
from app.explain.findings.shapes.size_arguments import find_size_arguments
from app.explain.findings.shapes.vmapped import find_vmapped
from app.explain.findings.shapes.wrong_shape import find_wrong_shape
from app.explain.findings.surroundings.absent_file import find_absent_file
from app.explain.findings.surroundings.command_line import find_command_line
from app.explain.findings.surroundings.compiling import find_compiler
from app.explain.findings.surroundings.gpu import find_no_gpu
from app.explain.findings.surroundings.limits import find_limit_met
from app.explain.findings.surroundings.loader import find_loader
from app.explain.findings.surroundings.missing_import import find_absent_package, find_missing_import
from app.explain.findings.surroundings.no_module import find_module_name, find_no_module
from app.explain.findings.surroundings.own_module import find_forward_arguments, find_missing_forward, find_missing_init
from app.explain.findings.surroundings.pasted_session import find_indentation, find_prompts, find_shell_lines
from app.explain.findings.surroundings.surroundings import find_downloads, find_input, find_sealed, find_workers
from app.explain.findings.training.accumulated import find_accumulated
from app.explain.findings.training.after_loop import find_after_loop
from app.explain.findings.training.constant_gradient import find_constant_gradient
from app.explain.findings.training.constant_term import find_constant_term
from app.explain.findings.training.divided_again import find_divided_again
from app.explain.findings.training.eaten import find_eaten, find_hooked_in_place
from app.explain.findings.training.exhausted import find_exhausted
from app.explain.findings.training.fresh_layer import find_fresh_layer
from app.explain.findings.training.frozen import find_frozen_late
from app.explain.findings.training.functional_dropout import find_functional_dropout
from app.explain.findings.training.gradient_ignored import find_gradient_ignored
from app.explain.findings.training.hook_left import find_hook_left
from app.explain.findings.training.implicit_dimension import find_implicit_dimension
from app.explain.findings.training.last_of_batch import find_last_of_batch
from app.explain.findings.training.loaded_nothing import find_loaded_nothing
from app.explain.findings.training.loss_broadcast import find_loss_broadcast
from app.explain.findings.training.loss_values import find_loss_values
from app.explain.findings.training.made_again import find_made_again
from app.explain.findings.training.moving_norm import find_moving_norm
from app.explain.findings.training.never_reached import find_never_reached
from app.explain.findings.training.never_stepped import find_never_stepped
from app.explain.findings.training.not_called import find_not_called
from app.explain.findings.training.not_joined import find_not_joined
from app.explain.findings.training.not_parameter import find_not_parameter
from app.explain.findings.training.other_parameter import find_other_parameter
from app.explain.findings.training.shared_optimizer import find_shared_optimizer
from app.explain.findings.training.softmax_dimension import find_softmax_dimension
from app.explain.findings.training.softmax_twice import find_softmax_twice
from app.explain.findings.training.step_order import find_clipped_after_step, find_zeroed_before_step
from app.explain.findings.training.training_mode import find_training_mode
from app.explain.findings.training.unheld import find_empty_optimizer, find_unheld
from app.explain.findings.training.untrained import find_untrained
from app.explain.findings.training.vanished import find_vanished
from app.explain.findings.training.without_backward import find_without_backward
from app.explain.findings.training.without_keepdim import find_without_keepdim
from app.explain.findings.training.zero_gradient import find_zero_gradient
from app.explain.reading.reading import Reading

FINDERS: tuple[Callable[[Reading], list[Finding]], ...] = (
    # About the text of the snippet and its surroundings.
    find_prompts,
    find_indentation,
    find_shell_lines,
    find_missing_import,
    find_absent_package,
    find_input,
    find_workers,
    find_downloads,
    find_sealed,
    find_compiler,
    find_command_line,
    find_absent_file,
    # About what ran.
    find_no_gpu,
    find_stale,
    find_silently_wrong,
    find_freed,
    find_not_scalar,
    find_cut,
    find_unused_input,
    find_number_backward,
    find_leaf_backward,
    find_late_requires_grad,
    find_leaf_written,
    find_leaf_needed,
    find_view_of_many,
    find_no_grad_view,
    find_inference_tensor,
    find_overlapping_write,
    find_own_memory,
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
    find_matmul_mismatch,
    find_broadcast_mismatch,
    find_reshape_mismatch,
    find_join_mismatch,
    find_layer_input,
    find_loss_target,
    find_loss_broadcast,
    find_unheld,
    find_empty_optimizer,
    find_zeroed_before_step,
    find_clipped_after_step,
    find_eaten,
    find_hooked_in_place,
    find_moving_norm,
    find_live_module,
    find_embedding_index,
    find_kept_on_ctx,
    find_none_grad,
    find_hidden_state,
    find_returned_gradient,
    find_function_misused,
    find_custom_backward,
    find_gradient_given,
    find_func_refused,
    find_refused_call,
    find_refused_input,
    find_tensor_data,
    find_no_such_attribute,
    find_einsum_mismatch,
    find_attention_mismatch,
    find_index_beyond,
    find_read_while_written,
    find_untrained,
    find_zero_gradient,
    find_constant_gradient,
    find_kept_weights,
    find_not_copied,
    find_softmax_twice,
    find_class_index,
    find_dtype_mismatch,
    find_dtype_refused,
    find_integer_leaf,
    find_one_value,
    find_divided_again,
    find_exhausted,
    find_hook_result,
    find_made_again,
    find_never_stepped,
    find_not_called,
    find_shared_optimizer,
    find_training_mode,
    find_list_of_arrays,
    find_functional_dropout,
    find_constant_term,
    find_never_reached,
    find_fresh_layer,
    find_softmax_dimension,
    find_repeated_index,
    find_module_flag,
    find_attention_mask,
    find_attribute_called,
    find_not_joined,
    find_cell_state,
    find_many_values,
    find_not_a_tensor,
    find_forward_arguments,
    find_missing_forward,
    find_missing_init,
    find_loss_class,
    find_misplaced_module,
    find_state_dict,
    find_dimension_range,
    find_mask_mismatch,
    find_size_arguments,
    find_kernel_size,
    find_collate_mismatch,
    find_vmapped,
    find_not_divisible,
    find_rebound_parameter,
    find_loaded_nothing,
    find_gradient_ignored,
    find_without_keepdim,
    find_loss_values,
    find_vanished,
    find_without_backward,
    find_growing_graph,
    find_after_loop,
    find_uninitialized,
    find_implicit_dimension,
    find_permuted_by_view,
    find_last_of_batch,
    find_call_arguments,
    find_no_attribute,
    find_not_callable,
    find_no_item,
    find_module_name,
    find_no_module,
    find_method_not_called,
    find_loader,
    find_wrong_argument,
    find_domain,
    find_wrong_shape,
    find_hook_refused,
    find_file_at_end,
    find_parameter_groups,
    find_limit_met,
)
"""All run in this order. A new kind of finding is a new file with a function, named here."""

OF_THE_SANDBOX = frozenset(
    {
        find_input,
        find_workers,
        find_downloads,
        find_sealed,
        find_compiler,
        find_command_line,
        find_absent_file,
        find_absent_package,
        find_no_gpu,
    }
)
"""Those about what a sealed run does not have: a keyboard, a command line, other processes, a compiler, a network, files,
packages, a GPU. A program that recorded itself by `record()` has what its machine has."""

NEEDING_THE_END = frozenset(
    {
        find_never_stepped,
        find_without_backward,
        find_never_reached,
        find_untrained,
        find_unheld,
        find_kept_graphs,
        find_small_view,
    }
)
"""Those about what a program never did. Of a run that was cut (`Reading.is_cut`) they do not know that."""
