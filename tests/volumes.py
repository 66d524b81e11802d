"""Create small file systems that a test can fill."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def volume(megabytes: int = 6) -> Iterator[Path]:
    """Mount a tmpfs of this size. Skip the test if this process has no permission to mount."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-test-") as name:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=777", "none", name]
        mounted = subprocess.run(mount, capture_output=True, text=True)
        if mounted.returncode != 0:
            pytest.skip(f"A small volume needs the right to mount a tmpfs (run as root): {mounted.stderr.strip()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def fill(folder: Path) -> Path:
    """Fill the file system completely, and return the file that takes up the space."""
    file = folder / "filler"
    with file.open("ab", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass
    left = os.statvfs(folder)
    assert left.f_bavail == 0
    return file
