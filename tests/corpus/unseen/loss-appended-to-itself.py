# thread: https://github.com/RedstoneWill/CNN_PyTorch_Beginner/issues/2
# kind: broken
# ends: AttributeError at line 14
# says: 'Tensor' object has no attribute 'append'
# finding: Line 11 gives the name `loss` of the list of line 7 to the loss tensor, and a tensor has no `append` (line 14). Give the
#   list a name of its own.
# culprit: 11
# victim: 14
# repair: line 7: losses = []
# repair: line 14: losses.append(loss.item())
# repair: line 16: print(losses[-1])
# repaired: len(losses) == 3

import torch
from torch import nn

torch.manual_seed(806)
model = nn.Linear(5, 2)
sgd = torch.optim.SGD(model.parameters(), lr=0.05)
loss = []
inputs, classes = torch.randn(12, 5), torch.randint(0, 2, (12,))
for epoch in range(3):
    sgd.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), classes)
    loss.backward()
    sgd.step()
    loss.append(loss.item())

print(loss[-1])
