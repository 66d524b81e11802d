# order: 22
# group: saved-tensors
# title.en: `.detach()` tells on the write
# title.zh-CN: `.detach()` 会说出写入
# summary.en: The same write through `d.detach()` moves the version counter that `d` shares with it. Backward sees that its saved `d` is no longer the one it kept, and raises instead of answering wrongly.
# summary.zh-CN: 同样的写入,改成通过 `d.detach()`,就会动到它与 `d` 共用的版本计数器。反向传播发现保存的 `d` 已不是当初那个,于是报错,而不是给出错误的答案。
# ends: RuntimeError at line 12

import torch

x = torch.tensor([[1., 2.]])
w1 = torch.tensor([[2.], [1.]], requires_grad=True)
w2 = torch.tensor([3.], requires_grad=True)

d = torch.matmul(x, w1)
d_ = d.detach()          # same bytes, same version counter
f = torch.matmul(d, w2)  # saves d at version 0

d_[:] = 1                # version 1
f.backward()             # asks for version 0: RuntimeError
