# A small view keeps a large storage alive.
import torch

big = torch.zeros(1000, 1000)
s = big[0, :3]
del big
c = s.clone()

#: run.finished
#: gone = run.after("del big")
#: "big" not in gone.names and gone.tensor("s").geometry.shape == [3]
#: gone.nbytes("s") == 4_000_000 and gone.storage("s") in gone.state.storages
#: run.end.nbytes("c") == 12 and not run.end.same_storage("c", "s")
