# Without zero_grad(), the gradients of all iterations are added up.
import torch

w = torch.ones(1, requires_grad=True)
for _ in range(3):
    (w * 2).sum().backward()
    print(w.grad)

#: run.finished
#: [run.after("(w * 2)", turn).values("w.grad") for turn in range(3)] == [[2.0], [4.0], [6.0]]
