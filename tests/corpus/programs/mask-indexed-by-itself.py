# thread: https://github.com/khorrams/IGOS_pp/issues/2
# kind: broken
# ends: RuntimeError at line 6
# says: some elements of the input tensor and the written-to tensor refer to a single memory location
# finding: Line 6 writes `open_` in place with `open_` itself as the index: one memory is read and written at once.
#   Index with `open_.clone()`.
# culprit: 6
# victim: 6
# repair: line 6: open_[open_.clone()] = gains > 0.5
# repaired: open_.tolist() == [True, False, False]

import torch

costs, base = torch.tensor([3.0, 1.0, 2.0]), torch.tensor([1.0, 1.0, 1.9])
open_ = torch.tensor([True, False, True])
gains = costs[open_] - base[open_]
open_[open_] = gains > 0.5
step = torch.where(open_, 0.1, 0.0)
