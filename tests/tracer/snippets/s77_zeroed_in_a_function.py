# A function writes to gradients of a global module. The statement in the function made the write.
import torch

w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)


def step():
    opt.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    opt.step()


def freeze():
    opt.param_groups[0]["params"][0].requires_grad_(False)
    return None


step()
step()
freeze()

#: [run.after(line, turn).has_grad("w") for turn in range(2) for line in ("opt.zero_grad", "loss.backward")] == [False, True] * 2
#: [run.after(line).requires_grad("w") for line in ("opt.step()", "opt.param_groups")] == [True, False]
