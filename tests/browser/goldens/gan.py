import torch
from torch import nn
import torch.nn.functional as F
torch.use_deterministic_algorithms(True)

G = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2), nn.Tanh())
D = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2), nn.Linear(4, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
for p in [*G.parameters(), *D.parameters()]:
    nn.init.constant_(p, 0.1)
opt_G = torch.optim.SGD(G.parameters(), lr=0.1)
opt_D = torch.optim.SGD(D.parameters(), lr=0.1)
real, z = torch.ones(3, 2), torch.ones(3, 2)
yes, no = torch.ones(3, 1), torch.zeros(3, 1)

fake = G(z)
loss_D = F.binary_cross_entropy_with_logits(D(real), yes)
loss_D = loss_D + F.binary_cross_entropy_with_logits(D(fake.detach()), no)
opt_D.zero_grad()
loss_D.backward()
opt_D.step()

loss_G = F.binary_cross_entropy_with_logits(D(fake), yes)
opt_G.zero_grad()
loss_G.backward()
opt_G.step()
