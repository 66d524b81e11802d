"""The cell magic `%%stepgrad`, which runs a cell in the notebook's process and shows the player below it."""

import linecache
from typing import Any

from .recorded import Recorded, record_calls


def load_ipython_extension(ipython: Any) -> None:
    """Register the cell magic `%%stepgrad`. `%load_ext stepgrad` calls this."""
    from IPython.core.error import UsageError  # IPython calls it by this name

    def stepgrad(line: str, cell: str) -> Recorded:
        """Run this cell in this process, without a sandbox, and show what torch did, step by step.

        The recording keeps the cell, the lines of functions of other cells and files that ran, the variables that these lines name,
        and what the cell prints or raises. Raises UsageError for text after `%%stepgrad`.
        """
        if line.strip():
            raise UsageError(f"%%stepgrad takes no options: remove `{line.strip()}` from its line.")
        source = ipython.transform_cell(cell)
        cells = ipython.compile._filename_map
        number = max(
            cells.values()
        )  # the number of this cell: IPython 9 increments its counter before a cell runs, IPython 8 afterwards
        name = f"<cell {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        cells[name] = number  # later cells may call functions of this one
        code = compile(source, name, "exec")
        recording = None
        try:
            with record_calls(code) as recording:
                exec(code, ipython.user_ns)
        except Exception:
            ipython.showtraceback()
        assert recording is not None
        return recording

    ipython.register_magic_function(stepgrad, "cell")
