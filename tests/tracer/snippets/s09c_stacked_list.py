# Stacking a list of tensors instead of filling a buffer causes no error.
import torch

w = torch.tensor(2.0, requires_grad=True)
out = [w]
for i in range(1, 4):
    out.append(out[i - 1] * w)
last = torch.stack(out)[-1]
last.backward()

#: run.finished and run.end.values("w.grad") == [32.0]
#: {run.end.version(f"out[{i}]") for i in range(4)} == {0}
#: len({run.end.storage(f"out[{i}]") for i in range(4)}) == 4
