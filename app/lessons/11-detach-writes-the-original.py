# order: 11
# group: sharing
# title.en: Writing through `.detach()` changes the original
# title.zh-CN: 通过 `.detach()` 写入会改变原张量
# summary.en: A detached Tensor is outside the graph but on the same bytes: writing to it changes the leaf that torch would not have let you touch. And there is nothing to run backward through.
# summary.zh-CN: detach 出来的张量不在计算图里,却用着同一块内存:写它,就改了 torch 本不允许你原地修改的叶子。而且从它出发没有图可以反向传播。
# ends: RuntimeError at line 10

import torch

weight = torch.tensor(1.0, requires_grad=True)
loose = weight.detach()

loose.add_(1)                # goes past the protection of the leaf
print("weight:", weight)     # 2 now
print("version:", weight._version)

loose.backward()             # no graph leads from here to weight
