"""Watches backward: records the run of each Node, and the gradients that the Node sends along its edges."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from app.trace.codec import LARGEST
from app.trace.records import Contents, Gradient, Unknown
from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.tensors import values
from app.tracer.tensors.seen import refused
from app.tracer.tensors.storages import READABLE

_DisableTorchFunction = torch._C.DisableTorchFunction
_TOO_LARGE = "A dimension of this gradient is larger than a trace can represent."


class BackwardWatch:
    """Wraps the function through which every backward runs. Hooks each reachable Node during the call, and copies gradients."""

    def __init__(self, observer: Observer, guard: Guard, *, keeps_saved: bool = False) -> None:
        self._observer = observer
        self.guard = guard
        self._keeps_saved = keeps_saved

    def install(self) -> Callable[[], None]:
        """Wrap backward. Return a function that removes the wrapper."""
        return adapter.patch_engine(self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def _engine_run_backward(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
            if self.guard.stopped:
                return original(t_outputs, *args, **kwargs)
            if self._observer.threads.is_another():
                return self._elsewhere(original, t_outputs, *args, **kwargs)
            keeps = args[1] if len(args) > 1 else kwargs.get("keep_graph", kwargs.get("retain_graph"))
            keep_graph = issubclass(type(keeps), (int, np.generic)) and bool(keeps)  # torch accepts only ints and NumPy scalars
            running = _Pass(self._observer, self.guard, keep_graph, keeps_saved=self._keeps_saved)
            running.hook(t_outputs)
            self._observer.backwards_running += 1
            levels = adapter.stack.levels
            levels.value += 1  # for this frame
            try:
                return original(t_outputs, *args, **kwargs)
            finally:
                levels.value -= 1
                self._observer.backwards_running -= 1
                running.unhook()

        return _engine_run_backward

    def _elsewhere(self, original: Callable[..., Any], t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Run a backward on another thread of the program. The only fact that is recorded of such a backward is the release of
        saved tensors."""
        known = [
            (node, token.serial)
            for node in adapter.nodes_behind(t_outputs)
            if (token := node.metadata.get(adapter.TOKEN)) is not None
        ]
        try:
            return original(t_outputs, *args, **kwargs)
        finally:
            self._observer.released_elsewhere.extend(serial for node, serial in known if adapter.has_released(node))
            known.clear()


