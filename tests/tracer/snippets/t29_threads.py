# A thread runs operators.
import torch
import threading

x = torch.ones(2)
t = threading.Thread(target=lambda: x.add_(1))
t.start(); t.join()
y = x * 2
