# thread: https://github.com/pytorch/pytorch/issues/26596
# kind: broken
# ends: RuntimeError at line 22
# says: modified by an inplace operation
# fact: net.entity.weight.grad is None
# finding: entity has max_norm, so its lookup on line 15 writes entity.weight in place (it rescales the rows), after line 14 saved
#   that weight for backward; line 22 finds another version. Use a clone of the weight on line 14, or look up first.
# culprit: 15
# victim: 22
# repair: line 14: table = torch.tanh(self.entity.weight.clone() @ matrix[0])
# repaired: net.entity.weight.grad.abs().sum().item() > 0

import torch
import torch.nn.functional as F
from torch import nn


class Graph(nn.Module):
    def __init__(self, entities, relations, size):
        super().__init__()
        self.entity = nn.Embedding(entities, size, max_norm=1.0)
        self.relation = nn.Embedding(relations, size * size)

    def forward(self, head, relation):
        matrix = self.relation(relation).view(-1, 4, 4)
        table = torch.tanh(self.entity.weight @ matrix[0])
        return self.entity(head) @ table.t()


torch.manual_seed(0)
net = Graph(5, 2, 4)
optimizer = torch.optim.Adagrad(net.parameters())
loss = F.cross_entropy(net(torch.tensor([1, 3]), torch.tensor([0])), torch.tensor([2, 4]))
loss.backward()
optimizer.step()
print(net.entity.weight.norm(dim=1))
