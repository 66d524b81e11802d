# A tensor that is not a leaf cannot be deep-copied.
import torch
import copy

x = torch.ones(2, requires_grad=True)
y = copy.deepcopy(x)
z = copy.deepcopy(x * 2)

#: message = "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
#: run.raised("RuntimeError", "z = copy.deepcopy(x * 2)", message)
#: not run.end.same_storage("x", "y") and run.end.is_leaf("y") and run.end.requires_grad("y")
