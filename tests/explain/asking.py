"""Programs that ask for a GPU."""

SECOND = 'x = torch.tensor([1.0], device="cuda:1")'
"""Asks for a second GPU, which few machines have."""

ASKS = [
    "x = torch.ones(2).cuda()",
    'device = torch.device("cuda:0")\nx = torch.zeros(2, device=device)',
    'd = "cuda"\nm = torch.nn.Linear(2, 2).to(d)',
    'def make():\n    return torch.zeros(2, device=device)\n\ndevice = torch.device("cuda")\nmake()',
    "torch.cuda.get_device_name()",
    SECOND,
]
"""Programs in which the statement that raises is known to ask for a GPU."""

OUT_OF_SIGHT = 'torch.set_default_device("cuda")\nx = torch.zeros(1)'
PINNED = "x = torch.ones(2, pin_memory=True)"
