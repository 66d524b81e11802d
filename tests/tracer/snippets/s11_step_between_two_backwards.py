# optimizer.step() between two backwards writes saved weights.
import torch

torch.manual_seed(0)
D = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
opt = torch.optim.SGD(D.parameters(), lr=0.1)
p = D(torch.randn(4, 2))
w = D[1].weight
d_loss, g_loss = p.mean(), -p.mean()
d_loss.backward(retain_graph=True)
opt.step()
g_loss.backward()
