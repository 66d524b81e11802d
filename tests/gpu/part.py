"""Run the cases of one module: `python -m tests.gpu.part MODULE DEVICE FILE`.

The result of each case is appended to FILE at once.
"""

import importlib
import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from tests.gpu.case import CannotRunError


def run(module: str, device: str, say: Callable[[dict[str, Any]], None]) -> None:
    try:
        cases = importlib.import_module(module).cases(device)
    except (CannotRunError, ImportError) as error:
        say({"missing": f"{type(error).__name__}: {error}" if isinstance(error, ImportError) else str(error)})
        return
    say({"names": [case.name for case in cases]})
    for case in cases:
        if device == "cpu" and case.needs_cuda is not None:
            say({"left_out": case.name, "why": case.needs_cuda})
            continue
        try:
            case.check()
        except CannotRunError as error:
            say({"missing": str(error)})
            return
        except AssertionError as error:
            say({"tried": case.name, "failed": str(error) or "\n".join(traceback.format_exc().splitlines()[-3:])})
        except Exception as error:
            say({"tried": case.name, "failed": f"{type(error).__name__}: {error}\n{traceback.format_exc()}"})
        else:
            say({"tried": case.name, "failed": None})


if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8", buffering=1) as file:
        run(sys.argv[1], sys.argv[2], lambda answer: print(json.dumps(answer), file=file))
