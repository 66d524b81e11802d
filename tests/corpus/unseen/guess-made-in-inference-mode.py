# thread: https://github.com/lucidrains/denoising-diffusion-pytorch/issues/286
# kind: broken
# ends: RuntimeError at line 13, called from line 20, called from line 25
# says: Inference tensors cannot be saved for backward
# fact: model.hint.weight.grad is None
# finding: guess is computed in inference_mode (line 18), and an inference tensor cannot be saved for backward, not even detached;
#   the layer hint has to save it on line 13. Use torch.no_grad() on line 18 instead.
# culprit: 18
# victim: 13
# repair: line 18: with torch.no_grad():
# repaired: abs(model.hint.weight.grad[1, 1].item() - 1.0472) < 1e-3

import torch
import torch.nn.functional as F
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 6), nn.SiLU(), nn.Linear(6, 2))
        self.hint = nn.Linear(2, 2)

    def forward(self, noisy, guess):
        return self.net(noisy) + self.hint(guess)

    def loss(self, clean):
        noisy = clean + torch.randn_like(clean)
        guess = torch.zeros_like(clean)
        with torch.inference_mode():
            guess = self(noisy.clone(), guess)
        return F.mse_loss(self(noisy, guess.detach()), clean)


torch.manual_seed(0)
model = Denoiser()
model.loss(torch.randn(5, 2)).backward()
print(model.hint.weight.grad)
