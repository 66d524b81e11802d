# An inference tensor cannot be written outside inference mode.
import torch

with torch.inference_mode():
    t = torch.ones(2) * 3
t.add_(1)

#: message = "Inplace update to inference tensor outside InferenceMode is not allowed."
#: run.raised("RuntimeError", "t.add_(1)", message)
#: run.end.values("t") == [4.0, 4.0]  # torch writes to the tensor before it raises
#: [write.version_counter for write in run.writes("t.add_(1)")] == [None]
