# thread: https://github.com/AaronComo/LipFD/issues/18
# kind: broken
# ends: RuntimeError at line 16, called from line 22
# says: does not require grad and does not have a grad_fn
# finding: Line 8 turns `requires_grad` off for every parameter of the model, so `loss` has no `grad_fn` and backward
#   (line 16) fails. Train at least some of them.
# culprit: 8
# victim: 16
# repair: line 8: p.requires_grad = True
# repaired: trainer.model[0].weight.grad is not None

import torch
from torch import nn

class Trainer:
    def __init__(self, model, fine_tune):
        self.model = model
        for p in self.model.parameters():
            p.requires_grad = False
        if not fine_tune:
            nn.init.zeros_(self.model[2].bias)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def optimize(self, clip, label):
        self.opt.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(self.model(clip).squeeze(1), label)
        loss.backward()
        self.opt.step()
        return loss.item()

torch.manual_seed(307)
trainer = Trainer(nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 1)), fine_tune=True)
last = trainer.optimize(torch.rand(3, 6), torch.tensor([0.0, 1.0, 1.0]))
