"""Which versions of torch are recorded. Another one is refused before it records anything: `pyproject.toml` asks for the same."""

import re
from importlib.metadata import PackageNotFoundError, version

from app import __version__

TORCH_FROM, TORCH_BEFORE = (2, 13), (2, 16)
TORCH_REQUIREMENT = "torch>={}.{},<{}.{}".format(*TORCH_FROM, *TORCH_BEFORE)


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
    """The same of the torch that is installed. Asks the distribution's metadata, for who asks never imports torch."""
    try:
        return refusal_of_torch(version("torch"))
    except PackageNotFoundError:
        return refusal_of_torch(None)
