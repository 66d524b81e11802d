# Computing each element of a buffer from a clone of the previous element causes no error.
import torch

w = torch.tensor(2.0, requires_grad=True)
out = torch.zeros(4)
out[0] = w
for i in range(1, 4):
    out[i] = out[i - 1].clone() * w
out[-1].backward()

#: run.finished and run.end.values("w.grad") == [32.0]
#: (run.end.grad_fn("out"), run.end.version("out")) == ("CopySlices", 4)
#: filled = run.after("out[i] =")
#: {save.state for save in filled.saves("MulBackward0")} == {"current"}
#: filled.storage("out") not in {save.storage for save in filled.saves("MulBackward0")}
