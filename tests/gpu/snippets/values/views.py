import torch
x = torch.arange(12.0, device="cuda").reshape(3, 4)
row, column, transposed = x[1], x[:, 1], x.t()
x[0, 1] = 50
row += 100
flipped = x.flip(0)
strided = x.as_strided((2, 2), (4, 3), 1)
conjugate = torch.tensor([1 + 1j], device="cuda").conj()
expanded = torch.ones(1, device="cuda").expand(3)
print(column.tolist(), transposed.is_contiguous(), strided.tolist(), conjugate.tolist(), expanded.tolist(), flipped[0].tolist())

# [50.0, 105.0, 9.0] False [[50.0, 104.0], [105.0, 8.0]] [(1-1j)] [1.0, 1.0, 1.0] [8.0, 9.0, 10.0, 11.0]
