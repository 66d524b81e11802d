# thread: https://github.com/akanazawa/cmr/issues/11
# kind: broken
# ends: RuntimeError at line 8
# says: returned nan values in its 0th output
# finding: Two corners of the mesh coincide, so one squared length is 0, and the slope of `sqrt` (line 6) there is
#   infinite: 0 times infinity is NaN. Add a small number under the root.
# culprit: 6
# victim: 8
# repair: line 6: lengths = (sides.pow(2).sum(1) + 1e-12).sqrt()
# repaired: corners.grad.isfinite().all().item()

import torch

torch.autograd.set_detect_anomaly(True)
corners = torch.tensor([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]], requires_grad=True)
sides = corners - corners.roll(1, 0)
lengths = sides.pow(2).sum(1).sqrt()
smooth = (lengths - lengths.mean()).abs().sum()
smooth.backward()
