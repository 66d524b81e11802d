"""Names that a notebook's shell adds to the variables of cells: history, results and commands."""

import sys


def shell_names() -> frozenset[str]:
    """Names of variables that IPython's `%whos` hides; empty outside of IPython."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return frozenset()
    return frozenset(name for name in shell.user_ns if name.startswith("_") or name in shell.user_ns_hidden)
