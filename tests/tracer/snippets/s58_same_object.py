# to() returns the same tensor object if nothing changes.
import torch

x = torch.ones(2)
y = x.to("cpu")
y += 1
print(y is x)

#: run.finished and run.end.state.text() == "True\n"
#: run.after("y = x.to").same_tensor("x", "y") and run.after("y += 1").values("x") == [2.0, 2.0]
