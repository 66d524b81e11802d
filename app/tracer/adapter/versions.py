"""Private parts of torch that differ between the supported versions: a table, and the row for the running torch."""

from typing import Final, NamedTuple

import torch


class Private(NamedTuple):
    """The private parts of one version of torch and of the versions after it, up to the next row of the table."""

    untagged_moves: frozenset[str]
    """Operators that move their Tensor to other elements but do not have the tag `torch.Tag.inplace_view`."""


_SINCE: Final = {
    (2, 13): Private(untagged_moves=frozenset()),
    # The operator for `x.data = y` in compiled functions (ATen/native/ShallowCopyData.cpp).
    (2, 14): Private(untagged_moves=frozenset({"aten::shallow_copy_data_"})),
}


def private_of(version: str) -> Private:
    """Return the row for a version of torch (`2.15.0+cpu`): the last row that is not newer than this version, or the first
    row."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return _SINCE[max((since for since in _SINCE if since <= (major, minor)), default=min(_SINCE))]


PRIVATE: Final = private_of(torch.__version__)
