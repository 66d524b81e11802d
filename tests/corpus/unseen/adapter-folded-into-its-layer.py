# thread: https://ai-terminal.net/medium/html/2025-12-28-lora-deep-dive.html
# kind: ordinary
# ends: finished
# fact: same and net[0].base.weight.grad is None and sum(p.numel() for p in trained) == 46
# finding: none

import torch
from torch import nn

class LowRank(nn.Module):
    def __init__(self, base, rank=2, alpha=4):
        super().__init__()
        self.base, self.scaling = base, alpha / rank
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) * 0.02)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        self.merged = False

    def forward(self, x):
        out = self.base(x)
        return out if self.merged else out + (x @ self.A.T @ self.B.T) * self.scaling

    @torch.no_grad()
    def merge(self):
        self.base.weight += (self.B @ self.A) * self.scaling
        self.merged = True

torch.manual_seed(206)
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
net[0], net[2] = LowRank(net[0]), LowRank(net[2])
trained = [p for p in net.parameters() if p.requires_grad]
opt = torch.optim.AdamW(trained, lr=1e-2)
for _ in range(3):
    x, y = torch.randn(4, 5), torch.randint(0, 2, (4,))
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
with torch.no_grad():
    before = net(x)
    for module in net.modules():
        if isinstance(module, LowRank):
            module.merge()
    same = torch.allclose(before, net(x), atol=1e-5)
