# thread: https://25621.github.io/ai-learning-guides/guides/pytorch-deep-dive/projects/hook-based-feature-extractor/
# kind: ordinary
# ends: finished
# fact: heat.shape == (1, 6, 6) and not heat.requires_grad and len(net[2]._forward_hooks) == 0
# finding: none

import torch
from torch import nn

class Extractor:
    """Keeps what a layer gives, and the gradient that comes back to it."""

    def __init__(self, layer):
        self.activations = self.gradients = None
        self.handle = layer.register_forward_hook(self.keep)

    def keep(self, module, args, output):
        self.activations = output
        output.register_hook(self.keep_gradient)

    def keep_gradient(self, grad):
        self.gradients = grad.detach().clone()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.handle.remove()

torch.manual_seed(205)
net = nn.Sequential(
    nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1), nn.Tanh(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5),
)
net.eval()
image = torch.rand(1, 3, 6, 6)
with Extractor(net[2]) as seen:
    scores = net(image)
    scores[0, scores.argmax()].backward()
weights = seen.gradients.mean(dim=(2, 3), keepdim=True)
heat = torch.relu((weights * seen.activations.detach()).sum(1))
heat -= heat.min()
heat /= heat.max() + 1e-8
net.zero_grad()
