"""The snippets of the test cases."""

PROGRAMS = {
    "data-then-in-place": """\
import torch
w = torch.tensor([1., 2., 3.], requires_grad=True)
y = torch.exp(w)
alias = y.data
alias[1] = 7.
part = y.detach()
part.mul_(2)
loss = y.sum()
loss.backward()
part.zero_()
""",
    "other-storage": """\
import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
x.data = torch.tensor([5., 2.])
with torch.no_grad(): x.add_(1)
y.sum().backward()
""",
    "silently-wrong": """\
import torch
x = torch.tensor([[1., 2.]])
w1 = torch.tensor([[2.], [1.]], requires_grad=True)
w2 = torch.tensor([3.], requires_grad=True)
d = torch.matmul(x, w1)
d_ = d.data
f = torch.matmul(d, w2)
d_[:] = 7
f.backward()
""",
    "raises": """\
import torch
a = torch.tensor([0.5, 1., 1.5], requires_grad=True)
b = a * 3
c = b ** 2
b += 1
loss = c.sum()
loss.backward()
""",
    "not-finite": """\
import torch
x = torch.tensor([0., 4., -1.], requires_grad=True)
y = x.sqrt()
z = y.sum()
z.backward()
h = torch.tensor([1., 0.]) / 0
k = h.clone()
k[0] = -k[0]
""",
    "no-gradient": """\
import torch
w = torch.tensor([[1.5, 2.], [3., 4.]], requires_grad=True)
v = torch.tensor([0.3], requires_grad=True)
y = w * v
frozen = y.detach()
loss = y.mean()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
w.grad = None
frozen.zero_()
""",
    "dtypes": """\
import torch
i = torch.tensor([1, 2, 9007199254740993])
i += 1
b = i > 2
b[0] = True
h = torch.tensor([0.1, 3.], dtype=torch.float16)
h *= 3
g = torch.tensor([0.1, 3.], dtype=torch.bfloat16) * 3
t = torch.tensor([1., 3.], dtype=torch.float64) / 3
z = torch.tensor([1 + 2j])
z *= 2
""",
    "rounds": """\
import torch

def model(x, w):
    hidden = torch.tanh(x * w)
    return hidden.sum()

w = torch.tensor([0.25, -1.], requires_grad=True)
for number in range(2):
    loss = model(torch.tensor([1., 2.]), w)
    loss.backward()
    with torch.no_grad():
        w.sub_(w.grad, alpha=0.5)
    w.grad.zero_()
""",
    "random": """\
import torch
r = torch.randn(3)
r.uniform_()
s = torch.empty(2).fill_(2.)
s.mul_(1.)
""",
}
"""The snippets by the names of their files in cases/."""
