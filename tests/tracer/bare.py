"""Run a snippet without a recorder, as `__main__`, and return its output, warnings and exception."""

import io
import linecache
import random
import sys
import types
import warnings
from typing import Any


def bare(source: str, probes: list[str]) -> dict[str, Any]:
    """Run a snippet, and return its stdout, stderr, warnings, exception and the values of `probes`.

    A warning is [category, text, line]. An exception is [type, text, lines of the traceback]. `probes` are expressions that
    are evaluated in the snippet's module after the snippet; their values are returned as `repr`.
    """
    import numpy as np
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    module.__file__ = "snippet.py"
    sys.modules["__main__"] = module
    sys.argv = ["snippet.py"]
    linecache.cache["snippet.py"] = (len(source), None, io.StringIO(source, newline=None).readlines(), "snippet.py")
    said: list[list[Any]] = []
    warnings.showwarning = lambda message, category, filename, lineno, file=None, line=None: said.append(
        [category.__name__, str(message), lineno if filename == "snippet.py" else None]
    )
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    raised = None
    try:
        exec(compile(source, "snippet.py", "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        kind = type(error)
        prefix = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "."
        lines = []
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == "snippet.py":
                lines.append(traceback.tb_lineno)
            traceback = traceback.tb_next
        raised = [prefix + kind.__qualname__, str(error), *([] if isinstance(error, SystemExit) else [lines])]
    out, err = sys.stdout.getvalue(), sys.stderr.getvalue()
    seen = {"stdout": out, "stderr": err, "warnings": said, "raised": raised}
    return seen | {"probed": [repr(eval(probe, module.__dict__)) for probe in probes]} if probes else seen


def said_by(trace: Any) -> dict[str, Any]:
    """Convert a trace into the result that `bare` would return for the same run."""
    ended = trace.ended
    name = type(ended).__name__
    raised: Any = [name, str(ended), []]
    if name == "Finished":
        raised = None
    elif name == "Raised":
        raised = [ended.type, ended.message, [entry.line for entry in ended.traceback]]
    elif name == "Exited":
        raised = [ended.by, str(ended.code)]
    return {
        "stdout": "".join(output.text for output in trace.outputs if output.stream == "stdout"),
        "stderr": "".join(output.text for output in trace.outputs if output.stream == "stderr"),
        "warnings": [[output.category, output.text, output.line] for output in trace.outputs if output.stream == "warning"],
        "raised": raised,
    }
