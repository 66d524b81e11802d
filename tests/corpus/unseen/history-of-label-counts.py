# thread: https://github.com/pytorch/pytorch/issues/97586
# kind: silently wrong
# ends: finished
# fact: history[0].tolist() == history[2].tolist()
# finding: `numpy()` copies nothing (line 8), so every entry of `history` is the memory of `counts`, which `+=` goes on writing
#   (line 7): all three show the last counts. Keep a copy: `counts.numpy().copy()`.
# culprit: 8
# victim: 7
# repair: line 8: history.append(counts.numpy().copy())
# repaired: [int(each.sum()) for each in history] == [6, 12, 18]

import torch

torch.manual_seed(517)
counts = torch.zeros(4)
history = []
for labels in torch.randint(0, 4, (3, 6)):
    counts += torch.bincount(labels, minlength=4)
    history.append(counts.numpy())
grown = history[-1] - history[0]
print(grown)
