# requires_grad of a tensor that is not a leaf cannot be changed.
import torch

x = torch.ones(2, requires_grad=True)
y = x * 2
y.requires_grad = False

#: run.raised("RuntimeError", "y.requires_grad = False", "you can only change requires_grad flags of leaf variables.")
#: run.end.requires_grad("y") and not run.end.is_leaf("y")
