# reshape() returns a view if possible, otherwise a copy.
import torch

a = torch.arange(6.0).view(2, 3)
r1, r2 = a.reshape(3, 2), a.t().reshape(6)
a[0, 0] = 99
a.t().view(6)

#: message = "view size is not compatible with input tensor's size and stride (at least one dimension spans across two"
#: run.raised("RuntimeError", "a.t().view(6)", message)
#: written = run.after("a[0, 0] = 99")
#: written.same_storage("a", "r1") and not written.same_storage("a", "r2")
#: written.values("r1")[0] == 99.0 and written.values("r2")[0] == 0.0
#: written.base("r1") == written.base("a") is not None and written.base("r2") is None
