# thread: https://github.com/pytorch/examples/blob/main/vae/main.py
# kind: ordinary
# ends: finished
# fact: train_loss > 0 and not rebuilt.requires_grad and model.spread.weight.grad is not None
# finding: none

import torch
import torch.nn.functional as F
from torch import nn

class Code(nn.Module):
    def __init__(self):
        super().__init__()
        self.inwards, self.middle, self.spread = nn.Linear(6, 5), nn.Linear(5, 2), nn.Linear(5, 2)
        self.outwards, self.pixels = nn.Linear(2, 5), nn.Linear(5, 6)

    def draw(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def forward(self, x):
        hidden = F.relu(self.inwards(x.view(-1, 6)))
        mu, logvar = self.middle(hidden), self.spread(hidden)
        return torch.sigmoid(self.pixels(F.relu(self.outwards(self.draw(mu, logvar))))), mu, logvar

def elbo(rebuilt, x, mu, logvar):
    likelihood = F.binary_cross_entropy(rebuilt, x.view(-1, 6), reduction="sum")
    return likelihood - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())

torch.manual_seed(103)
model, train_loss = Code(), 0
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
model.train()
for data in torch.rand(3, 4, 2, 3):
    opt.zero_grad()
    rebuilt, mu, logvar = model(data)
    loss = elbo(rebuilt, data, mu, logvar)
    loss.backward()
    train_loss += loss.item()
    opt.step()
model.eval()
with torch.no_grad():
    rebuilt, mu, logvar = model(torch.rand(2, 2, 3))
    test_loss = elbo(rebuilt, torch.rand(2, 2, 3), mu, logvar).item()
