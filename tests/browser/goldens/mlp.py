import torch
from torch import nn
torch.use_deterministic_algorithms(True)  # also fills uninitialised memory
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.ones(2, 3)).square().mean()
loss.backward()
optimizer.step()
