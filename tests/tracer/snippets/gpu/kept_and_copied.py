import torch
import copy, io, pickle
from torch import nn
x = torch.ones(2, device='cuda')
b = io.BytesIO(); torch.save(x, b)
def load(**where):
    b.seek(0)
    return torch.load(b, **where).device
print(load(), load(map_location='cpu'), load(map_location='cuda'), pickle.loads(pickle.dumps(x)).device)
m = nn.Linear(2, 2).cuda(); p = m.weight
print(copy.deepcopy(m).weight.device, m.cuda().weight is p, copy.deepcopy(x).device)
n = nn.Linear(2, 2); n.load_state_dict(m.state_dict()); print(n.weight.device, torch.equal(n.weight, m.weight.cpu()))
print(torch.ones(1).pin_memory().is_pinned(), torch.ones(1).is_pinned(), torch.ones(1, pin_memory=True).is_pinned())

# cuda:0 cpu cuda:0 cuda:0
# cuda:0 True cuda:0
# cpu True
# True False True
