# thread: https://github.com/source-separation/tutorial/issues/28
# kind: broken
# ends: RuntimeError at line 22
# says: Can't call numpy() on Tensor that requires grad
# finding: `curve` holds the loss tensors (line 12), which require grad, so NumPy cannot read them on line 22. Append
#   `loss.item()`.
# culprit: 12
# victim: 22
# repair: line 12: curve.append(loss.item())
# repaired: len(heights) == 2 and heights[0].shape == (4,)

import numpy as np
import torch

torch.manual_seed(303)
RATES = [0.01, 0.1]
curves, norms = [], []
for rate in RATES:
    w = torch.ones(3, requires_grad=True)
    curve = []
    for x in torch.rand(4, 3):
        loss = (w @ x - 2) ** 2
        curve.append(loss)
        loss.backward()
        norms.append(w.grad.norm())
        with torch.no_grad():
            w -= rate * w.grad
            w.grad.zero_()
    curves.append(curve)

heights = []
for curve in curves:
    heights.append(np.log10(curve))
