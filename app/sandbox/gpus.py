"""NVIDIA's device nodes on this machine: what a run with a GPU has to open.

The pool of the GPUs is a second sandbox with its own canary and queue. It differs in three things: /dev/nvidia* exist and
Landlock allows ioctl on them; the filter allows NVIDIA's ioctl numbers; RLIMIT_DATA (the limit plus 4 GiB for CUDA)
replaces RLIMIT_AS, which CUDA's reservations of address space would exceed. The zygote sees the devices and opens none,
because a fork of one that has opened them cannot use them.

An empty /proc, or a call that is not in the policy, may keep CUDA from starting; torch then raises its own error. `make
test-gpu` on a machine with a GPU names the layer that does.
"""

import re
from pathlib import Path
from typing import Final

CONTROL: Final = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
"""Device nodes that every device needs in addition to its own."""


def device_nodes(directory: Path = Path("/dev")) -> tuple[str, ...]:
    """The nodes that CUDA opens; none where there is no GPU."""
    devices = sorted(path.name for path in directory.glob("nvidia*") if re.fullmatch(r"nvidia\d+", path.name))
    control = [name for name in CONTROL if (directory / name).exists()]
    return tuple(str(directory / name) for name in (*devices, *control)) if devices else ()


def device_count(nodes: tuple[str, ...]) -> int:
    """How many GPUs these nodes belong to."""
    return sum(1 for node in nodes if re.search(r"/nvidia\d+$", node))
