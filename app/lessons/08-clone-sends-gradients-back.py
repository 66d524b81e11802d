# order: 8
# group: gradients
# title.en: A clone sends its gradient back
# title.zh-CN: clone 会把梯度传回去
# summary.en: `clone()` copies the bytes but stays in the graph: what is computed from the copy adds to the gradient of the original. The copy itself is no leaf and keeps no `.grad`.
# summary.zh-CN: `clone()` 复制了字节,但仍留在计算图里:由副本算出的结果,梯度会累加到原来的张量上。副本自己不是叶子,不保留 `.grad`。
# ends: finished

import torch

weight = torch.tensor(1.0, requires_grad=True)
square = weight ** 2
copy = weight.clone()
triple = copy * 3

square.backward()
print("after square:", weight.grad)  # 2

triple.backward()
print("after triple:", weight.grad)  # 2 + 3: the clone passed its gradient on
print("copy is a leaf:", copy.is_leaf)
