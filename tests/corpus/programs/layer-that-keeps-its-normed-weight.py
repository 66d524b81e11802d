# thread: https://github.com/deel-ai/deel-torchlip/issues/19
# kind: broken
# ends: RuntimeError at line 18
# says: graph leaves
# finding: The forward pass (line 12) stores a computed tensor on the module as `self.normed`. It is not a leaf, so
#   `deepcopy` on line 18 fails. Keep it in a local variable, or store `.detach()`.
# culprit: 12
# victim: 18
# repair: line 12: normed = self.raw / self.raw.norm()
# repair: line 13: return x @ normed.T
# repaired: teacher.raw is not student.raw and torch.equal(teacher.raw, student.raw)

import copy

import torch


class NormedLinear(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.raw = torch.nn.Parameter(torch.ones(outputs, inputs))

    def forward(self, x):
        self.normed = self.raw / self.raw.norm()
        return x @ self.normed.T


student = NormedLinear(4, 2)
student(torch.ones(1, 4)).sum().backward()
teacher = copy.deepcopy(student)
