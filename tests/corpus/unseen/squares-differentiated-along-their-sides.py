# thread: https://isolution.pro/pl/q/so70246575/funkcja-wsteczna-w-pytorch
# kind: silently wrong
# ends: finished
# fact: torch.allclose(sides.grad, 2 * sides.detach() ** 2)
# finding: The argument of `backward` is the gradient of what comes after `areas`, not the tensor to differentiate by; `sides` as
#   weights (line 5) make `sides.grad` 2 * sides**2, not 2 * sides. Pass `torch.ones_like(areas)`.
# culprit: 5
# victim: 5
# repair: line 5: areas.backward(torch.ones_like(areas))
# repaired: torch.equal(sides.grad, 2 * sides.detach())

import torch

sides = torch.tensor([[0.5, 2.0], [3.0, 4.0]], requires_grad=True)
areas = sides * sides
areas.backward(sides)
print(sides.grad)
