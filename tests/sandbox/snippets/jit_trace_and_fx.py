import torch

print(torch.jit.trace(lambda x: x * 2, torch.ones(2))(torch.ones(2)))
import torch.fx

print(torch.fx.symbolic_trace(torch.nn.Linear(2, 2)).code)
