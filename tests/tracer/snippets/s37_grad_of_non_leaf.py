# Backward stores no gradient in a tensor that is not a leaf.
import torch

x = torch.ones(3, requires_grad=True)
h = x * 2
h.sum().backward()
print(h.grad, x[0].grad)

#: run.finished and run.end.state.text() == "None None\n" and run.warned(NON_LEAF_GRAD)
#: not run.end.is_leaf("h") and not run.end.has_grad("h") and run.end.values("x.grad") == [2.0] * 3