class _Pass:
    """One call of backward. The object holds only ids of Nodes. The hooks are removed at the end of the call."""

    def __init__(
        self,
        observer: Observer,
        guard: Guard,
        keep_graph: bool,
        *,
        keeps_saved: bool,
    ) -> None:
        self._observer = observer
        self.guard = guard
        self._keep_graph = keep_graph
        self._keeps_saved = keeps_saved
        self._handles: list[Any] = []
        self._roots: set[int] = set()
        self._running: dict[int, int] = {}
        self._ran: tuple[int, int] | None = None

    @guarded
    def hook(self, t_outputs: Any) -> None:
        """Put a prehook and a posthook on every Node that can be reached from these outputs. Iterative."""
        self._observer.settle()
        with adapter.unseen_operators():
            waiting = [node for output in t_outputs if (node := adapter.gradient_root(output)) is not None]
        graph, step = self._observer.graph, self._observer.step
        self._roots = {graph.node(node, step) for node in waiting}
        hooked: set[int] = set()
        while waiting:
            node = waiting.pop()
            serial = graph.node(node, step)
            if serial in hooked:
                continue
            hooked.add(serial)
            if self._keeps_saved and adapter.keeps_mutable(node):
                graph.saves.record_kept(serial)
            self._handles.append(node.register_prehook(functools.partial(self._begin, serial)))
            self._handles.append(node.register_hook(functools.partial(self._end, serial)))
            for following, _ in node.next_functions:
                if following is not None:
                    waiting.append(following)

    def unhook(self) -> None:
        self._end_all()
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    @guarded
    def _end_all(self) -> None:
        self._finish()
        for step in reversed(list(self._running.values())):  # a Node that raised never reaches its posthook
            self._observer.end(step)
        self._running.clear()

    @guarded
    def _begin(self, serial: int, grad_outputs: Any) -> None:
        if self._observer.threads.is_another():
            return  # another thread's backward runs a Node that this backward hooked
        self._finish()
        self._observer.look_before_use(serial)
        self._running[serial] = step = self._observer.begin("node", None, node=serial)
        if (leaf := self._observer.graph.leaf(serial)) is not None:
            self._observer.accumulating = step, leaf
        if serial in self._roots:
            for input_nr, gradient in enumerate(grad_outputs):
                if gradient is not None:
                    self._record(gradient, None, None, serial, input_nr)

    @guarded
    def _end(self, serial: int, grad_inputs: Any, grad_outputs: Any) -> None:
        if self._observer.threads.is_another():
            return
        observer = self._observer
        observer.settle()
        observer.tables.advance()
        edges = observer.graph.edges.get(serial, [])
        for index, (gradient, edge) in enumerate(zip(grad_inputs, edges, strict=False)):
            if edge is not None and gradient is not None:
                self._record(gradient, serial, index, edge.node, edge.input_nr)
        self._ran = (serial, self._running.pop(serial))
        observer.accumulating = None
        if (leaf := observer.graph.leaf(serial)) is not None:
            observer.look_at_leaf(leaf)
        if torch.is_grad_enabled():
            observer.look_at_gradients(grad_inputs)

    def _finish(self) -> None:
        """Close the step of the Node that ran last. The engine releases the Node's saved tensors after the posthooks
        (torch/csrc/autograd/engine.cpp, `evaluate_function`: `if (!keep_graph_) fn.release_variables()`)."""
        if self._ran is None:
            return
        (serial, step), self._ran = self._ran, None
        self._observer.settle()
        self._observer.tables.advance()
        if not self._keep_graph:
            self._observer.graph.saves.release(serial)
        self._observer.end(step)

    def _record(self, gradient: torch.Tensor, node: int | None, edge: int | None, to: int | None, input_nr: int) -> None:
        observer = self._observer
        tables, open_steps = observer.tables, observer.open_steps
        with _DisableTorchFunction():
            look = adapter.look_of(gradient)
            value = contents(gradient, observer.limits.cells, look)
        shape = list(look[2])
        if shape and max(shape) > LARGEST:
            shape, value = [], Unknown(reason=_TOO_LARGE)
        tables.value_bytes += values.wire_bytes(value)
        tables.gradients.append(
            Gradient(
                id=tables.gradients.count,  # type: ignore[arg-type]
                tick=tables.tick,
                step=open_steps[-1] if open_steps else None,  # type: ignore[arg-type]
                node=node,  # type: ignore[arg-type]
                edge=edge,
                to=to,  # type: ignore[arg-type]
                input_nr=input_nr,
                shape=shape,
                value=value,
            )
        )


def contents(tensor: torch.Tensor, cells: int, look: adapter.Look | None = None) -> Contents:
    """Return the values of a tensor in row-major order: Cells for at most `cells` elements, otherwise a Summary.

    `look` is the tensor's `look_of`, if known.
    """
    layout, dtype, shape, stride, _, is_conj, is_neg = look or adapter.look_of(tensor)
    device = adapter.true_device_of(tensor).type
    if layout is not torch.strided or device not in READABLE or is_conj or is_neg:
        return Unknown(reason=f"Values of this {adapter.layout_of(tensor)} tensor on {adapter.device_of(tensor)} are not read.")
    if device != "cpu":
        return copied_contents(tensor, cells)
    try:
        address = tensor.data_ptr()
    except RuntimeError as refusal:
        return refused(refusal)
    return values.strided(address, adapter.dtype_name(dtype), shape, stride, cells)


def copied_contents(tensor: torch.Tensor, cells: int) -> Contents:
    """Return the values, as `contents` does, of a tensor whose bytes the CPU cannot read. The whole storage is copied, unless
    it is too large."""
    _, dtype, shape, stride, storage_offset, _, _ = adapter.look_of(tensor)
    try:
        storage = torch.Tensor.untyped_storage(tensor)
        if storage.nbytes() > values.SUMMARISED_ELEMENTS * dtype.itemsize:
            return Unknown(reason="The storage of this tensor is too large to be copied from its device.")
        host = adapter.on_host(storage)
    except RuntimeError as refusal:
        return refused(refusal)
    address = host.data_ptr() + storage_offset * dtype.itemsize
    return values.strided(address, adapter.dtype_name(dtype), shape, stride, cells)
