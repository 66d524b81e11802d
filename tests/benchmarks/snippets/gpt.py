"""One training step of a GPT: 12 blocks, d 64, T 32."""

from time import process_time

import torch
from torch import nn

D, T, HEADS = 64, 32, 4
mask = torch.triu(torch.ones(T, T, dtype=torch.bool), 1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.out = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.up, self.down = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x):
        batch = x.shape[0]
        q, k, v = self.qkv(self.norm1(x)).split(D, 2)
        q, k, v = (part.view(batch, T, HEADS, D // HEADS).transpose(1, 2) for part in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / (D // HEADS) ** 0.5
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, T, D))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = nn.Embedding(100, D), nn.Embedding(T, D)
        self.blocks = nn.ModuleList(Block() for _ in range(12))
        self.norm, self.head = nn.LayerNorm(D), nn.Linear(D, 100)

    def forward(self, tokens):
        x = self.token(tokens) + self.position(torch.arange(T))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


model = GPT()
optimizer = torch.optim.AdamW(model.parameters())
x = torch.randint(100, (2, T))

clock = [process_time()]
y = model(x)
clock.append(process_time())
loss = nn.functional.cross_entropy(y.view(-1, 100), x.view(-1))
loss.backward()
optimizer.step()
clock.append(process_time())
