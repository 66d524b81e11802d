# order: 18
# group: gradients
# title.en: Two paths to one leaf: their gradients add up
# title.zh-CN: 通向同一个叶子的两条路:梯度相加
# summary.en: The clone lives at another address, so neither sees the other's writes. Their gradients still meet: 2, 4, 6 from one path, and 3, 12, 27 more from the other.
# summary.zh-CN: clone 住在另一个地址,双方看不到彼此的写入。但梯度最终会合:一条路给出 2、4、6,另一条再加上 3、12、27。
# ends: finished

import torch

leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
twin = leaf.clone()
print("same address:", leaf.data_ptr() == twin.data_ptr())

squares = leaf ** 2
cubes = twin ** 3

squares.sum().backward()
print("one path: ", leaf.grad)  # 2 * leaf

cubes.sum().backward()
print("both paths:", leaf.grad)  # 2 * leaf + 3 * leaf ** 2
