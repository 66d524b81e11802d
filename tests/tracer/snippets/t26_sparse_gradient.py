# A sparse gradient.
import torch

emb = torch.nn.Embedding(3, 2, sparse=True)
y = emb(torch.tensor([1])).sum()
y.backward()
print(emb.weight.grad.is_sparse)
