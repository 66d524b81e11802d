# A non-leaf's requires_grad cannot change.
import torch

x = torch.ones(2, requires_grad=True)
y = x * 2
y.requires_grad = False

#: run.raised("RuntimeError", "y.requires_grad = False", "you can only change requires_grad flags of leaf variables.")
#: run.end.requires_grad("y") and not run.end.is_leaf("y")
