# thread: https://github.com/pytorch/pytorch/issues/11951
# kind: broken
# ends: RuntimeError at line 11
# says: expected m1 and m2 to have the same dtype, but got: double != float
# finding: NumPy computes in float64, so `turn` returns a float64 matrix (line 6), and `offsets` is float32; `mm` does not convert
#   (line 11). Make the matrix float32.
# culprit: 6
# victim: 11
# repair: line 6: return torch.tensor(np.array([[c, -s], [s, c]]), dtype=torch.float32)
# repaired: offsets.grad.shape == (2, 5)

import numpy as np
import torch

def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return torch.tensor(np.array([[c, -s], [s, c]]))

torch.manual_seed(507)
offsets = torch.randn(2, 5, requires_grad=True)
wanted = torch.ones(2, 5)
turned = torch.mm(turn(0.3), offsets)
loss = (turned - wanted).abs().sum()
loss.backward()
