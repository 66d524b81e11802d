# thread: https://github.com/datawhalechina/easy-rl/issues/140
# kind: silently wrong
# ends: finished
# fact: agent.target is agent.policy
# finding: `.to(...)` moves a module and returns it, so line 8 and line 9 name one network, and the target changes with
#   every step of the policy. Copy it: `copy.deepcopy(net)`.
# culprit: 9
# victim: 20
# repair: line 9: self.target = copy.deepcopy(net).to("cpu")
# repaired: not torch.equal(agent.target.weight, agent.policy.weight)

import copy

import torch

class Agent:
    def __init__(self, net):
        self.best = None
        self.policy = net.to("cpu")
        self.target = net.to("cpu")
        self.opt = torch.optim.SGD(self.policy.parameters(), lr=0.1)

torch.manual_seed(23)
agent = Agent(torch.nn.Linear(4, 2))
state, reward, after = torch.rand(3, 4), torch.ones(3), torch.rand(3, 4)
with torch.no_grad():
    goal = reward + 0.9 * agent.target(after).max(1).values
loss = (agent.policy(state).max(1).values - goal).pow(2).mean()
agent.opt.zero_grad()
loss.backward()
agent.opt.step()
