# Assigning a tensor to an attribute that holds a Parameter raises.
import torch

m = torch.nn.Linear(2, 1)
m.weight = m.weight - 0.1

#: message = "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)"
#: run.raised("TypeError", "m.weight = m.weight - 0.1", message)
#: run.end.tensor("m.weight").tensor.type == "Parameter" and run.end.is_leaf("m.weight")
