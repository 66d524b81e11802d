# thread: https://nn.labml.ai/gan/wasserstein/gradient_penalty/index.html
# kind: ordinary
# ends: finished
# fact: turns == 6 and generator[0].weight.grad is not None
# finding: none

import torch
from torch import nn

torch.manual_seed(207)
generator = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 4))
critic = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
turns, log = 0, {"critic": [], "generator": []}

def penalty(real, fake):
    share = torch.rand(real.size(0), 1)
    between = (share * real + (1 - share) * fake).requires_grad_(True)
    scores = critic(between)
    ones = scores.new_ones(scores.shape)
    slope, *_ = torch.autograd.grad(outputs=scores, inputs=between, grad_outputs=ones, create_graph=True)
    return ((slope.reshape(real.size(0), -1).norm(2, dim=-1) - 1) ** 2).mean()

for epoch in range(2):
    for p in critic.parameters():
        p.requires_grad = True
    for real in torch.randn(3, 5, 4) + 2:
        fake = generator(torch.randn(5, 2)).detach()
        critic_loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
        critic.zero_grad(set_to_none=True)
        critic_loss.backward()
        opt_c.step()
        turns += 1
    for p in critic.parameters():
        p.requires_grad = False
    generator_loss = -critic(generator(torch.randn(5, 2))).mean()
    opt_g.zero_grad()
    generator_loss.backward()
    opt_g.step()
    log["critic"].append(critic_loss.item())
    log["generator"].append(generator_loss.item())
