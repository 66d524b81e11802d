"""Chooses the displayed name of a Tensor. The name of a local variable includes its function.

`static/js/run/naming/naming.js` chooses the same names; `tests/trace/test_naming.py` compares both.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

from app.trace.chunks import Trace
from app.trace.look_up import look_up
from app.trace.query import MODULE, value_at
from app.trace.records import FrameId, Name, TensorId, Tick

T = TypeVar("T")
Plainness = tuple[bool, bool, int, int, int, int]

_SLOT = re.compile(r"\.(param_groups|_params)\[")
"""Matches paths through an optimizer, which refers to parameters of other objects: by `param_groups`, and `LBFGS` also by
`_params`."""
_ATTRIBUTE = re.compile(r"^[^\[]*\.|\]\.")
"""Matches a path that goes through an attribute. A dot within the key of a dict does not count."""
VARIABLE = re.compile(r"[^\W\d]\w*")
"""Matches the variable at the beginning of a path or expression."""


def form_of(path: str) -> tuple[bool, bool, int]:
    """Return whether a path goes through an optimizer, whether it goes through an attribute, and the number of its steps."""
    return _SLOT.search(path) is not None, _ATTRIBUTE.search(path) is not None, path.count(".") + path.count("[")


class Naming:
    """Computes the displayed names of one trace."""

    trace: Trace

    def built(self, build: Callable[[Any], T]) -> T:
        """Build a look-up table. A subclass may override this method, for example to count accesses."""
        return build(self)

    # --- the frames of names ------------------------------------------------------------------------------------------

    @look_up
    def _functions(self) -> list[str]:
        """The displayed name of each Frame's function. If several calls of a function run at the same time, the second is
        called `f (2)`."""
        free: dict[str, list[int]] = defaultdict(list)
        most: dict[str, int] = defaultdict(int)
        numbers: list[int] = []
        over = sorted((frame.ended, frame.id) for frame in self.trace.frames if frame.ended is not None)
        place = 0
        shown = [frame.function.rpartition("<locals>.")[2] for frame in self.trace.frames]
        for frame in self.trace.frames:
            while place < len(over) and over[place][0] <= frame.began and over[place][1] < frame.id:
                ended = over[place][1]
                free[shown[ended]].append(numbers[ended])
                place += 1
            text = shown[frame.id]
            if not free[text]:
                most[text] += 1
                free[text].append(most[text])
            numbers.append(free[text].pop())
        return [text if number == 1 else f"{text} ({number})" for text, number in zip(shown, numbers, strict=True)]

    @look_up
    def _depths(self) -> list[int]:
        """The number of calls around each Frame; 0 for the module."""
        found: list[int] = []
        for frame in self.trace.frames:  # a parent comes before the frames that it calls
            around = MODULE if frame.parent is None else frame.parent
            found.append(0 if frame.id == MODULE else found[around] + 1)
        return found

    def text_of(self, name: Name) -> str:
        """Return the displayed name: `x`, or `x · f` for a variable `x` of the function `f`."""
        return self.in_frame(name.path, name.frame)

    def in_frame(self, path: str, frame: FrameId | None) -> str:
        """Return the displayed name of a path in a frame."""
        return path if frame in (None, MODULE) else f"{path} · {self._functions[frame]}"

    @look_up
    def functions_with(self) -> dict[str, set[str]]:
        """The functions, including the module, that have a variable of each name."""
        found: dict[str, set[str]] = defaultdict(set)
        for name in self.trace.names:
            match = VARIABLE.match(name.path)
            if match is not None:
                found[match[0]].add(self.trace.frames[name.frame].function)
        for variable in self.trace.variables:
            found[variable.name].add(self.trace.frames[variable.frame].function)
        return dict(found)

    # --- choosing a name ----------------------------------------------------------------------------------------------

    @look_up
    def _forms(self) -> list[tuple[bool, bool, int]]:
        """The form of each Name's path (`form_of`)."""
        return [form_of(name.path) for name in self.trace.names]

    def plainness(self, name: Name, tensor: TensorId) -> Plainness:
        """Return a key by which Names are sorted: a smaller key means a plainer path.

        Paths through an optimizer are last. Before them, module paths of registered Tensors come first, then paths in outer
        calls, then short paths.
        """
        is_slot, is_lent = self._kind(name, tensor)
        return is_slot, is_lent, self._depths[name.frame], *self._length(name, tensor)

    def _kind(self, name: Name, tensor: TensorId) -> tuple[bool, bool]:
        """Return whether a path goes through an optimizer, and whether it leads, without an attribute, to a Parameter or
        buffer."""
        is_slot, is_attribute, _ = self._forms[name.id]
        return is_slot, self._is_registered(tensor) and not is_attribute

    def _length(self, name: Name, tensor: TensorId) -> tuple[int, int, int]:
        # Of tied weights at equal depth, the first registered name is chosen, as in torch.
        return self._forms[name.id][2], 0 if self._is_registered(tensor) else len(name.path), name.id

    def _is_registered(self, tensor: TensorId) -> bool:
        return self.trace.tensors[tensor].type.endswith("Parameter") or tensor in self._buffers

    @look_up
    def _buffers(self) -> set[TensorId]:
        """The Tensors that were a buffer of a module at any tick."""
        found: set[TensorId | None] = set()
        for name in self.trace.names:
            if name.is_buffer:
                found.update(value_at(name.tensor, tick) for tick, is_buffer in name.is_buffer if is_buffer)
                found.update(tensor for tick, tensor in name.tensor if value_at(name.is_buffer, tick))
        return {tensor for tensor in found if tensor is not None}

    @look_up
    def plainest_of(self) -> dict[TensorId, list[Name]]:
        """The Names that led to each Tensor at any tick, the plainest first."""
        found: dict[TensorId, dict[int, Name]] = defaultdict(dict)
        for name in self.trace.names:
            for _, tensor in name.tensor:
                if tensor is not None:
                    found[tensor][name.id] = name
        return {tensor: self._in_order(tensor, list(names.values())) for tensor, names in found.items()}

    def _in_order(self, tensor: TensorId, names: list[Name]) -> list[Name]:
        return sorted(names, key=lambda name: self.plainness(name, tensor))

    @look_up
    def plainest_in(self) -> dict[tuple[TensorId, FrameId], list[Name]]:
        """For each Tensor and frame, the Names of the frame that led to the Tensor at any tick, the plainest first."""
        found: dict[tuple[TensorId, FrameId], list[Name]] = defaultdict(list)
        for tensor, names in self.plainest_of.items():
            for name in names:
                found[tensor, name.frame].append(name)
        return dict(found)

    @look_up
    def _chosen(self) -> dict[TensorId, Name]:
        """The Name that is displayed for each Tensor if no tick is given.

        The first of these criteria that differs between two Names decides:

        - A path through an optimizer comes later.
        - For a Parameter or buffer, a path without an attribute comes later than a module path.
        - A path through an attribute comes later if its call is deeper: `self.scale` of `__init__` after `net.scale` of the
          module. Other paths count as paths of the module.
        - For a Parameter or buffer, a path that leads to another Tensor at the end of the run comes later.
        - The Name that led to the Tensor at the earliest tick comes first.
        """
        chosen: dict[TensorId, tuple[tuple[bool, bool, int, bool, Tick, int, int, int], Name]] = {}
        for name in self.trace.names:
            depth = self._depths[name.frame] if self._forms[name.id][1] else 0
            for tick, tensor in name.tensor:
                if tensor is not None:
                    is_left = self._is_registered(tensor) and name.tensor[-1][1] != tensor
                    key = *self._kind(name, tensor), depth, is_left, tick, *self._length(name, tensor)
                    if tensor not in chosen or key < chosen[tensor][0]:
                        chosen[tensor] = key, name
        return {tensor: name for tensor, (_, name) in chosen.items()}

    def name_of(self, tensor: TensorId | None) -> str:
        """Return the general name of a Tensor: its module path if it is registered, else its first name; "" if there is no
        name."""
        name = None if tensor is None else self._chosen.get(tensor)
        return "" if name is None else self.text_of(name)

    def path_of(self, tensor: TensorId | None) -> str:
        """Like `name_of`, but without the function that owns the variable."""
        name = None if tensor is None else self._chosen.get(tensor)
        return "" if name is None else name.path

    def name_then(self, tensor: TensorId, tick: Tick) -> str:
        """Return the plainest name that leads to a Tensor at a tick; "" if there is none."""
        names = (name for name in self.plainest_of.get(tensor, []) if value_at(name.tensor, tick) == tensor)
        return next(map(self.text_of, names), "")

    @look_up
    def ever_called(self) -> dict[TensorId, str]:
        """The `name_of` of each Tensor that had a name at any tick. An unnamed gradient of `w` is called `w.grad`."""
        texts = {tensor: self.text_of(name) for tensor, name in self._chosen.items()}
        for tensor in self.trace.tensors:
            for _, grad in tensor.grad if tensor.id in texts else []:
                if grad is not None and grad not in texts:
                    texts[grad] = grad_name(texts[tensor.id])
        return texts


def grad_name(text: str) -> str:
    """Return the name of the gradient of a named Tensor: `w.grad`, `w.grad · f`."""
    return written_as("{}.grad", text)


def written_as(expression: str, text: str) -> str:
    """Insert the path of a displayed name for `{}` in an expression: `x.data_ptr()`, `id(x) · f`."""
    path, parting, function = text.partition(" · ")
    return f"{expression.replace('{}', path)}{parting}{function}"
