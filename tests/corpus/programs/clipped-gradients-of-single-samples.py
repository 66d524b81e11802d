# thread: https://docs.pytorch.org/tutorials/intermediate/per_sample_grads.html
# kind: ordinary
# ends: finished
# fact: norms.shape == (6,) and model.fc2.weight.grad is not None
# finding: none

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, vmap

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc1, self.fc2 = nn.Conv2d(1, 2, 3), nn.Linear(18, 6), nn.Linear(6, 3)

    def forward(self, x):
        x = torch.flatten(F.relu(self.conv(x)), 1)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)

torch.manual_seed(110)
model = Small()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data, targets = torch.randn(6, 1, 5, 5), torch.randint(0, 3, (6,))

def loss_of_one(params, buffers, sample, target):
    predictions = functional_call(model, (params, buffers), (sample.unsqueeze(0),))
    return F.nll_loss(predictions, target.unsqueeze(0))

params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}
each = vmap(grad(loss_of_one), in_dims=(None, None, 0, 0))(params, buffers, data, targets)
norms = torch.stack([g.flatten(1).norm(dim=1) for g in each.values()]).norm(dim=0)
scale = (1.0 / (norms + 1e-6)).clamp(max=1.0)
for name, p in model.named_parameters():
    p.grad = torch.einsum("n,n...->...", scale, each[name]) / len(data)
    p.grad += 0.01 * torch.randn_like(p.grad)
opt.step()
