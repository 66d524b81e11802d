# needs cuda: memory is pinned for a GPU to copy from
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(8.0).reshape(4, 2), torch.tensor([0, 1, 0, 1]))
net = torch.nn.Linear(2, 2).to("cuda")
for x, y in DataLoader(data, batch_size=2, pin_memory=True):
    print(x.is_pinned(), y.is_pinned(), x.tolist())
    loss = torch.nn.functional.cross_entropy(net(x.to("cuda", non_blocking=True)), y.to("cuda", non_blocking=True))
    loss.backward()
print(net.weight.grad.shape)

# True True [[0.0, 1.0], [2.0, 3.0]]
# True True [[4.0, 5.0], [6.0, 7.0]]
# torch.Size([2, 2])
