# thread: https://github.com/pytorch/examples/blob/main/distributed/minGPT-ddp/mingpt/model.py
# kind: ordinary
# ends: finished
# fact: text.shape == (1, 6) and model.head.weight is model.tok.weight and len(opt.param_groups) == 2
# finding: none

import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.proj = heads, nn.Linear(width, width)
        self.qkv = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 3 * width))
        self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Dropout(0.1))
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (p.view(B, T, self.heads, C // self.heads).transpose(1, 2) for p in self.qkv(x).split(C, 2))
        att = (q @ k.transpose(-2, -1)) / k.size(-1) ** 0.5
        att = torch.softmax(att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf")), dim=-1)
        x = x + self.proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))
        return x + self.mlp(x)

class Letters(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(6, 8), nn.Parameter(torch.zeros(1, 5, 8))
        self.block, self.head = Block(8, 2, 5), nn.Linear(8, 6, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, idx):
        return self.head(self.block(self.tok(idx) + self.pos[:, : idx.size(1), :]))

torch.manual_seed(113)
model, data = Letters(), torch.randint(0, 6, (2, 6))
groups = [{"params": [p for p in model.parameters() if (p.dim() > 1) == big], "weight_decay": 0.1 * big} for big in (0, 1)]
opt = torch.optim.AdamW(groups, lr=1e-3)
nn.functional.cross_entropy(model(data[:, :-1]).view(-1, 6), data[:, 1:].reshape(-1)).backward()
opt.step()
model.eval()
text = data[:1, :3]
with torch.no_grad():
    for _ in range(3):
        text = torch.cat([text, model(text[:, -5:])[:, -1:].argmax(-1)], 1)
