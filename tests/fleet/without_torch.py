"""Run `python -m app` as on a machine without torch, numpy and bubblewrap."""

import importlib.metadata
import os
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

ABSENT = {"torch", "numpy"}


class Absent(MetaPathFinder):
    """An import hook that makes imports of the given modules fail."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise ModuleNotFoundError for a hidden module."""
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def distribution(distribution_name: str) -> importlib.metadata.Distribution:
    """Return the metadata of a distribution. Raises PackageNotFoundError for a hidden distribution."""
    if distribution_name in ABSENT:
        raise importlib.metadata.PackageNotFoundError(distribution_name)
    return importlib.metadata.Distribution.from_name(distribution_name)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    sys.meta_path.insert(0, Absent())
    importlib.metadata.distribution = distribution
    os.environ["PATH"] = "/nowhere"
    from app.__main__ import main

    sys.exit(main())
