import torch
x = torch.arange(6.0, device="cuda")
x[x > 3] = -1
x[torch.tensor([0, 1])] = torch.tensor([7.0, 8.0], device="cuda")
picked = x[torch.tensor([2, 0], device="cuda")]
found = torch.nonzero(x < 0)
total = torch.zeros(2, device="cuda").index_add_(0, torch.tensor([0, 1, 0], device="cuda"), torch.ones(3, device="cuda"))
ordered, places = x.sort(descending=True)
unique = x.unique()
if (x < 0).any():
    print(x.tolist(), picked.tolist(), found.flatten().tolist(), total.tolist(), places.tolist()[:2], unique.tolist())

# [7.0, 8.0, 2.0, 3.0, -1.0, -1.0] [2.0, 7.0] [4, 5] [2.0, 1.0] [1, 0] [-1.0, 2.0, 3.0, 7.0, 8.0]
