import torch
from torch import nn
device = "cuda"
x = torch.linspace(-1, 1, 48).reshape(16, 3)
y = (x.sum(1) > 0).long()
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.25), nn.Linear(8, 2)).to(device)
optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
for epoch in range(3):
    loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    print(loss.item())
net.eval()
with torch.no_grad():
    guessed = net(x.to(device)).argmax(1).cpu()
print(guessed.tolist(), net[0].weight, net[0].weight.grad)
