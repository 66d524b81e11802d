# thread: https://docs.pytorch.org/tutorials/beginner/dcgan_faces_tutorial.html
# kind: ordinary
# ends: finished
# fact: generator[0].weight.grad.abs().sum().item() > 0
# finding: none

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 4), nn.ReLU(True), nn.Linear(4, 3))
discriminator = nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(0.2, inplace=True), nn.Linear(4, 1))
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=0.01)
optimizer_g = torch.optim.Adam(generator.parameters(), lr=0.01)
ones, zeros = torch.ones(5, 1), torch.zeros(5, 1)
for batch in torch.randn(3, 5, 3):
    discriminator.zero_grad()
    F.binary_cross_entropy_with_logits(discriminator(batch), ones).backward()
    fake = generator(torch.randn(5, 2))
    F.binary_cross_entropy_with_logits(discriminator(fake.detach()), zeros).backward()
    optimizer_d.step()
    generator.zero_grad()
    F.binary_cross_entropy_with_logits(discriminator(fake), ones).backward()
    optimizer_g.step()
print(fake.mean().item())
