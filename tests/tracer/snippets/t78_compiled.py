# torch.compile compiles a module, but not the recorder.
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        h = self.linear(x).relu()
        if h.sum() > 100:
            h = h * 2
        return h


plain = Net()
net = torch.compile(plain, backend="eager")
optimizer = torch.optim.SGD(plain.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = net(torch.ones(1, 2)).pow(2).sum()
    loss.backward()
    optimizer.step()
    print(loss.item())
