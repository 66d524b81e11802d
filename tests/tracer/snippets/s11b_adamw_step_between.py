# AdamW's step between two backwards increments each counter twice.
import torch

torch.manual_seed(0)
D = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
opt = torch.optim.AdamW(D.parameters(), lr=0.1)
p = D(torch.randn(4, 2))
w = D[1].weight
d_loss, g_loss = p.mean(), -p.mean()
d_loss.backward(retain_graph=True)
opt.step()
g_loss.backward()

#: run.raised("RuntimeError", "g_loss.backward()", inplace("[2, 1]", "AsStrided", 3, 1))
#: [run.after(line).version("w") for line in ("d_loss.backward", "opt.step()")] == [1, 3]
#: run.after("opt.step()").saved("AddmmBackward0", "mat2").outdated == "opt.step()"
