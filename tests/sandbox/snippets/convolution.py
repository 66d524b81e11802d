import torch

x = torch.randn(2, 3, 32, 32, requires_grad=True)
m = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2))
m(x).sum().backward()
