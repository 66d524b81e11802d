"""Determines which arguments operators write, from their schemas and a list of exceptions."""

from typing import Any

import torch

from app.tracer.adapter.versions import PRIVATE

HIDDEN_WRITES: dict[str, tuple[int, ...]] = {
    # TORCH 2.13: the schema declares no write, but training updates running_mean and running_var (arguments 3 and 4).
    "aten::native_batch_norm": (3, 4),
    "aten::cudnn_batch_norm": (3, 4),
    "aten::miopen_batch_norm": (3, 4),
}
_BATCH_NORM_TRAINING = 5
"""Position of the `training` argument in the operators of HIDDEN_WRITES."""


class Operator:
    """Facts of an ATen operator from its schema."""

    def __init__(self, func: Any) -> None:
        self.func = func
        """Kept alive, so that its `id` is not reused."""
        self.name = str(func._schema.name)
        """The name in the schema, such as `aten::add`."""
        self.namespace = self.name.partition("::")[0]
        self.is_aten = self.namespace == "aten"
        self.redispatch = func._handle.redispatch_boxed
        """Runs the operator's kernel for a set of dispatch keys."""
        self.moves = torch.Tag.inplace_view in func.tags or self.name in PRIVATE.untagged_moves
        """Whether the operator writes no elements although its schema declares a write: `set_` and `t_` only change a Tensor's
        storage or geometry."""
        self.takes_numbers = bool(torch._C._should_allow_numbers_as_tensors(self.name.partition("::")[2]))
        """Whether the operator accepts numbers in place of tensors, as `mul` does."""
        self.writes: list[tuple[int, str]] = []
        """(position, name) of every argument that is written."""
        self.tensors: list[int] = []
        """Positions of the arguments that are one tensor each."""
        for position, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                self.writes.append((position, argument.name))
            if str(argument.type) in ("Tensor", "Optional[Tensor]"):
                self.tensors.append(position)
        self.may_write = bool(self.writes) or self.name in HIDDEN_WRITES


operators: dict[int, Operator] = {}
"""The known operators, by the `id` of their OpOverload."""


def operator(func: Any) -> Operator:
    """Return the Operator for an OpOverload."""
    known = operators.get(id(func))
    if known is None:
        known = operators[id(func)] = Operator(func)
    return known


def written_arguments(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """Return the tensors that this call writes, according to the schema (`alias_info.is_write`) and HIDDEN_WRITES."""
    known = operator(func)
    found: list[torch.Tensor] = []
    for position, name in known.writes:
        found += tensors_in(args[position] if position < len(args) else kwargs.get(name))
    hidden = HIDDEN_WRITES.get(known.name)
    if hidden and len(args) > _BATCH_NORM_TRAINING and args[_BATCH_NORM_TRAINING]:
        for position in hidden:
            found += tensors_in(args[position])
    return found


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Return the tensors in an argument or output of an operator: one tensor, or the tensors of a list or tuple."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    return []


def is_composite(func: Any) -> bool:
    """Whether this operator is composite. A composite operator reaches the journal only in inference mode."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"))
