# The snippet defines a module class.
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(2, 2)
        self.drop = torch.nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(torch.relu(self.a(x)))
m = Net()
x = torch.randn(3, 2)
y = m(x)
loss = y.sum()
loss.backward()
g = m.a.weight.grad
for p in m.parameters():
    p.grad = None
print([n for n, _ in m.named_parameters()])
