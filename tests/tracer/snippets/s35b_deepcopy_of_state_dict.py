# A deep copy of state_dict() keeps the weights as they were.
import copy
import torch

m = torch.nn.Linear(1, 1, bias=False)
best = copy.deepcopy(m.state_dict())
with torch.no_grad():
    m.weight.fill_(7.0)

#: run.finished and run.end.values("m.weight") == [7.0] != run.end.values("best['weight']")
#: not run.end.same_storage("best['weight']", "m.weight")
