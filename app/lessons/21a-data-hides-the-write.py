# order: 21
# group: saved-tensors
# title.en: `.data` hides the write
# title.zh-CN: `.data` 瞒住了写入
# summary.en: `matmul` saved `d` for backward. A write through `d.data` changes those bytes and moves no version counter that autograd checks: the gradient of `w2` comes out as 1, not 4, and nobody complains.
# summary.zh-CN: `matmul` 为反向传播保存了 `d`。通过 `d.data` 写入改了这些字节,却没有动 autograd 会检查的版本计数器:`w2` 的梯度成了 1 而不是 4,没有任何报错。
# ends: finished

import torch

x = torch.tensor([[1., 2.]])
w1 = torch.tensor([[2.], [1.]], requires_grad=True)
w2 = torch.tensor([3.], requires_grad=True)

d = torch.matmul(x, w1)
d_ = d.data              # same bytes, another version counter
f = torch.matmul(d, w2)  # saves d: backward needs it for w2.grad

d_[:] = 1                # d is 1 now; its version still says 0
f.backward()

print(w1.grad)
print(w2.grad)           # 1, although d was 4 when f was computed
