"""All access to private, undocumented or version-specific parts of torch and CPython.

The behaviour that this package relies on was measured with torch 2.13. `tests/tracer/adapter` has one test per function.
"""

from app.tracer.adapter.autocast import add_autocast
from app.tracer.adapter.calls import (
    ENGINE,
    MODULE_CALL,
    RecomputationStopped,
    called_module,
    patch_engine,
    patch_hooks,
    patch_lending,
    patch_swap,
)
from app.tracer.adapter.compilers import jit_tracing, not_compiled, set_jit_tracing
from app.tracer.adapter.dispatch import (
    OperatorHandler,
    forget_handler,
    run_decomposed,
    run_operator,
    seen_operators,
    show_operators,
    unseen_operators,
)
from app.tracer.adapter.forward import forward_level, tangent_of
from app.tracer.adapter.interpreter import (
    FRAME_LOCALS,
    drop_locals_snapshot,
    entries_at,
    forget_start,
    hide_frames,
    items_of,
    items_of_named,
    keep_comprehensions,
    make_outermost,
    missing_levels,
    stack,
    trace_instructions,
    variables_of_comprehensions,
    version_of_dict,
)
from app.tracer.adapter.nodes import (
    TOKEN,
    gradient_root,
    has_released,
    is_refused,
    next_sequence_nr,
    nodes_behind,
    raw_saved,
    saved_scalars,
    saved_tensors_hooks_allowed,
)
from app.tracer.adapter.preserving import is_copy, keeps_mutable, preserved_saves, saved_tensors_hooks, top_hooks
from app.tracer.adapter.python_threads import is_python_thread, patch_threads, running_threads
from app.tracer.adapter.schemas import Operator, is_composite, operator, operators, tensors_in, written_arguments
from app.tracer.adapter.std_streams import buffer_lines_of_c, flush_streams_of_c, patch_write
from app.tracer.adapter.tensors import (
    OPAQUE,
    PLAIN,
    TENSOR_TYPE,
    Look,
    device_fingerprint,
    device_name,
    device_of,
    dtype_name,
    grad_of,
    is_shared,
    is_sparse,
    is_symbolic,
    is_unshared,
    kind_of_memory,
    layout_of,
    look_of,
    on_host,
    shares_counter,
    sizes_of,
    true_device_of,
    type_of,
    version_of,
)
