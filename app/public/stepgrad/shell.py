"""What a notebook's shell keeps among the variables of its cells: its history, its results and its commands."""

import sys


def shell_names() -> frozenset[str]:
    """Names of variables that IPython's own `%whos` hides, too; none outside of IPython."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return frozenset()
    return frozenset(name for name in shell.user_ns if name.startswith("_") or name in shell.user_ns_hidden)
