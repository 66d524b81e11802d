# thread: https://github.com/delip/PyTorchNLPBook/issues/28
# kind: silently wrong
# ends: finished
# fact: not torch.equal(first, second)
# finding: `F.dropout` drops by default, whatever the mode of the module (line 12), so the model in eval mode gives
#   two answers for one input (line 19). Pass `training=self.training`.
# culprit: 12
# victim: 19
# repair: line 12: return self.fc2(F.dropout(hidden, p=0.5, training=self.training))
# repaired: torch.equal(first, second)

import torch
import torch.nn.functional as F
from torch import nn

class Surnames(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(6, 12), nn.Linear(12, 3)

    def forward(self, x):
        hidden = F.relu(self.fc1(x))
        return self.fc2(F.dropout(hidden, p=0.5))

torch.manual_seed(412)
model, name = Surnames(), torch.rand(1, 6)
F.cross_entropy(model(torch.rand(4, 6)), torch.tensor([0, 2, 1, 0])).backward()
model.eval()
with torch.no_grad():
    first, second = model(name), model(name)
