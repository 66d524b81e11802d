# A module is converted to another dtype, and then loads a state_dict.
import torch

m = torch.nn.Linear(2, 2)
w = m.weight
m.double()
v = m.weight
m.load_state_dict({'weight': torch.zeros(2, 2), 'bias': torch.ones(2)})
