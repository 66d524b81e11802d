# thread: https://github.com/BaiTheBest/SparseLLM/issues/13
# kind: broken
# ends: RuntimeError at line 7
# says: a leaf Variable that requires grad is being used in an in-place operation
# fact: scale.tolist() == [1.0, 1.0, 1.0]
# finding: Line 7 writes the leaf `scale` in place while autograd records. An update by hand belongs under `torch.no_grad()`.
# culprit: 7
# victim: 7
# repair: line 7: with torch.no_grad(): scale -= rate * scale.grad
# repaired: [round(x, 4) for x in scale.tolist()] == [0.8, 0.6, 0.4]

import torch

rate = 0.1
weight, scale = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3, requires_grad=True)
loss = (weight * scale ** 2).sum()
loss.backward()
scale -= rate * scale.grad
scale.grad.zero_()
