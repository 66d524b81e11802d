# thread: https://github.com/pytorch/functorch/issues/597
# kind: ordinary
# ends: finished
# fact: forward_over_reverse.shape == (3, 2, 2, 2, 2) and torch.allclose(forward_over_reverse, reverse_twice, atol=1e-5)
# finding: none

import torch
from torch.func import hessian, jacrev, vmap

torch.manual_seed(522)
maps, points = 0.1 * torch.randn(3, 2, 2), torch.randn(3, 6, 2)

def misfit(matrix, source, target):
    moved = (matrix @ source.T).T
    return (target - moved).pow(2).sum()

forward_over_reverse = vmap(hessian(misfit))(maps, points, points)
reverse_twice = vmap(jacrev(jacrev(misfit)))(maps, points, points)
