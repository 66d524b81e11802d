# thread: https://runebook.dev/ru/docs/pytorch/generated/torch.nn.parameterdict/torch.nn.ParameterDict.copy
# kind: silently wrong
# ends: finished
# fact: params['weight'].count_nonzero().item() == 0 and trial['weight'] is params['weight']
# finding: `copy()` of a ParameterDict makes a new dictionary with the same Parameters (line 12), so the write of line 14 also
#   erases the weight of `params`, and `before` and `after` differ. Use `copy.deepcopy(params)`.
# culprit: 12
# victim: 14
# repair: before 1: import copy
# repair: line 12: trial = copy.deepcopy(params)
# repaired: params['weight'].count_nonzero().item() == 4 and before == after

import torch
from torch import nn

torch.manual_seed(520)
params = nn.ParameterDict({"weight": torch.randn(2, 2), "bias": torch.zeros(2)})
x = torch.randn(6, 2)

def error(params):
    return (x @ params["weight"] + params["bias"] - x).pow(2).mean().item()

before = error(params)
trial = params.copy()
with torch.no_grad():
    trial["weight"].zero_()
without_weight = error(trial)
after = error(params)
print(before, without_weight, after)
