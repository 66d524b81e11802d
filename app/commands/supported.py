"""Which versions of Python and of torch are recorded. Others are refused before anything is: `pyproject.toml` asks for the same."""

from __future__ import annotations

import re
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version

from app import __version__

PYTHON_FROM, PYTHON_BEFORE = (3, 11), (3, 15)
"""The recorder reads what these keep of frames and dicts (app/tracer/adapter/interpreter.py)."""
TORCH_FROM, TORCH_BEFORE = (2, 13), (2, 16)
TORCH_REQUIREMENT = "torch>={}.{},<{}.{}".format(*TORCH_FROM, *TORCH_BEFORE)


def refusal_of_python(
    version: tuple[int, ...] = sys.version_info[:2], stage: str = sys.version_info.releaselevel
) -> str | None:
    """Why nothing runs on this Python, in one sentence; None where it does."""
    supported = f"{PYTHON_FROM[0]}.{PYTHON_FROM[1]} to {PYTHON_BEFORE[0]}.{PYTHON_BEFORE[1] - 1}"
    if not PYTHON_FROM <= version[:2] < PYTHON_BEFORE:
        return f"Stepgrad runs on Python {supported}, and this is Python {version[0]}.{version[1]}: start it with one of those."
    if stage != "final":  # Ubuntu 22.04 has 3.11.0rc1 and nothing later
        return (
            f"Stepgrad runs on releases of Python {supported}, and this is a {stage} from before Python "
            f"{version[0]}.{version[1]} was released: start it with a release (Ubuntu has one from 24.04 on)."
        )
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"Stepgrad runs on CPython {supported} with its global interpreter lock, and this is another build of Python."
    return None


def refusal_of_torch(found: str | None) -> str | None:
    """Why torch of this version (`2.16.0+cpu`) is not recorded, in one sentence; None where it is. No torch at all is None."""
    release = re.match(r"(\d+)\.(\d+)", found or "")
    if release is not None and TORCH_FROM <= (int(release[1]), int(release[2])) < TORCH_BEFORE:
        return None
    (major, minor), (_, after) = TORCH_FROM, TORCH_BEFORE
    here = "there is none here" if found is None else f"{found} is installed here"
    return (
        f"Stepgrad {__version__} records torch {major}.{minor} to {major}.{after - 1}, and {here}: "
        f"install one of these (pip install '{TORCH_REQUIREMENT}')."
    )


def refusal_of_installed_torch() -> str | None:
    """The same for the installed torch. Reads the distribution's metadata, because the callers never import torch."""
    try:
        return refusal_of_torch(version("torch"))
    except PackageNotFoundError:
        return refusal_of_torch(None)
