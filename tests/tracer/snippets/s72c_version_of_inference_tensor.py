# An inference tensor has no version counter.
import torch

with torch.inference_mode():
    t = torch.ones(2) * 3
print(t._version)

#: run.raised("RuntimeError", "print(t._version)", "Inference tensors do not track version counter.")
#: run.end.version("t") is None
