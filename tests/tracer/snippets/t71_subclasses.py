# Subclasses made by calling the class, with their own `shape`, and kept through operators.
import torch


class Plain(torch.Tensor):
    pass


class Named(torch.Tensor):
    def __new__(cls, data, name):
        made = super().__new__(cls, data)
        made.label = name
        return made

    @property
    def shape(self):
        print("asked for its shape")
        return torch.Tensor.shape.__get__(self)

    def stride(self):
        print("asked for its stride")
        return super().stride()


base = torch.arange(3.0)
x = Plain(base)
y = Plain([1.0, 2.0])
named = Named(base, "mine")
base.add_(1)
w = x * 2
named.mul_(3)
again = torch.Tensor(base)
v = x.as_subclass(Plain).requires_grad_()
(v * 2).sum().backward()
try:
    Plain("what")
except TypeError as error:
    print(error)
