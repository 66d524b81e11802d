# thread: https://github.com/deepinv/deepinv/issues/166
# kind: broken
# ends: RuntimeError at line 12
# says: does not require grad and does not have a grad_fn
# fact: x.grad is None
# finding: `preview` calls `torch.set_grad_enabled(False)` (line 5), which stays so after it returns. `energy` was
#   computed while gradients were off, so its backward (line 12) fails. Use `with torch.no_grad():` in `preview`.
# culprit: 5
# victim: 12
# repair: line 5: with torch.no_grad():
# repair: line 6:     return picture.mean().item()
# repaired: x.grad.item() == 24.0

import torch


def preview(picture):
    torch.set_grad_enabled(False)
    return picture.mean().item()


x = torch.tensor(12.0, requires_grad=True)
brightness = preview(torch.ones(2, 2))
energy = x ** 2 - 2
energy.backward()
