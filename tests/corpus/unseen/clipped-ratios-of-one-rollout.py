# thread: https://github.com/vwxyzjn/cleanrl/blob/master/cleanrl/ppo.py
# kind: ordinary
# ends: finished
# fact: len(far) == 4 and returns.grad_fn is None
# finding: none

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

np.random.seed(202); torch.manual_seed(202)
actor = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
params = [*actor.parameters(), *critic.parameters()]
opt = torch.optim.Adam(params, lr=1e-2, eps=1e-5)
obs, actions, log_probs, rewards, values = torch.zeros(4, 2, 3), *(torch.zeros(4, 2) for _ in range(4))
now, far = torch.randn(2, 3), []
for t in range(4):
    obs[t] = now
    with torch.no_grad():
        pick = Categorical(logits=actor(now))
        action = pick.sample()
        values[t] = critic(now).flatten()
    actions[t], log_probs[t] = action, pick.log_prob(action)
    now = now + 0.1 * torch.randn(2, 3)
    rewards[t] = torch.tensor(now[:, 0].numpy()).view(-1)
with torch.no_grad():
    advantages, last, bootstrap = torch.zeros_like(rewards), 0, critic(now).reshape(1, -1)
    for t in reversed(range(4)):
        delta = rewards[t] + 0.9 * (bootstrap if t == 3 else values[t + 1]) - values[t]
        advantages[t] = last = delta + 0.9 * 0.95 * last
    returns = advantages + values
b_obs, order = obs.reshape(-1, 3), np.arange(8)
b_adv, b_ret, b_act, b_log = (x.reshape(-1) for x in (advantages, returns, actions, log_probs))
for start in (0, 4, 0, 4):
    np.random.shuffle(order)
    mb = order[start : start + 4]
    pick, value = Categorical(logits=actor(b_obs[mb])), critic(b_obs[mb]).view(-1)
    ratio = (pick.log_prob(b_act.long()[mb]) - b_log[mb]).exp()
    with torch.no_grad():
        far += [((ratio - 1.0).abs() > 0.2).float().mean().item()]
    adv = (b_adv[mb] - b_adv[mb].mean()) / (b_adv[mb].std() + 1e-8)
    loss = torch.max(-adv * ratio, -adv * ratio.clamp(0.8, 1.2)).mean() + 0.5 * ((value - b_ret[mb]) ** 2).mean()
    opt.zero_grad(); (loss - 0.01 * pick.entropy().mean()).backward()
    nn.utils.clip_grad_norm_(params, 0.5); opt.step()
