# thread: https://gist.github.com/apaszke/226abdf867c4e9d6698bd198f3b45fb7
# kind: broken
# ends: RuntimeError at line 9, called from line 17
# says: modified by an inplace operation
# finding: With `create_graph=True` the graph of each row (line 9) keeps `pick`, and lines 11 and 8 write it in place
#   afterwards, so the second derivative (line 17) does not find the values it needs. Hand over `pick.clone()`.
# culprit: 11
# victim: 9
# repair: line 9: (row,) = torch.autograd.grad(flat, inputs, pick.clone(), retain_graph=True, create_graph=create_graph)
# repaired: torch.allclose(curvature.reshape(3, 3, 3)[2, 2, 2], 6 * x[2]) and curvature.count_nonzero().item() == 3

import torch


def rows(values, inputs, create_graph=False):
    flat, found = values.reshape(-1), []
    pick = torch.zeros_like(flat)
    for index in range(len(flat)):
        pick[index] = 1.0
        (row,) = torch.autograd.grad(flat, inputs, pick, retain_graph=True, create_graph=create_graph)
        found.append(row)
        pick[index] = 0.0
    return torch.stack(found)


x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
slopes = rows(x**3, x, create_graph=True)
curvature = rows(slopes, x)
print(slopes, curvature)
