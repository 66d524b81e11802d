# thread: https://github.com/vwxyzjn/cleanrl/blob/master/cleanrl/sac_continuous_action.py
# kind: ordinary
# ends: finished
# fact: alpha > 0 and log_alpha.grad is not None and all(p.grad is None for p in q1_target.parameters())
# finding: none

import torch
import torch.nn.functional as F
from torch import nn

def mlp(fan_in, fan_out):
    return nn.Sequential(nn.Linear(fan_in, 12), nn.ReLU(), nn.Linear(12, fan_out))

def act(obs):
    mean, log_std = actor(obs).chunk(2, dim=-1)
    log_std = -5 + 0.5 * (2 + 5) * (torch.tanh(log_std) + 1)
    normal = torch.distributions.Normal(mean, log_std.exp())
    x = normal.rsample()
    y = torch.tanh(x)
    return y, (normal.log_prob(x) - torch.log(1 - y.pow(2) + 1e-6)).sum(1, keepdim=True)

torch.manual_seed(203)
actor, q1, q2, q1_target, q2_target = mlp(3, 4), *(mlp(5, 1) for _ in range(4))
q1_target.load_state_dict(q1.state_dict()), q2_target.load_state_dict(q2.state_dict())
q_opt = torch.optim.Adam(list(q1.parameters()) + list(q2.parameters()), lr=1e-2)
actor_opt = torch.optim.Adam(list(actor.parameters()), lr=1e-2)
log_alpha = torch.zeros(1, requires_grad=True)
alpha, alpha_opt = log_alpha.exp().item(), torch.optim.Adam([log_alpha], lr=1e-2)
for obs, then in torch.randn(3, 2, 5, 3):
    action, reward = torch.rand(5, 2) * 2 - 1, then[:, 0]
    with torch.no_grad():
        next_action, next_log = act(then)
        pair = torch.cat([then, next_action], 1)
        aim = reward + 0.9 * (torch.min(q1_target(pair), q2_target(pair)) - alpha * next_log).view(-1)
    pair = torch.cat([obs, action], 1)
    q_loss = F.mse_loss(q1(pair).view(-1), aim) + F.mse_loss(q2(pair).view(-1), aim)
    q_opt.zero_grad(); q_loss.backward(); q_opt.step()
    pi, log_pi = act(obs)
    pair = torch.cat([obs, pi], 1)
    actor_loss = (alpha * log_pi - torch.min(q1(pair), q2(pair))).mean()
    actor_opt.zero_grad(); actor_loss.backward(); actor_opt.step()
    alpha_loss = (-log_alpha.exp() * (act(obs)[1].detach() - 2.0)).mean()
    alpha_opt.zero_grad(); alpha_loss.backward(); alpha_opt.step()
    alpha = log_alpha.exp().item()
    for p, t in zip([*q1.parameters(), *q2.parameters()], [*q1_target.parameters(), *q2_target.parameters()]):
        t.data.copy_(0.05 * p.data + 0.95 * t.data)
