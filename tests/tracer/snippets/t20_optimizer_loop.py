# A small training loop.
import torch

torch.manual_seed(1)
m = torch.nn.Linear(2, 1)
w, b = m.weight, m.bias
opt = torch.optim.Adam(m.parameters(), lr=0.1)
x, t = torch.randn(8, 2), torch.randn(8, 1)
for _ in range(5):
    opt.zero_grad()
    loss = ((m(x) - t) ** 2).mean()
    loss.backward()
    opt.step()
print(loss.item())
