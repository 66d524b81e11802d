# thread: https://github.com/PIQuIL/QuCumber/issues/18
# kind: silently wrong
# ends: finished
# fact: not same
# finding: Every key of `saved` begins with "machine.", none is a name of `fresh`, and `strict=False` (line 13) accepts that all
#   of its parameters are missing: nothing is loaded, and `fresh` answers with its random weights (line 15). Take off the prefix.
# culprit: 13
# victim: 15
# repair: line 13: fresh.load_state_dict({name.removeprefix("machine."): value for name, value in saved.items()}, strict=False)
# repaired: same

import torch
from torch import nn

torch.manual_seed(514)


def build():
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))


trained, fresh, x = build(), build(), torch.randn(5, 4)
saved = {"epochs": 30, **{f"machine.{name}": value.clone() for name, value in trained.state_dict().items()}}
fresh.load_state_dict(saved, strict=False)
with torch.no_grad():
    same = torch.equal(fresh(x), trained(x))
print(same)
