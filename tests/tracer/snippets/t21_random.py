# Random generators return the same numbers with and without the recorder.
import numpy as np
import torch
import random

a = torch.rand(3)
b = torch.tensor(np.random.rand(2))
c = torch.tensor(random.random())
