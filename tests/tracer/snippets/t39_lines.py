# Statements over many lines.
import torch

x = torch.tensor([
    1.0,
    2.0,
], requires_grad=True)
y = (
    x
    .exp()
    .log()
)
if (
    y.sum()
    > 1
): z = y * 2
else: z = y
w = [t for t in z]
q = {k: v for k, v in zip('ab', w)}
a = q['a']
