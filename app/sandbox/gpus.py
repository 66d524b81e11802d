"""NVIDIA's device nodes on this machine: what a run with a GPU has to open."""

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
