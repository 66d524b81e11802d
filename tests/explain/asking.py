"""Programs that need a GPU."""

SECOND = 'x = torch.tensor([1.0], device="cuda:1")'
"""Needs a second GPU, which most machines lack."""

ASKS = [
    "x = torch.ones(2).cuda()",
    'device = torch.device("cuda:0")\nx = torch.zeros(2, device=device)',
    'd = "cuda"\nm = torch.nn.Linear(2, 2).to(d)',
    'def make():\n    return torch.zeros(2, device=device)\n\ndevice = torch.device("cuda")\nmake()',
    "torch.cuda.get_device_name()",
    SECOND,
]
"""Programs whose failing statement can be recognised as a use of a GPU."""

OUT_OF_SIGHT = 'torch.set_default_device("cuda")\nx = torch.zeros(1)'
PINNED = "x = torch.ones(2, pin_memory=True)"
