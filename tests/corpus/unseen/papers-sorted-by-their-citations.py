# thread: https://github.com/pytorch/examples/blob/main/gcn/main.py
# kind: ordinary
# ends: finished
# fact: 0 <= accuracy <= 1 and model.gc1.kernel.grad is not None
# finding: none

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

class GraphConv(nn.Module):
    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.kernel = nn.Parameter(torch.Tensor(fan_in, fan_out))
        nn.init.xavier_normal_(self.kernel)
        self.bias = nn.Parameter(torch.Tensor(fan_out))
        nn.init.zeros_(self.bias)

    def forward(self, x, adj):
        return torch.spmm(adj, torch.mm(x, self.kernel)) + self.bias

class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.gc1, self.gc2, self.dropout = GraphConv(5, 8), GraphConv(8, 3), nn.Dropout(0.1)

    def forward(self, x, adj):
        return F.log_softmax(self.gc2(self.dropout(F.relu(self.gc1(x, adj))), adj), dim=1)

torch.manual_seed(208)
edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [1, 4]])
adj = torch.sparse_coo_tensor(torch.LongTensor(edges.T), torch.ones(len(edges)), (6, 6)).to_dense()
inv = (adj := adj + adj.t() + torch.eye(6)).sum(1).pow(-0.5)
inv[torch.isinf(inv)] = 0.0
adj = (inv.unsqueeze(1) * adj * inv).to_sparse()
x, labels, train = torch.rand(6, 5), torch.randint(0, 3, (6,)), torch.tensor([0, 1, 2, 3])
model, loss_fn = GCN(), nn.NLLLoss()
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for _ in range(2):
    model.train()
    opt.zero_grad()
    loss_fn(model(x, adj)[train], labels[train]).backward()
    opt.step()
model.eval()
accuracy = (model(x, adj).argmax(1) == labels).float()[4:].mean().item()
