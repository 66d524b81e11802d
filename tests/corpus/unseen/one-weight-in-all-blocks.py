# thread: https://github.com/facebookresearch/lingua/issues/84
# kind: ordinary
# ends: finished
# fact: all(block.up.weight is net.blocks[0].up.weight for block in net.blocks) and len(list(net.parameters())) == 11
# fact: not torch.equal(start, net.blocks[2].up.weight)
# finding: none

import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def forward(self, x):
        return x + self.down(nn.functional.silu(self.up(self.norm(x))))

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        for block in self.blocks[1:]:
            block.up.weight = self.blocks[0].up.weight
        self.out = nn.Linear(width, 1, bias=False)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(x)

torch.manual_seed(525)
net = Net(4, 3)
start = net.blocks[0].up.weight.detach().clone()
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
for x in torch.randn(3, 5, 4):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
