"""The public library: `import stepgrad`. Installed next to `app`, which is private.

import stepgrad

with stepgrad.record() as recording:
    ...
recording.save("run.json")
print(recording.explain())
stepgrad.assert_no_silent_gradients(recording)
"""

from app import __version__
from app.commands.supported import refusal_of_python, refusal_of_torch

if refusal := refusal_of_python():
    raise ImportError(refusal)

import torch

# Before the import of the recorder, which uses internals of torch at import.
if refusal := refusal_of_torch(torch.__version__):
    raise ImportError(refusal)

from app.trace.records import Limits

from .guarding import Guard, GuardError, GuardFinding
from .notebook import load_ipython_extension
from .recorded import Recorded, assert_no_silent_gradients, record

guard = Guard

__all__ = [
    "Guard",
    "GuardError",
    "GuardFinding",
    "Limits",
    "Recorded",
    "__version__",
    "assert_no_silent_gradients",
    "guard",
    "load_ipython_extension",
    "record",
]
