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

#: run.raised("RuntimeError", "g_loss.backward()", inplace("[2, 1]", "AsStrided", 2, 1))
#: forward, stepped = run.after("p = D("), run.after("opt.step()")
#: (forward.version("D[1].weight"), forward.saved("AddmmBackward0", "mat2").version) == (1, 1)
#: saved = stepped.saved("AddmmBackward0", "mat2")  # the transposed weight
#: (saved.storage, saved.outdated) == (stepped.storage("D[1].weight"), "opt.step()")
#: stepped.version("w") == 2 and stepped.same_tensor("w", "D[1].weight")
