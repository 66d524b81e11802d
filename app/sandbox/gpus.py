"""The device nodes of NVIDIA GPUs on this machine, which a run with a GPU must open.

The GPU pool is a second sandbox with its own canary and queue. The GPU pool has three differences: /dev/nvidia* exist and
Landlock allows ioctl on these nodes; the filter allows NVIDIA's ioctl numbers; RLIMIT_DATA (the limit plus 4 GiB for CUDA)
replaces RLIMIT_AS, which CUDA's reservations of address space would exceed. The zygote does not open the devices, because CUDA
does not work in a fork of a process that has opened a device.

An empty /proc, or a system call that is not in the policy, may prevent CUDA from starting; torch then raises an error. On a
machine with a GPU, `make test-gpu` names the responsible layer.
"""

import re
from pathlib import Path
from typing import Final

CONTROL: Final = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
"""Device nodes that every GPU needs in addition to its own node."""


def device_nodes(directory: Path = Path("/dev")) -> tuple[str, ...]:
    """The nodes that CUDA opens; empty without a GPU."""
    devices = sorted(path.name for path in directory.glob("nvidia*") if re.fullmatch(r"nvidia\d+", path.name))
    control = [name for name in CONTROL if (directory / name).exists()]
    return tuple(str(directory / name) for name in (*devices, *control)) if devices else ()


def device_count(nodes: tuple[str, ...]) -> int:
    """The number of GPUs with a node in `nodes`."""
    return sum(1 for node in nodes if re.search(r"/nvidia\d+$", node))
