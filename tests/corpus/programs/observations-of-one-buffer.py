# thread: https://github.com/Farama-Foundation/SuperSuit/pull/116
# kind: silently wrong
# ends: finished
# fact: [seen.tolist() for seen in memory] == [[3.0, 3.0], [3.0, 3.0], [3.0, 3.0]]
# finding: `World.step` gives the same array each time (line 12) and `from_numpy` (line 18) shares its memory, so all
#   entries of `memory` show the last observation. Copy: `torch.tensor(world.step())`.
# culprit: 18
# victim: 11
# repair: line 18: memory.append(torch.tensor(world.step()))
# repaired: [seen.tolist() for seen in memory] == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]

import numpy as np
import torch


class World:
    def __init__(self):
        self.seen = np.zeros(2, dtype=np.float32)

    def step(self):
        # It fills its own array.
        self.seen += 1
        return self.seen


memory = []
world = World()
for _ in range(3):
    memory.append(torch.from_numpy(world.step()))
batch = torch.stack(memory)
