# A list contains three sums, which are different tensors.
import torch

h = torch.zeros(2)
hist = []
for _ in range(3):
    h = h + 1
    hist.append(h)

#: run.finished and [run.end.values(f"hist[{i}]") for i in range(3)] == [[1.0] * 2, [2.0] * 2, [3.0] * 2]
#: len({run.end.storage(f"hist[{i}]") for i in range(3)}) == 3 and run.end.same_tensor("h", "hist[2]")
