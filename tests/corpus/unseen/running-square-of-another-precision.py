# thread: https://github.com/zichongli5/NorMuon/issues/7
# kind: broken
# ends: RuntimeError at line 16, called from line 24
# says: expected dtype float for `end` but got dtype c10::BFloat16
# finding: `square` is float32 (line 14) and `mean` has the gradient's dtype, bfloat16 (line 15); `lerp_` does not convert
#   (line 16). Write `mean.float()`.
# culprit: 14
# victim: 16
# repair: line 16: state["square"].lerp_(mean.float(), 1 - group["beta"])
# repaired: opt.state[net.weight]['square'].dtype == torch.float32 and net.weight.dtype == torch.bfloat16

import torch
from torch import nn

class RowScaled(torch.optim.Optimizer):
    def __init__(self, params, lr=0.02, beta=0.95):
        super().__init__(params, {"lr": lr, "beta": beta})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["square"] = torch.zeros(p.shape[0], 1)
                mean = p.grad.pow(2).mean(-1, keepdim=True)
                state["square"].lerp_(mean, 1 - group["beta"])
                p.add_(p.grad / state["square"].sqrt().add(1e-8), alpha=-group["lr"])

torch.manual_seed(504)
net = nn.Linear(6, 4, bias=False).bfloat16()
opt = RowScaled(net.parameters())
loss = net(torch.randn(8, 6, dtype=torch.bfloat16)).float().pow(2).mean()
loss.backward()
opt.step()
