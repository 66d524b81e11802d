# Writing to the tensor in place changes the NumPy array.
import torch

t = torch.ones(2)
a = t.numpy()
t += 1
print(a)

#: run.finished and run.end.state.text() == "[2. 2.]\n"
#: run.after("t += 1").values("t") == [2.0, 2.0] and run.after("t += 1").version("t") == 1
