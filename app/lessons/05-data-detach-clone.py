# order: 5
# group: sharing
# title.en: `.data`, `.detach()` and `.clone()`: who follows, who stays
# title.zh-CN: `.data`、`.detach()`、`.clone()`:谁跟着变,谁不变
# summary.en: One write, four readers. Three look at the same Storage; only the clone has bytes of its own. And only one of the two sharers tells autograd about the write.
# summary.zh-CN: 一次写入,四个读者。其中三个看着同一块 Storage,只有 clone 有自己的字节;而共享内存的两个里,只有一个会让 autograd 知道这次写入。
# ends: finished

import torch

price = torch.tensor(1.0, requires_grad=True)
total = price * 2

by_data = total.data        # same Storage, a version counter of its own
by_detach = total.detach()  # same Storage, same version counter
by_clone = total.clone()    # a Storage of its own

by_detach.zero_()           # one write, through one of them

print("total    ", total.item(), "version", total._version)
print("by_data  ", by_data.item(), "version", by_data._version)
print("by_detach", by_detach.item(), "version", by_detach._version)
print("by_clone ", by_clone.item(), "version", by_clone._version)
