# state_dict() returns the weights themselves, not copies.
import torch

m = torch.nn.Linear(1, 1, bias=False)
best = m.state_dict()
before = best["weight"].item()
alias = best["weight"]
w = m.weight
with torch.no_grad():
    m.weight.fill_(7.0)
print(before != best["weight"].item())

#: run.finished and run.end.values("best['weight']") == [7.0]
#: run.end.same_storage("best['weight']", "m.weight") and not run.end.same_tensor("best['weight']", "m.weight")
