# thread: https://github.com/vwxyzjn/cleanrl/blob/master/cleanrl/dqn.py
# kind: ordinary
# ends: finished
# fact: copies == 2 and all(p.grad is None for p in target.parameters())
# finding: none

import random
from collections import deque

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

def network():
    return nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))

random.seed(201); np.random.seed(201); torch.manual_seed(201)
online, target, memory, copies = network(), network(), deque(maxlen=50), 0
opt = torch.optim.Adam(online.parameters(), lr=1e-2)
target.load_state_dict(online.state_dict())
obs = np.random.randn(3).astype(np.float32)
for step in range(12):
    if random.random() < 0.5:
        action = random.randrange(2)
    else:
        action = torch.argmax(online(torch.Tensor(obs)), dim=-1).cpu().numpy().item()
    after = (obs + 0.1 * np.random.randn(3)).astype(np.float32)
    memory.append((obs, action, float(after[0]), after, step % 5 == 4))
    obs = after
    if len(memory) >= 6 and step % 2 == 0:
        seen, actions, rewards, then, done = map(np.array, zip(*random.sample(memory, 4)))
        with torch.no_grad():
            best, _ = target(torch.as_tensor(then)).max(dim=1)
            aim = torch.as_tensor(rewards).float() + 0.9 * best * (1 - torch.as_tensor(done).float())
        old = online(torch.as_tensor(seen)).gather(1, torch.as_tensor(actions).unsqueeze(1)).squeeze()
        loss = F.mse_loss(aim, old)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if step % 6 == 5:
        for t, o in zip(target.parameters(), online.parameters()):
            t.data.copy_(1.0 * o.data + 0.0 * t.data)
        copies += 1
