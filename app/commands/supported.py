"""The supported versions of Python and torch, the same as in `pyproject.toml`. Stepgrad refuses other versions at the start."""

from __future__ import annotations

import re
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version

from app import __version__

PYTHON_FROM, PYTHON_BEFORE = (3, 11), (3, 15)
"""The supported versions.

The recorder depends on the interpreter's internals of frames and dicts (app/tracer/adapter/interpreter.py).
"""
TORCH_FROM, TORCH_BEFORE = (2, 13), (2, 16)
TORCH_REQUIREMENT = "torch>={}.{},<{}.{}".format(*TORCH_FROM, *TORCH_BEFORE)


def refusal_of_python(
    version: tuple[int, ...] = sys.version_info[:2], stage: str = sys.version_info.releaselevel
) -> str | None:
    """Why a version of Python is not supported, as one sentence; None if the version is supported."""
    supported = f"{PYTHON_FROM[0]}.{PYTHON_FROM[1]} to {PYTHON_BEFORE[0]}.{PYTHON_BEFORE[1] - 1}"
    if not PYTHON_FROM <= version[:2] < PYTHON_BEFORE:
        return f"Stepgrad runs on Python {supported}, but this is Python {version[0]}.{version[1]}: use a supported version."
    if stage != "final":  # the newest Python 3.11 of Ubuntu 22.04 is 3.11.0rc1
        return (
            f"Stepgrad runs on final releases of Python {supported}, but this is a {stage} version of Python "
            f"{version[0]}.{version[1]}: use a final release (Ubuntu has one from 24.04 on)."
        )
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"Stepgrad runs on CPython {supported} with its global interpreter lock, but this is another build of Python."
    return None


def refusal_of_torch(found: str | None) -> str | None:
    """Why the torch version `found` is not supported, as one sentence; None if the version is supported.

    `found` is a version such as `2.16.0+cpu`, or None if torch is not installed.
    """
    release = re.match(r"(\d+)\.(\d+)", found or "")
    if release is not None and TORCH_FROM <= (int(release[1]), int(release[2])) < TORCH_BEFORE:
        return None
    (major, minor), (_, after) = TORCH_FROM, TORCH_BEFORE
    here = "torch is not installed" if found is None else f"{found} is installed"
    return (
        f"Stepgrad {__version__} supports torch {major}.{minor} to {major}.{after - 1}, but {here}: "
        f"install a supported version (pip install '{TORCH_REQUIREMENT}')."
    )


def refusal_of_installed_torch() -> str | None:
    """Why the installed torch is not supported; None if torch is supported.

    Reads the metadata, because callers must not import torch.
    """
    try:
        return refusal_of_torch(version("torch"))
    except PackageNotFoundError:
        return refusal_of_torch(None)
