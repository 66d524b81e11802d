"""What of torch's private parts is not the same in every version that is recorded: one table, and the row of this torch."""

from typing import Final, NamedTuple

import torch


class Private(NamedTuple):
    """One row."""

    untagged_moves: frozenset[str]
    """Operators that move their Tensor to other elements and lack the tag for that (`torch.Tag.inplace_view`)."""


_SINCE: Final = {
    (2, 13): Private(untagged_moves=frozenset()),
    # `x.data = y` as an operator, for compiled functions (ATen/native/ShallowCopyData.cpp).
    (2, 14): Private(untagged_moves=frozenset({"aten::shallow_copy_data_"})),
}


def private_of(version: str) -> Private:
    """The row of a version of torch (`2.15.0+cpu`): the last that had begun by then, or the first."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return _SINCE[max((since for since in _SINCE if since <= (major, minor)), default=min(_SINCE))]


PRIVATE: Final = private_of(torch.__version__)
