# thread: https://github.com/astariul/encode-attend-navigate-pytorch/issues/2
# kind: silently wrong
# ends: finished
# fact: pushed is not None
# finding: `guess` is not detached in the actor's loss (line 13), so its backward (line 17) also gives the critic a
#   gradient, which the critic's step uses. Write `guess.detach()`.
# culprit: 13
# victim: 17
# repair: line 13: actor_loss = ((tour - guess.detach()) * chosen.log_prob(step)).mean()
# repaired: pushed is None

import torch
from torch import nn

torch.manual_seed(411)
actor, critic = nn.Linear(6, 3), nn.Linear(6, 1)
opt_actor = torch.optim.Adam(actor.parameters(), lr=1e-2)
opt_critic = torch.optim.Adam(critic.parameters(), lr=1e-2)
for towns in torch.rand(2, 5, 6):
    chosen = torch.distributions.Categorical(logits=actor(towns))
    step = chosen.sample()
    tour = towns.sum(1) + step
    guess = critic(towns).squeeze(1)
    actor_loss = ((tour - guess) * chosen.log_prob(step)).mean()
    critic_loss = nn.functional.mse_loss(guess, tour)
    opt_actor.zero_grad()
    opt_critic.zero_grad()
    actor_loss.backward(retain_graph=True)
    pushed = critic.weight.grad
    critic_loss.backward()
    opt_actor.step()
    opt_critic.step()
