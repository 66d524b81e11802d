# thread: https://androidkt.com/fix-runtimeerror-mat1-and-mat2-shapes-cannot-be-multiplied/
# kind: broken
# ends: RuntimeError at line 12
# says: mat1 and mat2 shapes cannot be multiplied (2x392 and 350x10)
# finding: The pictures are 8 channels of 7 by 7 after the pool, flattened (line 11) to 392 columns, but the Linear layer
#   of line 9 takes 350. Make it `nn.Linear(392, 10)`.
# culprit: 9
# victim: 12
# repair: line 9: classify = nn.Linear(8 * 7 * 7, 10)
# repaired: list(scores.shape) == [2, 10]

import torch
from torch import nn

look = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
)
classify = nn.Linear(350, 10)
digits = torch.zeros(2, 1, 14, 14)
columns = look(digits).flatten(1)
scores = classify(columns)
